/** A thread store in memory, for tests. */
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../base/clock.js";
import type { Principal } from "../context/principal.js";
import type {
  NewThread,
  ThreadPatch,
  ThreadQuery,
  ThreadRecord,
  ThreadStore,
} from "../persistence/contract.js";

/** One key per tenant, user and whatever else names a row. */
export const memoryKey = (principal: Principal, ...parts: readonly string[]): string =>
  JSON.stringify([principal.tenantId, principal.userId, ...parts]);

const SORT_FIELDS = {
  created_at: "createdAt",
  updated_at: "updatedAt",
  thread_id: "threadId",
  status: "status",
} as const;

export class MemoryThreadStore implements ThreadStore {
  readonly #clock: Clock;
  readonly #threads = new Map<string, { owner: string; thread: ThreadRecord }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async create(principal: Principal, { threadId, metadata = {} }: NewThread) {
    const key = memoryKey(principal, threadId);
    const known = this.#threads.get(key);
    if (known !== undefined) return { thread: known.thread, created: false };
    const now = this.#clock.now();
    const thread: ThreadRecord = {
      threadId,
      status: "idle",
      metadata,
      values: {},
      createdAt: now,
      updatedAt: now,
    };
    this.#threads.set(key, { owner: memoryKey(principal), thread });
    return { thread, created: true };
  }

  async find(principal: Principal, threadId: string): Promise<ThreadRecord | undefined> {
    return this.#threads.get(memoryKey(principal, threadId))?.thread;
  }

  async search(principal: Principal, query: ThreadQuery): Promise<readonly ThreadRecord[]> {
    const field = SORT_FIELDS[query.sortBy ?? "updated_at"];
    const direction = query.sortOrder === "asc" ? 1 : -1;
    return [...this.#threads.values()]
      .filter(({ owner }) => owner === memoryKey(principal))
      .map(({ thread }) => thread)
      .filter(({ status }) => query.status === undefined || status === query.status)
      .filter(({ metadata }) =>
        Object.entries(query.metadata ?? {}).every(([key, value]) => isDeepStrictEqual(metadata[key], value)),
      )
      .sort((a, b) => direction * (a[field] < b[field] ? -1 : Number(a[field] > b[field])))
      .slice(query.offset, query.offset + query.limit);
  }

  async update(
    principal: Principal,
    threadId: string,
    patch: ThreadPatch,
  ): Promise<ThreadRecord | undefined> {
    const key = memoryKey(principal, threadId);
    const known = this.#threads.get(key);
    if (known === undefined) return undefined;
    const thread: ThreadRecord = {
      ...known.thread,
      status: patch.status ?? known.thread.status,
      metadata: { ...known.thread.metadata, ...patch.metadata },
      values: { ...known.thread.values, ...patch.values },
      updatedAt: this.#clock.now(),
    };
    this.#threads.set(key, { ...known, thread });
    return thread;
  }

  async remove(principal: Principal, threadId: string): Promise<boolean> {
    return this.#threads.delete(memoryKey(principal, threadId));
  }
}
