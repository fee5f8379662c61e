/** Where a message is written and sent. */
import { isBusy } from "@deerflow/client";
import { useRef, type KeyboardEvent } from "react";
import { useText } from "../../i18n/language-context.js";
import { useThreadView } from "../conversation/use-thread-view.js";
import { ModelMenu } from "../models/model-menu.js";
import type { ModelChoice } from "../models/use-models.js";
import { AttachButton } from "./attach-button.js";
import { AttachmentChip } from "./attachment-chip.js";
import { SendButton } from "./send-button.js";
import type { Attachments } from "./use-attachments.js";

interface ComposerProps {
  readonly text: string;
  readonly attachments: Attachments;
  readonly models: ModelChoice;
  onText(text: string): void;
  onSend(): void;
  onStop(): void;
}

/** Enter sends; with Shift, or while an input method composes a character, it does not. */
const sends = (event: KeyboardEvent): boolean =>
  event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing;

export function Composer({ text, attachments, models, onText, onSend, onStop }: ComposerProps) {
  const t = useText();
  const { phase } = useThreadView();
  const field = useRef<HTMLTextAreaElement>(null);
  const ready = text.trim() !== "" && !attachments.pending && !isBusy(phase) && phase !== "loading";
  return (
    <form
      className="mx-auto w-full max-w-3xl px-3 pb-3 sm:px-6 sm:pb-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onSend();
      }}
    >
      <div className="@container rounded-2xl border border-line-strong bg-raised shadow-xs focus-within:border-accent">
        {attachments.list.length > 0 && (
          <ul className="flex flex-wrap gap-1.5 px-3 pt-3">
            {attachments.list.map((attachment) => (
              <AttachmentChip
                key={attachment.key}
                attachment={attachment}
                onRemove={() => attachments.remove(attachment.key)}
              />
            ))}
          </ul>
        )}
        <textarea
          ref={field}
          id="composer"
          value={text}
          rows={1}
          aria-label={t("composerLabel")}
          placeholder={t("composerPlaceholder")}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={(event) => {
            if (!sends(event)) return;
            event.preventDefault();
            if (ready) onSend();
          }}
          onPaste={(event) => {
            const files = [...event.clipboardData.files];
            if (files.length === 0) return;
            event.preventDefault();
            attachments.add(files);
          }}
          className="block field-sizing-content max-h-52 min-h-11 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-[0.9375rem] leading-6 placeholder:text-ink-faint focus-visible:outline-none"
        />
        <div className="flex items-center gap-1 px-2 pb-2">
          <AttachButton onFiles={attachments.add} />
          <ModelMenu {...models} />
          <span className="flex-1" />
          <span className="mr-1.5 hidden text-xs text-ink-faint @xl:inline">{t("composerHint")}</span>
          <SendButton
            phase={phase}
            ready={ready}
            onStop={onStop}
            hint={attachments.pending ? t("uploadsPending") : undefined}
          />
        </div>
      </div>
    </form>
  );
}
