/** Sends the message; while the agent is at work it stops it. */
import { isBusy, type RunPhase } from "@deerflow/client";
import { ArrowUp, Square } from "lucide-react";
import { useText } from "../../i18n/language-context.js";
import { IconButton } from "../../ui/icon-button.js";

interface SendButtonProps {
  readonly phase: RunPhase;
  readonly ready: boolean;
  /** Why sending has to wait. */
  readonly hint: string | undefined;
  onStop(): void;
}

export function SendButton({ phase, ready, hint, onStop }: SendButtonProps) {
  const t = useText();
  if (isBusy(phase))
    return (
      <IconButton key="stop" label={t("stop")} disabled={phase !== "running"} onClick={onStop} look="accent">
        <Square className="size-3.5 fill-current" aria-hidden />
      </IconButton>
    );
  return (
    <IconButton key="send" type="submit" label={hint ?? t("send")} disabled={!ready} look="accent">
      <ArrowUp className="size-4" aria-hidden />
    </IconButton>
  );
}
