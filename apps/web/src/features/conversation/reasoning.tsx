/** What the model thought, folded away. */
import { ChevronRight } from "lucide-react";
import { useText } from "../../i18n/language-context.js";

interface ReasoningProps {
  readonly text: string;
  /** True while the model thinks and has not begun to answer. */
  readonly active: boolean;
}

export function Reasoning({ text, active }: ReasoningProps) {
  const t = useText();
  return (
    <details className="group/reasoning text-sm text-ink-soft">
      <summary className="inline-flex list-none items-center gap-1 rounded text-xs text-ink-faint hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-3.5 transition-transform group-open/reasoning:rotate-90" />
        <span className={active ? "animate-pulse" : ""}>{active ? t("thinking") : t("thought")}</span>
      </summary>
      <div className="mt-1.5 border-l-2 border-line pl-3 whitespace-pre-wrap wrap-anywhere">{text}</div>
    </details>
  );
}
