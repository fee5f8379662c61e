/** Threads in any database that Kysely speaks. */
import type { Kysely, Selectable, SelectQueryBuilder } from "kysely";
import type { Clock } from "../../base/clock.js";
import { DeerflowError } from "../../base/errors.js";
import type { Principal } from "../../context/principal.js";
import type { NewThread, ThreadPatch, ThreadQuery, ThreadRecord, ThreadStore } from "../contract.js";
import type { AppSchema, ThreadTable } from "../schema.js";
import type { AppDatabase } from "./app-database.js";
import { objectFromJsonText, toJsonText } from "./json-text.js";
import { hasEntries, mayHaveEntries } from "./metadata-filter.js";

/** Rows of one reading of a filtered search: a long list is never in memory whole. */
const LARGEST_PAGE = 500;

const toThread = (row: Selectable<ThreadTable>): ThreadRecord => ({
  threadId: row.thread_id,
  status: row.status,
  metadata: objectFromJsonText(row.metadata),
  values: objectFromJsonText(row.list_values),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The ThreadStore over SQL. A thread id is taken once per tenant; a thread is seen by its own user only. */
export class SqlThreadStore implements ThreadStore {
  readonly #database: AppDatabase;
  readonly #clock: Clock;

  constructor(options: { readonly database: AppDatabase; readonly clock: Clock }) {
    this.#database = options.database;
    this.#clock = options.clock;
  }

  /** @throws DeerflowError `thread_id_taken` when the thread belongs to another user of the tenant */
  async create(principal: Principal, thread: NewThread): Promise<{ thread: ThreadRecord; created: boolean }> {
    const now = this.#clock.now();
    const row: ThreadTable = {
      tenant_id: principal.tenantId,
      thread_id: thread.threadId,
      user_id: principal.userId,
      status: "idle",
      metadata: toJsonText(thread.metadata ?? {}),
      list_values: "{}",
      created_at: now,
      updated_at: now,
    };
    return this.#database.transaction(async (query) => {
      const existing = await query
        .selectFrom("threads")
        .selectAll()
        .where("tenant_id", "=", principal.tenantId)
        .where("thread_id", "=", thread.threadId)
        .executeTakeFirst();
      if (existing === undefined) {
        // Where another was faster the key is taken, and the transaction runs again.
        await query.insertInto("threads").values(row).execute();
        return { thread: toThread(row), created: true };
      }
      if (existing.user_id === principal.userId) return { thread: toThread(existing), created: false };
      throw new DeerflowError("thread_id_taken", { threadId: thread.threadId });
    });
  }

  async find(principal: Principal, threadId: string): Promise<ThreadRecord | undefined> {
    const row = await this.#own(principal).where("thread_id", "=", threadId).executeTakeFirst();
    return row && toThread(row);
  }

  async search(principal: Principal, query: ThreadQuery): Promise<readonly ThreadRecord[]> {
    const { limit, offset, metadata = {} } = query;
    const select = this.#select(principal, query);
    if (Object.keys(metadata).length === 0) {
      return (await select.limit(limit).offset(offset).execute()).map(toThread);
    }
    const candidates = select.where(mayHaveEntries(this.#database.backend, metadata));
    const size = Math.min(offset + limit, LARGEST_PAGE);
    const found: ThreadRecord[] = [];
    let page: readonly ThreadTable[] = await candidates.limit(size).execute();
    for (;;) {
      found.push(...page.map(toThread).filter((thread) => hasEntries(thread.metadata, metadata)));
      const last = page.at(-1);
      if (last === undefined || page.length < size || found.length >= offset + limit) break;
      page = await after(candidates, query, last).limit(size).execute();
    }
    return found.slice(offset, offset + limit);
  }

  async update(
    principal: Principal,
    threadId: string,
    patch: ThreadPatch,
  ): Promise<ThreadRecord | undefined> {
    return this.#database.threadTransaction(principal, threadId, async (query) => {
      const row = await this.#own(principal, query).where("thread_id", "=", threadId).executeTakeFirst();
      if (row === undefined) return undefined;
      const before = toThread(row);
      const after: ThreadRecord = {
        ...before,
        status: patch.status ?? before.status,
        metadata: { ...before.metadata, ...patch.metadata },
        values: patch.values ?? before.values,
        updatedAt: this.#clock.now(),
      };
      await query
        .updateTable("threads")
        .set({
          status: after.status,
          metadata: toJsonText(after.metadata),
          list_values: toJsonText(after.values),
          updated_at: after.updatedAt,
        })
        .where("tenant_id", "=", principal.tenantId)
        .where("thread_id", "=", threadId)
        .execute();
      return after;
    });
  }

  async remove(principal: Principal, threadId: string): Promise<boolean> {
    return this.#database.transaction(async (query) => {
      const { numDeletedRows } = await query
        .deleteFrom("threads")
        .where("tenant_id", "=", principal.tenantId)
        .where("user_id", "=", principal.userId)
        .where("thread_id", "=", threadId)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      for (const table of ["runs", "run_events"] as const) {
        await query
          .deleteFrom(table)
          .where("tenant_id", "=", principal.tenantId)
          .where("thread_id", "=", threadId)
          .execute();
      }
      return true;
    });
  }

  /** The threads of a query in its order, whatever their metadata. */
  #select(principal: Principal, query: ThreadQuery) {
    const { column, order } = orderOf(query);
    const select = this.#own(principal).orderBy(column, order).orderBy("thread_id", order);
    return query.status === undefined ? select : select.where("status", "=", query.status);
  }

  #own(principal: Principal, query: Kysely<AppSchema> = this.#database.query) {
    return query
      .selectFrom("threads")
      .selectAll()
      .where("tenant_id", "=", principal.tenantId)
      .where("user_id", "=", principal.userId);
  }
}

const orderOf = ({ sortBy = "updated_at", sortOrder = "desc" }: ThreadQuery) => ({
  column: sortBy,
  order: sortOrder,
});

/** The rows that come after `last`, which stays right when rows before it appear or go. */
function after(
  select: SelectQueryBuilder<AppSchema, "threads", ThreadTable>,
  query: ThreadQuery,
  last: ThreadTable,
) {
  const { column, order } = orderOf(query);
  const beyond = order === "asc" ? ">" : "<";
  return select.where(({ and, eb, or }) =>
    or([
      eb(column, beyond, last[column]),
      and([eb(column, "=", last[column]), eb("thread_id", beyond, last.thread_id)]),
    ]),
  );
}
