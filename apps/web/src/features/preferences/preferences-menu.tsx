/** Theme and language. */
import { DropdownMenu } from "radix-ui";
import { Settings2 } from "lucide-react";
import { useLanguage } from "../../i18n/language-context.js";
import { isLanguage, LANGUAGES } from "../../i18n/translate.js";
import { IconButton } from "../../ui/icon-button.js";
import { Menu } from "../../ui/menu.js";
import { MenuChoice } from "../../ui/menu-choice.js";
import { isTheme, useTheme } from "./use-theme.js";

export function PreferencesMenu() {
  const { t, language, choose } = useLanguage();
  const [theme, setTheme] = useTheme();
  return (
    <Menu
      align="end"
      side="top"
      trigger={
        <IconButton label={t("preferences")}>
          <Settings2 className="size-4" aria-hidden />
        </IconButton>
      }
    >
      <MenuChoice
        label={t("theme")}
        value={theme}
        onChoose={(value) => isTheme(value) && setTheme(value)}
        options={[
          { value: "system", label: t("themeSystem") },
          { value: "light", label: t("themeLight") },
          { value: "dark", label: t("themeDark") },
        ]}
      />
      <DropdownMenu.Separator className="my-1 h-px bg-line" />
      <MenuChoice
        label={t("language")}
        value={language}
        onChoose={(value) => isLanguage(value) && choose(value)}
        options={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
      />
    </Menu>
  );
}
