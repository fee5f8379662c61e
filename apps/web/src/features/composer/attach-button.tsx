/** Opens the browser's file dialog. */
import { Paperclip } from "lucide-react";
import { useRef } from "react";
import { useText } from "../../i18n/language-context.js";
import { IconButton } from "../../ui/icon-button.js";

export function AttachButton({ onFiles }: { onFiles(files: readonly File[]): void }) {
  const t = useText();
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label={t("attach")} onClick={() => field.current?.click()}>
        <Paperclip className="size-4" aria-hidden />
      </IconButton>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label={t("attach")}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}
