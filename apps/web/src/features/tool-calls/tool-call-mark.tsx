/** How a tool call stands, as a small sign with a word for those who hear the page. */
import type { ToolCallState } from "@deerflow/client";
import { Check, Pencil, ShieldAlert, Square, TriangleAlert } from "lucide-react";
import { useText } from "../../i18n/language-context.js";
import type { MessageKey } from "../../i18n/en.js";
import { Spinner } from "../../ui/spinner.js";

const LABELS: Readonly<Record<ToolCallState, MessageKey>> = {
  writing: "toolWriting",
  running: "toolRunning",
  done: "toolDone",
  error: "toolError",
  refused: "toolRefused",
  stopped: "toolStopped",
};

const SIGNS: Readonly<Record<ToolCallState, React.ReactNode>> = {
  writing: <Pencil aria-hidden className="size-3.5 animate-pulse text-accent" />,
  running: <Spinner className="size-3.5 text-accent" />,
  done: <Check aria-hidden className="size-3.5 text-good" />,
  error: <TriangleAlert aria-hidden className="size-3.5 text-bad" />,
  refused: <ShieldAlert aria-hidden className="size-3.5 text-warn" />,
  stopped: <Square aria-hidden className="size-3 text-ink-faint" />,
};

export function ToolCallMark({ state }: { readonly state: ToolCallState }) {
  const label = useText()(LABELS[state]);
  return (
    <span title={label} className="inline-flex size-4 shrink-0 items-center justify-center">
      {SIGNS[state]}
      <span className="sr-only">{label}</span>
    </span>
  );
}
