/** Asks before a conversation is deleted. */
import { sentenceFor } from "@deerflow/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useText } from "../../i18n/language-context.js";
import { useServices } from "../../lib/services.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { Notice } from "../../ui/notice.js";
import { THREADS_KEY } from "./use-threads.js";

interface DeleteThreadDialogProps {
  readonly threadId: string;
  readonly title: string;
  onClose(): void;
}

export function DeleteThreadDialog({ threadId, title, onClose }: DeleteThreadDialogProps) {
  const t = useText();
  const { client } = useServices();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const shown = useParams({ strict: false }).threadId;
  const remove = useMutation({
    mutationFn: () => client.deleteThread(threadId),
    onSuccess: async () => {
      if (shown === threadId) await navigate({ to: "/" });
      onClose();
      await queries.invalidateQueries({ queryKey: THREADS_KEY });
    },
  });
  return (
    <Dialog title={t("deleteTitle")} onClose={onClose}>
      <p className="mt-2 mb-4 text-ink-soft wrap-anywhere">{t("deleteText", { title })}</p>
      {remove.isError && <Notice tone="bad">{sentenceFor(remove.error)}</Notice>}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>{t("cancel")}</Button>
        <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          {t("delete")}
        </Button>
      </div>
    </Dialog>
  );
}
