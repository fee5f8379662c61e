/** Says, wherever it matters, that no AI is at work. */
import { useText } from "../../i18n/language-context.js";

export function DemoMark() {
  const t = useText();
  return (
    <span
      title={t("demoExplained")}
      className="inline-flex h-6 shrink-0 items-center rounded-full border border-warn-line bg-warn-soft px-2 text-xs font-medium text-warn"
    >
      {t("demoMark")}
    </span>
  );
}
