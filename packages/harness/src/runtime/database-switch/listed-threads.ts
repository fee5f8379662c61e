/** One list of threads that lie in two databases. */
import type { ThreadQuery, ThreadRecord } from "../../persistence/contract.js";
import { hasEntries } from "../../persistence/stores/metadata-filter.js";

/** Whether a thread belongs into the answer, as the databases decide it. Pure. */
export function fits(thread: ThreadRecord, { status, metadata = {} }: ThreadQuery): boolean {
  return (status === undefined || thread.status === status) && hasEntries(thread.metadata, metadata);
}

/** How the databases order them, ties by id. */
const VALUES: Readonly<
  Record<NonNullable<ThreadQuery["sortBy"]>, (thread: ThreadRecord) => number | string>
> = {
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
  thread_id: ({ threadId }) => threadId,
  status: ({ status }) => status,
};

/** The page of the query out of all that fit. Pure. */
export function pageOf(threads: readonly ThreadRecord[], query: ThreadQuery): readonly ThreadRecord[] {
  const { sortBy = "updated_at", sortOrder = "desc", offset, limit } = query;
  const valueOf = VALUES[sortBy];
  const direction = sortOrder === "asc" ? 1 : -1;
  const sorted = [...threads].sort(
    (left, right) =>
      direction * (compare(valueOf(left), valueOf(right)) || compare(left.threadId, right.threadId)),
  );
  return sorted.slice(offset, offset + limit);
}

const compare = (left: number | string, right: number | string): number => {
  if (left === right) return 0;
  return left < right ? -1 : 1;
};
