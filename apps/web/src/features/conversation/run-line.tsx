/** What is going on right now, below the last message. */
import { isBusy, type RunPhase, type ThreadView } from "@deerflow/client";
import type { MessageKey } from "../../i18n/en.js";
import { useText } from "../../i18n/language-context.js";
import { Button } from "../../ui/button.js";
import { Notice } from "../../ui/notice.js";
import { Spinner } from "../../ui/spinner.js";

const WORDS: Readonly<Partial<Record<RunPhase, MessageKey>>> = {
  starting: "starting",
  running: "working",
  stopping: "stopping",
};
const ENDINGS: Readonly<Record<string, MessageKey>> = {
  interrupted: "ended_interrupted",
  timeout: "ended_timeout",
  waiting: "ended_waiting",
};

/** An answer that is visibly being written needs no word beside it. */
const isWriting = (view: ThreadView): boolean =>
  view.messages.at(-1)?.streaming === true &&
  (view.messages.at(-1)?.text ?? "") !== "" &&
  view.phase === "running";

interface RunLineProps {
  readonly view: ThreadView;
  onRetry(): void;
}

export function RunLine({ view, onRetry }: RunLineProps) {
  const t = useText();
  const word = WORDS[view.phase];
  const ending = isBusy(view.phase) ? undefined : ENDINGS[view.ending ?? ""];
  return (
    <div className="space-y-3">
      {view.notices.map((notice) => (
        <Notice key={notice} tone="calm">
          {notice}
        </Notice>
      ))}
      {view.reconnecting && <Notice tone="calm">{t("reconnecting")}</Notice>}
      {word !== undefined && !isWriting(view) && (
        <p className="flex items-center gap-2 text-ink-faint">
          <Spinner />
          {t(word)}
        </p>
      )}
      {ending !== undefined && <Notice tone="calm">{t(ending)}</Notice>}
      {view.error !== undefined && (
        <Notice
          tone="bad"
          {...(view.phase === "lost" ? { action: <Button onClick={onRetry}>{t("retry")}</Button> } : {})}
        >
          {view.error}
        </Notice>
      )}
    </div>
  );
}
