/** What a tool was asked and what it said. */
import type { ToolCallView } from "@deerflow/client";
import { useText } from "../../i18n/language-context.js";
import { ShownImages } from "../conversation/shown-images.js";
import { LongText } from "./long-text.js";
import { shownArguments } from "./tool-call-text.js";

const isShort = (value: string): boolean => !value.includes("\n") && value.length < 120;

export function ToolCallDetails({ call }: { readonly call: ToolCallView }) {
  const t = useText();
  const shown = shownArguments(call.name, call.args);
  const waits = call.state === "writing" || call.state === "running";
  return (
    <div className="space-y-3 border-t border-line bg-sunken px-3 py-2.5">
      {shown.length > 0 && (
        <dl className="space-y-1.5 text-xs">
          {shown.map(({ name, value }) => (
            <div key={name} className={isShort(value) ? "flex gap-2" : ""}>
              <dt className="shrink-0 py-px text-ink-faint">{name}</dt>
              <dd className="min-w-0 wrap-anywhere">
                {isShort(value) ? (
                  <code className="font-mono">{value}</code>
                ) : (
                  <LongText text={value} label={`${t("toolArguments")}: ${name}`} />
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {!waits && call.state !== "stopped" && (
        <div>
          <h4 className="mb-1 text-xs text-ink-faint">{t("toolResult")}</h4>
          {call.result === "" ? (
            <p className="text-xs text-ink-faint">{t("toolNoResult")}</p>
          ) : (
            <LongText text={call.result} label={t("toolResult")} />
          )}
          {call.images !== undefined && <ShownImages images={call.images} />}
        </div>
      )}
    </div>
  );
}
