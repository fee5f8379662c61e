/** Where commands run, or that there is no shell and why. */
import { ShieldAlert, ShieldCheck } from "lucide-react";
import { useText } from "../../i18n/language-context.js";
import { classes } from "../../lib/classes.js";
import { Popover } from "../../ui/popover.js";
import { useHealth } from "./use-health.js";

export function SandboxStatus() {
  const t = useText();
  const { data } = useHealth();
  if (data === undefined) return null;
  const { provider, available, reason, limits, network } = data.sandbox;
  const isSafe = available && provider !== "local";
  const title = available ? t("shellIn", { name: provider }) : t("shellAbsent");
  const Icon = isSafe ? ShieldCheck : ShieldAlert;
  return (
    <Popover
      label={title}
      trigger={
        <button
          type="button"
          className="flex h-8 w-full items-center gap-2 rounded-md px-2 text-ink-soft hover:bg-hover hover:text-ink data-[state=open]:bg-hover"
        >
          <Icon className={classes("size-4", isSafe ? "text-ink-faint" : "text-warn")} aria-hidden />
          <span className="truncate">{title}</span>
        </button>
      }
    >
      <div className="grid gap-1.5">
        {[reason, limits, network].map(
          (sentence) => sentence !== undefined && sentence !== "" && <p key={sentence}>{sentence}</p>,
        )}
      </div>
    </Popover>
  );
}
