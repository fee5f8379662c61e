/** Asks for a new title. */
import { sentenceFor } from "@deerflow/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useText } from "../../i18n/language-context.js";
import { useServices } from "../../lib/services.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { Notice } from "../../ui/notice.js";
import { THREADS_KEY } from "./use-threads.js";

interface RenameThreadDialogProps {
  readonly threadId: string;
  readonly title: string;
  onClose(): void;
}

export function RenameThreadDialog({ threadId, title, onClose }: RenameThreadDialogProps) {
  const t = useText();
  const { client, observer } = useServices();
  const queries = useQueryClient();
  const fieldId = useId();
  const [name, setName] = useState(title);
  const rename = useMutation({
    mutationFn: () => client.renameThread(threadId, name.trim()),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: THREADS_KEY });
      if (observer.getSnapshot().threadId === threadId) await observer.refresh();
    },
  });
  return (
    <Dialog title={t("renameTitle")} onClose={onClose}>
      <form
        className="mt-3 space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== "") rename.mutate();
        }}
      >
        <label htmlFor={fieldId} className="sr-only">
          {t("titleLabel")}
        </label>
        <input
          id={fieldId}
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.target.value)}
          className="h-9 w-full rounded-md border border-line-strong bg-ground px-2.5"
        />
        {rename.isError && <Notice tone="bad">{sentenceFor(rename.error)}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button type="submit" look="primary" disabled={rename.isPending || name.trim() === ""}>
            {t("save")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
