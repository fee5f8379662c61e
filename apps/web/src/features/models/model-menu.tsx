/** Shows which model will answer, and whether that is an AI at all; lets one choose another. */
import { ChevronDown } from "lucide-react";
import { useText } from "../../i18n/language-context.js";
import { classes } from "../../lib/classes.js";
import { Menu } from "../../ui/menu.js";
import { MenuChoice } from "../../ui/menu-choice.js";
import { isDemo, type ModelChoice } from "./use-models.js";

export function ModelMenu({ models, chosen, choose }: ModelChoice) {
  const t = useText();
  if (chosen === undefined) return null;
  const demo = isDemo(chosen);
  const label = demo ? t("demoMark") : chosen.display_name;
  return (
    <Menu
      side="top"
      trigger={
        <button
          type="button"
          aria-label={t("chooseModel", { name: label })}
          title={demo ? t("demoExplained") : chosen.reason}
          className={classes(
            "inline-flex items-center gap-1 text-xs",
            demo
              ? "h-7 shrink-0 rounded-full border border-warn-line bg-warn-soft pr-2 pl-2.5 font-medium text-warn hover:border-warn"
              : "h-8 min-w-0 rounded-md px-2 text-ink-soft hover:bg-hover hover:text-ink data-[state=open]:bg-hover",
          )}
        >
          <span className="truncate">{label}</span>
          <ChevronDown className="size-3.5 shrink-0" aria-hidden />
        </button>
      }
    >
      <MenuChoice
        label={t("model")}
        value={chosen.name}
        onChoose={choose}
        options={models.map((model) => ({
          value: model.name,
          label: (
            <span className="min-w-0">
              <span className="block truncate">{model.display_name}</span>
              <span className="block truncate text-xs text-ink-faint">{model.reason}</span>
            </span>
          ),
        }))}
      />
    </Menu>
  );
}
