/** One file of the message: its name, how far it is, and a way to take it back. */
import { CircleAlert, File, X } from "lucide-react";
import { useText } from "../../i18n/language-context.js";
import { classes } from "../../lib/classes.js";
import { formatSize } from "../../lib/format.js";
import { isPending, type Attachment } from "./attachment.js";

interface AttachmentChipProps {
  readonly attachment: Attachment;
  onRemove(): void;
}

export function AttachmentChip({ attachment, onRemove }: AttachmentChipProps) {
  const t = useText();
  const { name, size, progress, error } = attachment;
  return (
    <li
      className={classes(
        "relative flex min-w-0 items-center gap-1.5 overflow-hidden rounded-md border py-1 pr-1 pl-2 text-xs",
        error === undefined
          ? "max-w-64 border-line bg-sunken text-ink-soft"
          : "max-w-full border-bad-line bg-bad-soft text-bad",
      )}
    >
      {error === undefined ? (
        <File aria-hidden className="size-3.5 shrink-0" />
      ) : (
        <CircleAlert aria-hidden className="size-3.5 shrink-0" />
      )}
      {error === undefined ? (
        <span className="truncate" title={name}>
          {name}
        </span>
      ) : (
        <span role="alert" className="min-w-0 wrap-anywhere">
          {error}
        </span>
      )}
      {error === undefined && <span className="shrink-0 text-ink-faint">{formatSize(size)}</span>}
      <button
        type="button"
        aria-label={t("removeFile", { name })}
        title={t("removeFile", { name })}
        onClick={onRemove}
        className="inline-flex size-6 shrink-0 items-center justify-center rounded hover:bg-hover"
      >
        <X aria-hidden className="size-3.5" />
      </button>
      {isPending(attachment) && (
        <progress
          aria-label={t("uploading", { name })}
          value={progress}
          max={1}
          className="absolute inset-x-0 bottom-0 h-0.5 w-full appearance-none accent-accent [&::-webkit-progress-bar]:bg-transparent [&::-webkit-progress-value]:bg-accent"
        />
      )}
    </li>
  );
}
