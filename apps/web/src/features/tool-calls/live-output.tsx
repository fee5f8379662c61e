/** The last lines of what a running tool prints. Its result takes their place. */
import type { ToolCallView } from "@deerflow/client";
import { useText } from "../../i18n/language-context.js";
import { lastLines } from "./tool-call-text.js";

export function LiveOutput({ call }: { readonly call: ToolCallView }) {
  const t = useText();
  if (call.live === undefined) return null;
  return (
    <div className="mx-3 mb-2 border-l-2 border-accent pl-2.5 text-xs leading-5">
      <pre
        role="log"
        aria-live="polite"
        aria-label={t("toolLiveOutput", { name: call.name })}
        className="max-h-32 overflow-hidden font-mono whitespace-pre-wrap text-ink-soft wrap-anywhere"
      >
        {lastLines(call.live.text)}
      </pre>
      {call.live.isCut && <p className="text-ink-faint">{t("toolLiveCut")}</p>}
    </div>
  );
}
