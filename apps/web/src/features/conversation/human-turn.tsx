/** What a person said. */
import type { ViewMessage } from "@deerflow/client";
import { Paperclip } from "lucide-react";
import { memo } from "react";
import { useText } from "../../i18n/language-context.js";
import { formatSize } from "../../lib/format.js";
import { ShownImages } from "./shown-images.js";

export const HumanTurn = memo(function HumanTurn({ message }: { readonly message: ViewMessage }) {
  const t = useText();
  return (
    <article className="flex flex-col items-end gap-1.5" aria-label={t("you")} data-message={message.id}>
      {message.files.length > 0 && (
        <ul className="flex flex-wrap justify-end gap-1.5">
          {message.files.map(({ filename, size }) => (
            <li
              key={filename}
              className="inline-flex max-w-full items-center gap-1.5 rounded-md border border-line px-2 py-1 text-xs text-ink-soft"
            >
              <Paperclip aria-hidden className="size-3 shrink-0" />
              <span className="truncate">{filename}</span>
              <span className="shrink-0 text-ink-faint">{formatSize(size)}</span>
            </li>
          ))}
        </ul>
      )}
      {message.images !== undefined && <ShownImages images={message.images} />}
      <div className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-soft px-3.5 py-2 text-[0.9375rem] whitespace-pre-wrap wrap-anywhere">
        {message.text}
      </div>
    </article>
  );
});
