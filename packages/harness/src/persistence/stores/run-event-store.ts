/** The event log of threads in any database that Kysely speaks. */
import type { Selectable } from "kysely";
import type { Clock } from "../../base/clock.js";
import type { Principal } from "../../context/principal.js";
import type { NewRunEvent, RunEvent, RunEventStore } from "../contract.js";
import type { RunEventTable } from "../schema.js";
import type { AppDatabase } from "./app-database.js";
import { fromJsonText, objectFromJsonText, toJsonText } from "./json-text.js";

/** Rows of one INSERT: far below the 32,766 values that SQLite binds at once. */
const ROWS_PER_INSERT = 500;
/** Characters of one INSERT of several rows: a server takes packets of 16 MB, some of 4 MB only. */
const CHARACTERS_PER_INSERT = 500_000;

const toEvent = (row: Selectable<RunEventTable>): RunEvent => ({
  seq: row.seq,
  runId: row.run_id,
  eventType: row.event_type,
  content: fromJsonText(row.content),
  metadata: objectFromJsonText(row.metadata),
  createdAt: row.created_at,
});

/** Rows in the order in which they came, as many together as fit into one statement. */
export function insertsOf(rows: readonly RunEventTable[]): readonly (readonly RunEventTable[])[] {
  const inserts: RunEventTable[][] = [];
  let characters = 0;
  for (const row of rows) {
    const length = row.content.length + row.metadata.length;
    const open = inserts.at(-1);
    characters += length;
    if (open && open.length < ROWS_PER_INSERT && characters <= CHARACTERS_PER_INSERT) open.push(row);
    else {
      inserts.push([row]);
      characters = length;
    }
  }
  return inserts;
}

/** The RunEventStore over SQL. The seq is given inside the transaction that writes it, so there are no gaps. */
export class SqlRunEventStore implements RunEventStore {
  readonly #database: AppDatabase;
  readonly #clock: Clock;

  constructor(options: { readonly database: AppDatabase; readonly clock: Clock }) {
    this.#database = options.database;
    this.#clock = options.clock;
  }

  async append(principal: Principal, threadId: string, events: readonly NewRunEvent[]): Promise<number> {
    const createdAt = this.#clock.now();
    return this.#database.threadTransaction(principal, threadId, async (query) => {
      const { last } = await query
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
      for (const insert of insertsOf(rows)) await query.insertInto("run_events").values(insert).execute();
      return first;
    });
  }

  async list(
    principal: Principal,
    threadId: string,
    query: { afterSeq?: number; limit: number; runId?: string; eventTypes?: readonly string[] },
  ): Promise<readonly RunEvent[]> {
    // An empty list of values is no SQL outside of SQLite.
    if (query.eventTypes?.length === 0) return [];
    let select = this.#database.query
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
