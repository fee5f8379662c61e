/** The event log of threads in any database that Kysely speaks. */
import type { Kysely, Selectable } from "kysely";
import type { Clock } from "../../base/clock.js";
import type { Principal } from "../../context/principal.js";
import type { NewRunEvent, RunEvent, RunEventStore } from "../contract.js";
import type { AppSchema, RunEventTable } from "../schema.js";
import { fromJsonText, objectFromJsonText, toJsonText } from "./json-text.js";

/** Rows of one INSERT: far below the 32,766 values that SQLite binds at once. */
const ROWS_PER_INSERT = 500;

const toEvent = (row: Selectable<RunEventTable>): RunEvent => ({
  seq: row.seq,
  runId: row.run_id,
  eventType: row.event_type,
  content: fromJsonText(row.content),
  metadata: objectFromJsonText(row.metadata),
  createdAt: row.created_at,
});

/** The RunEventStore over SQL. The seq is given inside the transaction that writes it, so there are no gaps. */
export class SqlRunEventStore implements RunEventStore {
  readonly #database: Kysely<AppSchema>;
  readonly #clock: Clock;

  constructor(options: { readonly database: Kysely<AppSchema>; readonly clock: Clock }) {
    this.#database = options.database;
    this.#clock = options.clock;
  }

  async append(principal: Principal, threadId: string, events: readonly NewRunEvent[]): Promise<number> {
    const createdAt = this.#clock.now();
    return this.#database.transaction().execute(async (transaction) => {
      const { last } = await transaction
        .selectFrom("run_events")
        .select(({ fn }) => fn.max<number | null>("seq").as("last"))
        .where("tenant_id", "=", principal.tenantId)
        .where("thread_id", "=", threadId)
        .executeTakeFirstOrThrow();
      const first = (last ?? 0) + 1;
      const rows = events.map(
        (event, index): RunEventTable => ({
          tenant_id: principal.tenantId,
          thread_id: threadId,
          seq: first + index,
          user_id: principal.userId,
          run_id: event.runId,
          event_type: event.eventType,
          content: toJsonText(event.content),
          metadata: toJsonText(event.metadata ?? {}),
          created_at: createdAt,
        }),
      );
      for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
        const part = rows.slice(at, at + ROWS_PER_INSERT);
        await transaction.insertInto("run_events").values(part).execute();
      }
      return first;
    });
  }

  async list(
    principal: Principal,
    threadId: string,
    query: { afterSeq?: number; limit: number; runId?: string; eventTypes?: readonly string[] },
  ): Promise<readonly RunEvent[]> {
    let select = this.#database
      .selectFrom("run_events")
      .selectAll()
      .where("tenant_id", "=", principal.tenantId)
      .where("user_id", "=", principal.userId)
      .where("thread_id", "=", threadId)
      .where("seq", ">", query.afterSeq ?? 0)
      .orderBy("seq")
      .limit(query.limit);
    if (query.runId !== undefined) select = select.where("run_id", "=", query.runId);
    if (query.eventTypes !== undefined) select = select.where("event_type", "in", query.eventTypes);
    return (await select.execute()).map(toEvent);
  }
}
