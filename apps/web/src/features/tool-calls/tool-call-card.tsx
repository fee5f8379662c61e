/** One call of a tool: a line that tells what and how, and the details behind it. */
import type { ToolCallView } from "@deerflow/client";
import { ChevronRight } from "lucide-react";
import { memo, useId, useState } from "react";
import { useText } from "../../i18n/language-context.js";
import { classes } from "../../lib/classes.js";
import { formatDuration } from "../../lib/format.js";
import { LiveOutput } from "./live-output.js";
import { ToolCallDetails } from "./tool-call-details.js";
import { ToolCallMark } from "./tool-call-mark.js";
import { ToolCallProblem } from "./tool-call-problem.js";
import { cardHeading, liveTail } from "./tool-call-text.js";
import { toolKind } from "./tool-kinds.js";

export const ToolCallCard = memo(function ToolCallCard({ call }: { readonly call: ToolCallView }) {
  const t = useText();
  const detailsId = useId();
  const [open, setOpen] = useState(false);
  const { headline, subject } = cardHeading(call);
  const { Icon, label } = toolKind(call.name);
  const words = headline ?? (label === undefined ? call.name : t(label));
  const tail = call.state === "writing" ? liveTail(call.name, call.args) : "";
  return (
    <li className="min-w-0" data-tool={call.name} data-state={call.state}>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={detailsId}
        onClick={() => setOpen(!open)}
        className="flex w-full min-w-0 items-center gap-2 px-3 py-1.5 text-left hover:bg-hover"
      >
        <Icon aria-hidden className="size-4 shrink-0 text-ink-faint" />
        <span className="flex min-w-0 flex-1 items-baseline gap-2">
          <span className="truncate">{words}</span>
          <code className="hidden min-w-0 shrink-1000 truncate font-mono text-xs text-ink-faint sm:inline">
            {subject ?? (words === call.name ? "" : call.name)}
          </code>
        </span>
        <span className="sr-only">{t("toolDetails", { name: call.name })}</span>
        {call.durationMs !== undefined && (
          <span className="shrink-0 text-xs tabular-nums text-ink-faint">
            {formatDuration(call.durationMs)}
          </span>
        )}
        <ToolCallMark state={call.state} />
        <ChevronRight
          aria-hidden
          className={classes("size-3.5 shrink-0 text-ink-faint transition-transform", open && "rotate-90")}
        />
      </button>
      {!open && tail !== "" && (
        <pre
          aria-hidden
          className="mx-3 mb-2 max-h-32 overflow-hidden border-l-2 border-accent pl-2.5 font-mono text-xs leading-5 whitespace-pre-wrap text-ink-soft wrap-anywhere"
        >
          {tail}
        </pre>
      )}
      <LiveOutput call={call} />
      <ToolCallProblem call={call} />
      <div id={detailsId}>{open && <ToolCallDetails call={call} />}</div>
    </li>
  );
});
