/** The rows of checkpoints in any SQL database: few statements, each for many rows. */
import { DeerflowError } from "../../base/errors.js";
import type { SqlBackend, SqlDatabase, SqlSession, SqlValue } from "../sql/contract.js";
import type {
  CheckpointDatabase,
  CheckpointKey,
  CheckpointListQuery,
  CheckpointRow,
  CheckpointRows,
  HeadOf,
  ListedCheckpointRow,
  ListedThreadRow,
  NumberRanges,
  RunFence,
  TableSize,
  ThreadAdditions,
  ThreadCounters,
  ThreadRow,
  ThreadTable,
  ThreadTables,
  WriteRow,
} from "./checkpoint-rows.js";
import { hashToText } from "./part.js";
import { chunksOf, insertInto, type Placement } from "./sql-inserts.js";
import { integer, TABLES, text, toListed, toThread } from "./sql-tables.js";

/** Conditions of one statement, at most: far below what every database takes. */
const CONDITIONS = 200;
const LOCK_ATTEMPTS = 10;
const TABLE_NAMES: readonly ThreadTable[] = ["parts", "messages", "values", "checkpoints", "writes"];

/** A condition of a query, with its parameters. */
interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

const anyOf = (conditions: readonly Condition[]): Condition => ({
  sql: conditions.map(({ sql }) => sql).join(" OR "),
  parameters: conditions.flatMap(({ parameters }) => parameters),
});

/** The conditions of `list` that are asked for. */
function listConditions(query: CheckpointListQuery): readonly Condition[] {
  const { scope, threadId, ns, id, beforeId, after } = query;
  const when = (sql: string, ...parameters: readonly (SqlValue | undefined)[]): Condition[] =>
    parameters.some((value) => value === undefined)
      ? []
      : [{ sql, parameters: parameters as readonly SqlValue[] }];
  return [
    ...when("t.scope = ?", scope),
    ...when("t.thread_id = ?", threadId),
    ...when("c.ns = ?", ns),
    ...when("c.checkpoint_id = ?", id),
    ...when("c.checkpoint_id < ?", beforeId),
    ...when(
      "(c.checkpoint_id < ? OR (c.checkpoint_id = ? AND (c.thread_key < ? OR (c.thread_key = ? AND c.ns < ?))))",
      after?.id,
      after?.id,
      after?.threadKey,
      after?.threadKey,
      after?.ns,
    ),
  ];
}

class SqlCheckpointRows implements CheckpointRows {
  readonly #session: SqlSession;
  readonly #backend: SqlBackend;
  readonly #name: string;

  constructor(session: SqlSession, { backend, name }: SqlDatabase) {
    this.#session = session;
    this.#backend = backend;
    this.#name = name;
  }

  async findThread(scope: string, threadId: string): Promise<ThreadRow | undefined> {
    const [row] = await this.#session.all(
      "SELECT * FROM checkpoint_threads WHERE scope = ? AND thread_id = ?",
      [scope, threadId],
    );
    return row && toThread(row);
  }

  async listThreads(query: {
    readonly scope?: string | undefined;
    readonly afterKey?: number | undefined;
    readonly limit: number;
  }): Promise<readonly ListedThreadRow[]> {
    const ofScope = query.scope === undefined ? "" : "scope = ? AND ";
    const rows = await this.#session.all(
      `SELECT * FROM checkpoint_threads WHERE ${ofScope}thread_key > ? ORDER BY thread_key LIMIT ${Number(query.limit)}`,
      [...(query.scope === undefined ? [] : [query.scope]), query.afterKey ?? 0],
    );
    return rows.map((row) => ({
      ...toThread(row),
      scope: text(row, "scope"),
      threadId: text(row, "thread_id"),
    }));
  }

  async lockThreads(scope: string, threadIds: readonly string[]): Promise<readonly ThreadRow[]> {
    const found = new Map<string, ThreadRow>();
    await this.#lockInto(found, scope, threadIds);
    for (let attempt = 0; found.size < new Set(threadIds).size; attempt += 1) {
      // Another program may remove a thread between its making and its locking.
      if (attempt === LOCK_ATTEMPTS)
        throw new DeerflowError("database_busy", { path: this.#name, seconds: 0 });
      const absent = threadIds.filter((threadId) => !found.has(threadId));
      for (const threadId of absent) await this.#addThread(scope, threadId);
      await this.#lockInto(found, scope, absent);
    }
    return threadIds.flatMap((threadId) => found.get(threadId) ?? []);
  }

  async removeThread(scope: string, threadId: string): Promise<boolean> {
    const thread = await this.findThread(scope, threadId);
    if (thread === undefined) return false;
    for (const table of TABLE_NAMES) {
      await this.#session.run(`DELETE FROM ${TABLES[table].name} WHERE thread_key = ?`, [thread.key]);
    }
    await this.#session.run("DELETE FROM checkpoint_threads WHERE thread_key = ?", [thread.key]);
    return true;
  }

  async setCounters(threadKey: number, counters: ThreadCounters): Promise<void> {
    const { nextMessage, nextValue, nextPart, generation } = counters;
    await this.#session.run(
      `UPDATE checkpoint_threads SET next_message = ?, next_value = ?, next_part = ?, generation = ?
        WHERE thread_key = ?`,
      [nextMessage, nextValue, nextPart, generation, threadKey],
    );
  }

  async findStale(scope: string, fences: readonly RunFence[]): Promise<readonly RunFence[]> {
    const runs = anyOf(
      fences.map(({ threadId, runId }) => ({
        sql: "(tenant_id = ? AND thread_id = ? AND run_id = ?)",
        parameters: [scope, threadId, runId],
      })),
    );
    // Shared, so that a takeover waits for this transaction and this one for a takeover.
    const shared = { sqlite: "", postgres: " FOR SHARE", mysql: " LOCK IN SHARE MODE" }[this.#backend];
    const rows = await this.#session.all(
      `SELECT run_id, epoch, status FROM runs WHERE ${runs.sql}${shared}`,
      runs.parameters,
    );
    const isCurrent = (fence: RunFence) =>
      rows.some(
        (row) =>
          text(row, "run_id") === fence.runId &&
          integer(row, "epoch") === fence.epoch &&
          text(row, "status") === "running",
      );
    return fences.filter((fence) => !isCurrent(fence));
  }

  async findCheckpoint(
    threadKey: number,
    ns: string,
    id: string | undefined,
  ): Promise<CheckpointRow | undefined> {
    const byId = id === undefined ? "ORDER BY checkpoint_id DESC LIMIT 1" : "AND checkpoint_id = ?";
    const [row] = await this.#session.all(
      `SELECT * FROM checkpoints WHERE thread_key = ? AND ns = ? ${byId}`,
      id === undefined ? [threadKey, ns] : [threadKey, ns, id],
    );
    return row && TABLES.checkpoints.fromRow(row);
  }

  async recentCheckpoints(
    threadKey: number,
    ns: string,
    page: { readonly beforeId: string | undefined; readonly limit: number },
  ): Promise<readonly CheckpointRow[]> {
    const below = page.beforeId === undefined ? "" : "AND checkpoint_id < ?";
    const rows = await this.#session.all(
      `SELECT * FROM checkpoints WHERE thread_key = ? AND ns = ? ${below}
        ORDER BY checkpoint_id DESC LIMIT ${Number(page.limit)}`,
      [threadKey, ns, ...(page.beforeId === undefined ? [] : [page.beforeId])],
    );
    return rows.map(TABLES.checkpoints.fromRow);
  }

  async listCheckpoints(query: CheckpointListQuery): Promise<readonly ListedCheckpointRow[]> {
    const conditions = listConditions(query);
    const rows = await this.#session.all(
      `SELECT c.*, t.thread_id, t.generation FROM checkpoint_threads t
        JOIN checkpoints c ON c.thread_key = t.thread_key
        WHERE ${conditions.map(({ sql }) => sql).join(" AND ")}
        ORDER BY c.checkpoint_id DESC, c.thread_key DESC, c.ns DESC LIMIT ${Number(query.limit)}`,
      conditions.flatMap(({ parameters }) => parameters),
    );
    return rows.map(toListed);
  }

  async findWrites(threadKey: number, checkpoints: readonly CheckpointKey[]): Promise<readonly WriteRow[]> {
    const found: WriteRow[] = [];
    for (const some of chunksOf(checkpoints, CONDITIONS)) {
      const { sql, parameters } = ofCheckpoints(some);
      const rows = await this.#session.all(
        `SELECT * FROM checkpoint_writes WHERE thread_key = ? AND (${sql})`,
        [threadKey, ...parameters],
      );
      found.push(...rows.map(TABLES.writes.fromRow));
    }
    return found;
  }

  async findNumbered<T extends "values" | "messages" | "parts">(
    table: T,
    threadKey: number,
    ranges: NumberRanges,
  ): Promise<readonly ThreadTables[T][]> {
    const found: ThreadTables[T][] = [];
    for (const { sql, parameters } of numberedBy(ranges)) {
      const rows = await this.#session.all(
        `SELECT * FROM ${TABLES[table].name} WHERE thread_key = ? AND (${sql})`,
        [threadKey, ...parameters],
      );
      for (const row of rows) found.push(TABLES[table].fromRow(row));
    }
    return found;
  }

  async findHashes(
    table: "messages" | "parts",
    threadKey: number,
    {
      hashes,
      numbers = [],
    }: { readonly hashes: readonly Uint8Array[]; readonly numbers?: readonly number[] },
  ): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    const wanted = [
      ...hashes.map((hash) => ({ sql: "hash = ?", parameters: [hash] })),
      ...numbers.map((number) => ({ sql: "number = ?", parameters: [number] })),
    ];
    for (const some of chunksOf(wanted, CONDITIONS)) {
      const { sql, parameters } = anyOf(some);
      const rows = await this.#session.all(
        `SELECT number, hash FROM ${TABLES[table].name} WHERE thread_key = ? AND (${sql})`,
        [threadKey, ...parameters],
      );
      // A column of its table is a blob.
      for (const row of rows) found.set(hashToText(row["hash"] as Uint8Array), integer(row, "number"));
    }
    return found;
  }

  async add(threadKey: number, additions: ThreadAdditions, taken: "keep" | "refuse" = "keep"): Promise<void> {
    const special = additions.writes.filter(({ index }) => index < 0);
    const ordinary = additions.writes.filter(({ index }) => index >= 0);
    // Given together: a connection that can sends them without waiting for the answers in between.
    await Promise.all([
      this.#insert("parts", threadKey, { rows: additions.parts, placement: taken }),
      this.#insert("messages", threadKey, { rows: additions.messages, placement: taken }),
      this.#insert("values", threadKey, { rows: additions.values, placement: taken }),
      this.#insert("checkpoints", threadKey, { rows: additions.checkpoints, placement: "replace" }),
      this.#insert("writes", threadKey, { rows: ordinary, placement: "keep" }),
      this.#insert("writes", threadKey, { rows: special, placement: "replace" }),
    ]);
  }

  async sizes(threadKey: number): Promise<{ readonly [T in ThreadTable]: TableSize }> {
    const sizeOf = async (table: ThreadTable): Promise<TableSize> => {
      const { name, columns } = TABLES[table];
      const bytes = columns
        .filter(({ kind }) => kind !== "integer")
        .map((column) => `coalesce(octet_length(${column.name}), 0)`)
        .join(" + ");
      const [row] = await this.#session.all(
        `SELECT count(*) AS n, coalesce(sum(${bytes}), 0) AS bytes FROM ${name} WHERE thread_key = ?`,
        [threadKey],
      );
      return { rows: Number(row?.["n"]), bytes: Number(row?.["bytes"]) };
    };
    const [parts, messages, values, checkpoints, writes] = [
      await sizeOf("parts"),
      await sizeOf("messages"),
      await sizeOf("values"),
      await sizeOf("checkpoints"),
      await sizeOf("writes"),
    ];
    return { parts, messages, values, checkpoints, writes };
  }

  async heads<T extends ThreadTable>(
    table: T,
    threadKey: number,
  ): Promise<readonly HeadOf<ThreadTables[T]>[]> {
    const { name, columns, key } = TABLES[table];
    const data = columns.filter(({ isData }) => isData).map((column) => column.name);
    const others = columns.filter(({ isData }) => !isData).map((column) => column.name);
    const rows = await this.#session.all(
      `SELECT ${others.join(", ")}, ${data.map((column) => `octet_length(${column})`).join(" + ")} AS bytes
        FROM ${name} WHERE thread_key = ? ORDER BY ${key.join(", ")}`,
      [threadKey],
    );
    return rows.map((row) => TABLES[table].headFromRow(row));
  }

  async page<T extends ThreadTable>(
    table: T,
    threadKey: number,
    page: { readonly after: ThreadTables[T] | undefined; readonly limit: number },
  ): Promise<readonly ThreadTables[T][]> {
    const { name, key, keyOf } = TABLES[table];
    const after = page.after === undefined ? undefined : afterKey(key, keyOf(page.after));
    const rows = await this.#session.all(
      `SELECT * FROM ${name} WHERE thread_key = ?${after === undefined ? "" : ` AND (${after.sql})`}
        ORDER BY ${key.join(", ")} LIMIT ${Number(page.limit)}`,
      [threadKey, ...(after?.parameters ?? [])],
    );
    return rows.map((row) => TABLES[table].fromRow(row));
  }

  async removeCheckpoints(threadKey: number, keys: readonly CheckpointKey[]): Promise<void> {
    await this.removeWrites(threadKey, keys);
    for (const some of chunksOf(keys, CONDITIONS)) {
      const { sql, parameters } = ofCheckpoints(some);
      await this.#session.run(`DELETE FROM checkpoints WHERE thread_key = ? AND (${sql})`, [
        threadKey,
        ...parameters,
      ]);
    }
  }

  async removeWrites(threadKey: number, checkpoints: readonly CheckpointKey[]): Promise<void> {
    for (const some of chunksOf(checkpoints, CONDITIONS)) {
      const { sql, parameters } = ofCheckpoints(some);
      await this.#session.run(`DELETE FROM checkpoint_writes WHERE thread_key = ? AND (${sql})`, [
        threadKey,
        ...parameters,
      ]);
    }
  }

  async removeNumbered(
    table: "values" | "messages" | "parts",
    threadKey: number,
    ranges: NumberRanges,
  ): Promise<void> {
    for (const { sql, parameters } of numberedBy(ranges)) {
      await this.#session.run(`DELETE FROM ${TABLES[table].name} WHERE thread_key = ? AND (${sql})`, [
        threadKey,
        ...parameters,
      ]);
    }
  }

  async #lockInto(found: Map<string, ThreadRow>, scope: string, threadIds: readonly string[]): Promise<void> {
    const lock = this.#backend === "sqlite" ? "" : " FOR UPDATE";
    for (const some of chunksOf(threadIds, CONDITIONS)) {
      // In order of the ids, so that two programs cannot wait for each other.
      const rows = await this.#session.all(
        `SELECT * FROM checkpoint_threads WHERE scope = ? AND thread_id IN (${some.map(() => "?").join(", ")})
          ORDER BY thread_id${lock}`,
        [scope, ...some],
      );
      for (const row of rows) found.set(text(row, "thread_id"), toThread(row));
    }
  }

  async #addThread(scope: string, threadId: string): Promise<void> {
    const columns = "scope, thread_id, next_message, next_value, next_part, generation";
    const sql = {
      sqlite: `INSERT OR IGNORE INTO checkpoint_threads (${columns}) VALUES (?, ?, 1, 1, 1, 1)`,
      postgres: `INSERT INTO checkpoint_threads (${columns}) VALUES (?, ?, 1, 1, 1, 1) ON CONFLICT DO NOTHING`,
      mysql: `INSERT INTO checkpoint_threads (${columns}) VALUES (?, ?, 1, 1, 1, 1)
        ON DUPLICATE KEY UPDATE generation = generation`,
    }[this.#backend];
    await this.#session.run(sql, [scope, threadId]);
  }

  async #insert<T extends ThreadTable>(
    table: T,
    threadKey: number,
    { rows, placement }: { readonly rows: readonly ThreadTables[T][]; readonly placement: Placement },
  ): Promise<void> {
    if (rows.length === 0) return;
    const { name, columns, key, toValues } = TABLES[table];
    const target = {
      name,
      columns: ["thread_key", ...columns.map((column) => column.name)],
      key: ["thread_key", ...key],
    };
    const statements = insertInto(this.#backend, target, {
      rows: rows.map((row) => [threadKey, ...toValues(row)]),
      placement,
    });
    await Promise.all(statements.map(({ sql, parameters }) => this.#session.run(sql, parameters)));
  }
}

function ofCheckpoints(keys: readonly CheckpointKey[]): Condition {
  return anyOf(keys.map(({ ns, id }) => ({ sql: "(ns = ? AND checkpoint_id = ?)", parameters: [ns, id] })));
}

function numberedBy(ranges: NumberRanges): readonly Condition[] {
  const pairs = Array.from({ length: ranges.length / 2 }, (_, index) => ({
    sql: "number BETWEEN ? AND ?",
    parameters: [ranges[index * 2] ?? 0, ranges[index * 2 + 1] ?? 0],
  }));
  return chunksOf(pairs, CONDITIONS).map(anyOf);
}

/** The rows after a key: `a > ? OR (a = ? AND (b > ?))`. */
function afterKey(columns: readonly string[], values: readonly SqlValue[]): Condition {
  const [column, ...moreColumns] = columns;
  const [value = null, ...moreValues] = values;
  if (moreColumns.length === 0) return { sql: `${column} > ?`, parameters: [value] };
  const rest = afterKey(moreColumns, moreValues);
  return {
    sql: `${column} > ? OR (${column} = ? AND (${rest.sql}))`,
    parameters: [value, value, ...rest.parameters],
  };
}

/** The checkpoints of an open database. */
export const sqlCheckpointDatabase = (database: SqlDatabase): CheckpointDatabase => ({
  name: database.name,
  read: (work) => database.read((session) => work(new SqlCheckpointRows(session, database))),
  write: (work) => database.write((session) => work(new SqlCheckpointRows(session, database))),
  size: () => database.size(),
  compact: () => database.compact(),
});
