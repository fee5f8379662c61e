/** The conversation on the screen while its agent is at work, as a row for a list that may not know it yet. */
import { isBusy } from "@deerflow/client";
import type { Thread } from "@deerflow/protocol";
import { useMemo } from "react";
import { useNow } from "../../lib/use-now.js";
import { useThreadValue } from "../../lib/use-thread-value.js";

export function useThreadAtWork(): Thread | undefined {
  const threadId = useThreadValue((view) => (isBusy(view.phase) ? view.threadId : undefined));
  const title = useThreadValue((view) => view.title);
  const said = useThreadValue((view) => view.messages.find(({ role }) => role === "human")?.text ?? "");
  const now = useNow();
  return useMemo(() => {
    if (threadId === undefined) return undefined;
    const when = new Date(now).toISOString();
    return {
      thread_id: threadId,
      created_at: when,
      updated_at: when,
      state_updated_at: when,
      metadata: {},
      status: "busy",
      values: { title, messages: [{ content: said }] },
      interrupts: {},
    };
  }, [threadId, title, said, now]);
}
