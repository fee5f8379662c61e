/** Theme and language. */
import { DropdownMenu } from "radix-ui";
import { Settings2 } from "lucide-react";
import { useLanguage } from "../../i18n/language-context.js";
import { isLanguage, LANGUAGES } from "../../i18n/translate.js";
import { Menu } from "../../ui/menu.js";
import { MenuChoice } from "../../ui/menu-choice.js";
import { isTheme, useTheme } from "./use-theme.js";

export function PreferencesMenu() {
  const { t, language, choose } = useLanguage();
  const [theme, setTheme] = useTheme();
  return (
    <Menu
      align="start"
      side="top"
      trigger={
        <button
          type="button"
          className="flex h-8 w-full items-center gap-2 rounded-md px-2 text-ink-soft hover:bg-hover hover:text-ink data-[state=open]:bg-hover"
        >
          <Settings2 className="size-4 text-ink-faint" aria-hidden />
          {t("preferences")}
        </button>
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
