/** The conversations at the side. */
import { useText } from "../../i18n/language-context.js";
import { Button } from "../../ui/button.js";
import { ThreadRow } from "./thread-row.js";
import { ThreadSkeleton } from "./thread-skeleton.js";
import { useThreadAtWork } from "./use-thread-at-work.js";
import { useThreads } from "./use-threads.js";

export function ThreadList() {
  const t = useText();
  const { data, isPending, isError, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = useThreads();
  const atWork = useThreadAtWork();
  if (isPending) return <ThreadSkeleton />;
  if (isError && data === undefined)
    return (
      <div className="space-y-2 px-2 py-3 text-ink-soft">
        <p>{t("conversationsFailed")}</p>
        <Button onClick={() => void refetch()}>{t("retry")}</Button>
      </div>
    );
  const listed = [...new Map(data.pages.flat().map((thread) => [thread.thread_id, thread])).values()];
  const isNew = atWork !== undefined && listed.every(({ thread_id }) => thread_id !== atWork.thread_id);
  const threads = isNew ? [atWork, ...listed] : listed;
  if (threads.length === 0) return <p className="px-2 py-3 text-ink-faint">{t("noConversations")}</p>;
  return (
    <>
      <ul className="space-y-px">
        {threads.map((thread) => (
          <ThreadRow key={thread.thread_id} thread={thread} />
        ))}
      </ul>
      {hasNextPage && (
        <Button className="mt-2 w-full" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("loadMore")}
        </Button>
      )}
    </>
  );
}
