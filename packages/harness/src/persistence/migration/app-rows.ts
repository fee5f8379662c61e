/** The rows that the application has of a thread: its entry in the list, its runs and its events. */
import { createHash } from "node:crypto";
import { insertInto } from "../checkpoint/sql-inserts.js";
import type { AppSchema } from "../schema.js";
import type { SqlBackend, SqlRow, SqlSession, SqlValue } from "../sql/contract.js";
import { digestOf } from "./canonical-digest.js";
import type { ThreadAddress } from "./contract.js";
import type { Fact, ThreadFacts } from "./thread-facts.js";

type ThreadAppTable = "threads" | "runs" | "run_events";

interface AppTable<T extends ThreadAppTable> {
  /** Every column; none may be forgotten. */
  readonly columns: Readonly<Record<keyof AppSchema[T], true>>;
  /** Which rows of a thread come after which. */
  readonly order: keyof AppSchema[T] & string;
  readonly key: readonly (keyof AppSchema[T] & string)[];
}

const TABLES: { readonly [T in ThreadAppTable]: AppTable<T> } = {
  threads: {
    columns: {
      tenant_id: true,
      thread_id: true,
      user_id: true,
      status: true,
      metadata: true,
      list_values: true,
      created_at: true,
      updated_at: true,
    },
    order: "thread_id",
    key: ["tenant_id", "thread_id"],
  },
  runs: {
    columns: {
      tenant_id: true,
      thread_id: true,
      run_id: true,
      user_id: true,
      position: true,
      assistant_id: true,
      status: true,
      multitask_strategy: true,
      on_disconnect: true,
      request: true,
      metadata: true,
      owner: true,
      epoch: true,
      error: true,
      stop_reason: true,
      created_at: true,
      updated_at: true,
    },
    order: "position",
    key: ["tenant_id", "thread_id", "run_id"],
  },
  run_events: {
    columns: {
      tenant_id: true,
      thread_id: true,
      seq: true,
      user_id: true,
      run_id: true,
      event_type: true,
      content: true,
      metadata: true,
      created_at: true,
    },
    order: "seq",
    key: ["tenant_id", "thread_id", "seq"],
  },
};
const UNFINISHED: ReadonlySet<string> = new Set(["pending", "running"]);
const NAMES: readonly ThreadAppTable[] = ["threads", "runs", "run_events"];

/** Rows of one question: one may hold a whole request or the output of a tool. */
const PAGE = 100;

/** Runs one question on a side. */
export type ReadSession = <T>(work: (session: SqlSession) => Promise<T>) => Promise<T>;

async function* pagesOf(
  read: ReadSession,
  table: ThreadAppTable,
  { scope, threadId }: ThreadAddress,
): AsyncGenerator<readonly SqlRow[]> {
  const { columns, order } = TABLES[table];
  const select = `SELECT ${Object.keys(columns).join(", ")} FROM ${table} WHERE tenant_id = ? AND thread_id = ?`;
  let after: SqlValue | undefined;
  for (;;) {
    const sql = `${select}${after === undefined ? "" : ` AND ${order} > ?`} ORDER BY ${order} LIMIT ${PAGE}`;
    const parameters = [scope, threadId, ...(after === undefined ? [] : [after])];
    const rows = await read((session) => session.all(sql, parameters));
    if (rows.length > 0) yield rows;
    after = rows.at(-1)?.[order];
    if (rows.length < PAGE || after === undefined) return;
  }
}

export interface AppThread {
  readonly facts: ThreadFacts;
  /** Of every row. */
  readonly digest: string;
  readonly runs: number;
  readonly events: number;
  readonly unfinishedRuns: readonly string[];
}

/** Reads what the application has of a thread; undefined when it has nothing. */
export async function readAppThread(
  read: ReadSession,
  address: ThreadAddress,
): Promise<AppThread | undefined> {
  const facts = new Map<string, Fact>();
  const hash = createHash("sha256");
  const counts = { threads: 0, runs: 0, run_events: 0 };
  const unfinishedRuns: string[] = [];
  for await (const { table, row } of rowsOf(read, address)) {
    counts[table] += 1;
    hash.update(`${table} ${digestOf(row)}\n`);
    for (const [name, fact] of factsOfRow(table, row)) facts.set(name, fact);
    const isUnfinished = table === "runs" && UNFINISHED.has(String(row["status"]));
    if (isUnfinished) unfinishedRuns.push(String(row["run_id"]));
  }
  if (facts.size === 0) return undefined;
  return { facts, digest: hash.digest("hex"), runs: counts.runs, events: counts.run_events, unfinishedRuns };
}

async function* rowsOf(
  read: ReadSession,
  address: ThreadAddress,
): AsyncGenerator<{ readonly table: ThreadAppTable; readonly row: SqlRow }> {
  for (const table of NAMES) {
    for await (const rows of pagesOf(read, table, address)) yield* rows.map((row) => ({ table, row }));
  }
}

function factsOfRow(table: ThreadAppTable, row: SqlRow): readonly (readonly [string, Fact])[] {
  const at = Number(row["updated_at"]);
  if (table === "run_events") return [[`event ${row["seq"]}`, { digest: digestOf(row) }]];
  if (table === "runs") {
    // The request may be written again in another form without any change of state.
    const { request: _, ...state } = row;
    return [[`run ${row["run_id"]}`, { digest: digestOf(state), at }]];
  }
  return [
    ["owner of the thread", { digest: digestOf([row["user_id"], row["created_at"]]) }],
    ["entry in the list", { digest: digestOf(row), at }],
  ];
}

/**
 * Makes the rows of the target those of the source.
 *
 * @param target - in a transaction
 * @returns bytes of text that were written
 */
export async function copyAppThread(
  read: ReadSession,
  target: { readonly session: SqlSession; readonly backend: SqlBackend },
  address: ThreadAddress,
): Promise<number> {
  await removeAppThread(target.session, address);
  let bytes = 0;
  for (const table of NAMES) {
    const { columns, key } = TABLES[table];
    const place = { name: table, columns: Object.keys(columns), key };
    for await (const page of pagesOf(read, table, address)) {
      const rows = page.map((row) => place.columns.map((name) => row[name] ?? null));
      for (const { sql, parameters } of insertInto(target.backend, place, { rows, placement: "keep" })) {
        await target.session.run(sql, parameters);
      }
      bytes += bytesOf(rows.flat());
    }
  }
  return bytes;
}

const bytesOf = (values: readonly SqlValue[]): number =>
  values.reduce<number>((sum, value) => sum + (typeof value === "string" ? Buffer.byteLength(value) : 0), 0);

export async function removeAppThread(
  session: SqlSession,
  { scope, threadId }: ThreadAddress,
): Promise<void> {
  for (const table of NAMES) {
    await session.run(`DELETE FROM ${table} WHERE tenant_id = ? AND thread_id = ?`, [scope, threadId]);
  }
}

/** All threads that the application has, ascending. */
export async function listAppThreads(read: ReadSession): Promise<readonly ThreadAddress[]> {
  const rows = await read((session) =>
    session.all("SELECT tenant_id, thread_id FROM threads ORDER BY tenant_id, thread_id"),
  );
  return rows.map((row) => ({ scope: String(row["tenant_id"]), threadId: String(row["thread_id"]) }));
}
