/** Threads in any database that Kysely speaks. */
import type { ExpressionBuilder, ExpressionWrapper, Kysely, Selectable, SqlBool } from "kysely";
import type { Clock } from "../../base/clock.js";
import { DeerflowError } from "../../base/errors.js";
import type { JsonValue } from "../../base/json.js";
import type { Principal } from "../../context/principal.js";
import type { NewThread, ThreadPatch, ThreadQuery, ThreadRecord, ThreadStore } from "../contract.js";
import type { AppSchema, ThreadTable } from "../schema.js";
import { objectFromJsonText, toJsonText } from "./json-text.js";

/** Compares one key of a thread's metadata with a value; each database has its own JSON functions for it. */
export type MetadataEquals = (
  expressions: ExpressionBuilder<AppSchema, "threads">,
  key: string,
  value: JsonValue,
) => ExpressionWrapper<AppSchema, "threads", SqlBool>;

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
  readonly #database: Kysely<AppSchema>;
  readonly #clock: Clock;
  readonly #metadataEquals: MetadataEquals;

  constructor(options: {
    readonly database: Kysely<AppSchema>;
    readonly clock: Clock;
    readonly metadataEquals: MetadataEquals;
  }) {
    this.#database = options.database;
    this.#clock = options.clock;
    this.#metadataEquals = options.metadataEquals;
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
    const { numInsertedOrUpdatedRows } = await this.#database
      .insertInto("threads")
      .values(row)
      .onConflict((conflict) => conflict.columns(["tenant_id", "thread_id"]).doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows === 1n) return { thread: toThread(row), created: true };
    const existing = await this.find(principal, thread.threadId);
    if (existing === undefined) throw new DeerflowError("thread_id_taken", { threadId: thread.threadId });
    return { thread: existing, created: false };
  }

  async find(principal: Principal, threadId: string): Promise<ThreadRecord | undefined> {
    const row = await this.#own(principal).where("thread_id", "=", threadId).executeTakeFirst();
    return row && toThread(row);
  }

  async search(principal: Principal, query: ThreadQuery): Promise<readonly ThreadRecord[]> {
    const order = query.sortOrder ?? "desc";
    let select = this.#own(principal)
      .orderBy(query.sortBy ?? "updated_at", order)
      .orderBy("thread_id", order)
      .limit(query.limit)
      .offset(query.offset);
    if (query.status !== undefined) select = select.where("status", "=", query.status);
    for (const [key, value] of Object.entries(query.metadata ?? {})) {
      select = select.where((expressions) => this.#metadataEquals(expressions, key, value));
    }
    return (await select.execute()).map(toThread);
  }

  async update(
    principal: Principal,
    threadId: string,
    patch: ThreadPatch,
  ): Promise<ThreadRecord | undefined> {
    return this.#database.transaction().execute(async (transaction) => {
      const row = await this.#own(principal, transaction)
        .where("thread_id", "=", threadId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const before = toThread(row);
      const after: ThreadRecord = {
        ...before,
        status: patch.status ?? before.status,
        metadata: { ...before.metadata, ...patch.metadata },
        values: patch.values ?? before.values,
        updatedAt: this.#clock.now(),
      };
      await transaction
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
    return this.#database.transaction().execute(async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom("threads")
        .where("tenant_id", "=", principal.tenantId)
        .where("user_id", "=", principal.userId)
        .where("thread_id", "=", threadId)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      for (const table of ["runs", "run_events"] as const) {
        await transaction
          .deleteFrom(table)
          .where("tenant_id", "=", principal.tenantId)
          .where("thread_id", "=", threadId)
          .execute();
      }
      return true;
    });
  }

  #own(principal: Principal, database: Kysely<AppSchema> = this.#database) {
    return database
      .selectFrom("threads")
      .selectAll()
      .where("tenant_id", "=", principal.tenantId)
      .where("user_id", "=", principal.userId);
  }
}
