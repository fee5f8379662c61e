/** A thread's row as clients see it. */
import type { ThreadRecord } from "@deerflow/harness/persistence";
import type { Thread } from "@deerflow/protocol";

export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** `values` is the row's small projection, not the state. */
export const toWireThread = (thread: ThreadRecord): Thread => ({
  thread_id: thread.threadId,
  created_at: isoTime(thread.createdAt),
  updated_at: isoTime(thread.updatedAt),
  state_updated_at: isoTime(thread.updatedAt),
  metadata: thread.metadata,
  status: thread.status,
  values: thread.values,
  interrupts: {},
});
