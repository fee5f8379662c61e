/** The rows of checkpoints in SQLite. */
import type {
  CheckpointDatabase,
  CheckpointListQuery,
  CheckpointRow,
  CheckpointRows,
  ListedCheckpointRow,
  MessageRow,
  ThreadRow,
  ValueRow,
  WriteRow,
} from "../checkpoint/checkpoint-rows.js";
import type { SqliteConnection } from "./sqlite-connection.js";
import type { SqlRow } from "./sqlite-values.js";

/** The columns' types are those of the CREATE TABLE beside them; SQLite hands them out unchecked. */
const text = (row: SqlRow, column: string): string => row[column] as string;
const integer = (row: SqlRow, column: string): number => row[column] as number;
const bytes = (row: SqlRow, column: string): Uint8Array => row[column] as Uint8Array;

const toCheckpoint = (row: SqlRow): CheckpointRow => ({
  ns: text(row, "ns"),
  id: text(row, "checkpoint_id"),
  parentId: row["parent_id"] === null ? undefined : text(row, "parent_id"),
  format: integer(row, "format"),
  channels: text(row, "channels"),
  body: bytes(row, "body"),
  metadata: bytes(row, "metadata"),
});

/** A condition of `list`, with its values, for each part of the query that is set. */
function listConditions(query: CheckpointListQuery): { sql: string; values: unknown[] }[] {
  const { scope, threadId, ns, id, beforeId, after } = query;
  return [
    { sql: "t.scope = ?", values: [scope] },
    ...(threadId === undefined ? [] : [{ sql: "t.thread_id = ?", values: [threadId] }]),
    ...(ns === undefined ? [] : [{ sql: "c.ns = ?", values: [ns] }]),
    ...(id === undefined ? [] : [{ sql: "c.checkpoint_id = ?", values: [id] }]),
    ...(beforeId === undefined ? [] : [{ sql: "c.checkpoint_id < ?", values: [beforeId] }]),
    ...(after === undefined
      ? []
      : [
          {
            sql: "(c.checkpoint_id, c.thread_key, c.ns) < (?, ?, ?)",
            values: [after.id, after.threadKey, after.ns],
          },
        ]),
  ];
}

class SqliteCheckpointRows implements CheckpointRows {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async findThread(scope: string, threadId: string): Promise<ThreadRow | undefined> {
    const sql = "SELECT thread_key, next_message FROM checkpoint_threads WHERE scope = ? AND thread_id = ?";
    const row = this.#connection.first(sql, [scope, threadId]);
    return row && { key: integer(row, "thread_key"), nextMessage: integer(row, "next_message") };
  }

  async addThread(scope: string, threadId: string): Promise<ThreadRow> {
    const sql = "INSERT INTO checkpoint_threads (scope, thread_id, next_message) VALUES (?, ?, 1)";
    const { lastInsertRowid } = this.#connection.run(sql, [scope, threadId]);
    return { key: Number(lastInsertRowid), nextMessage: 1 };
  }

  async removeThread(scope: string, threadId: string): Promise<void> {
    this.#connection.run("DELETE FROM checkpoint_threads WHERE scope = ? AND thread_id = ?", [
      scope,
      threadId,
    ]);
  }

  async setNextMessage(threadKey: number, nextMessage: number): Promise<void> {
    const sql = "UPDATE checkpoint_threads SET next_message = ? WHERE thread_key = ?";
    this.#connection.run(sql, [nextMessage, threadKey]);
  }

  async findCheckpoint(
    threadKey: number,
    ns: string,
    id: string | undefined,
  ): Promise<CheckpointRow | undefined> {
    const row =
      id === undefined
        ? this.#connection.first(
            "SELECT * FROM checkpoints WHERE thread_key = ? AND ns = ? ORDER BY checkpoint_id DESC LIMIT 1",
            [threadKey, ns],
          )
        : this.#connection.first(
            "SELECT * FROM checkpoints WHERE thread_key = ? AND ns = ? AND checkpoint_id = ?",
            [threadKey, ns, id],
          );
    return row && toCheckpoint(row);
  }

  async listCheckpoints(query: CheckpointListQuery): Promise<readonly ListedCheckpointRow[]> {
    const conditions = listConditions(query);
    const sql = `SELECT c.*, t.thread_id FROM checkpoint_threads t JOIN checkpoints c USING (thread_key)
      WHERE ${conditions.map((condition) => condition.sql).join(" AND ")}
      ORDER BY c.checkpoint_id DESC, c.thread_key DESC, c.ns DESC LIMIT ?`;
    const values = conditions.flatMap((condition) => condition.values);
    return this.#connection.all(sql, [...values, query.limit]).map((row) => ({
      ...toCheckpoint(row),
      threadKey: integer(row, "thread_key"),
      threadId: text(row, "thread_id"),
    }));
  }

  async putCheckpoint(threadKey: number, row: CheckpointRow): Promise<void> {
    const sql = `INSERT OR REPLACE INTO checkpoints
      (thread_key, ns, checkpoint_id, parent_id, format, channels, body, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
    const { ns, id, parentId, format, channels, body, metadata } = row;
    this.#connection.run(sql, [threadKey, ns, id, parentId ?? null, format, channels, body, metadata]);
  }

  async findValues(
    threadKey: number,
    key: Pick<ValueRow, "ns" | "channel" | "version">,
  ): Promise<readonly ValueRow[]> {
    const sql = `SELECT branch, refs, data FROM checkpoint_values
      WHERE thread_key = ? AND ns = ? AND channel = ? AND version = ? ORDER BY branch`;
    const { ns, channel, version } = key;
    return this.#connection.all(sql, [threadKey, ns, channel, version]).map((row) => ({
      ns,
      channel,
      version,
      branch: integer(row, "branch"),
      refs: text(row, "refs"),
      data: bytes(row, "data"),
    }));
  }

  async addValue(threadKey: number, row: ValueRow): Promise<void> {
    const sql = `INSERT INTO checkpoint_values (thread_key, ns, channel, version, branch, refs, data)
      VALUES (?, ?, ?, ?, ?, ?, ?)`;
    const { ns, channel, version, branch, refs, data } = row;
    this.#connection.run(sql, [threadKey, ns, channel, version, branch, refs, data]);
  }

  async findWrites(threadKey: number, ns: string, checkpointId: string): Promise<readonly WriteRow[]> {
    const sql = `SELECT task_id, idx, task_path, channel, refs, data FROM checkpoint_writes
      WHERE thread_key = ? AND ns = ? AND checkpoint_id = ?`;
    return this.#connection.all(sql, [threadKey, ns, checkpointId]).map((row) => ({
      ns,
      checkpointId,
      taskId: text(row, "task_id"),
      index: integer(row, "idx"),
      taskPath: text(row, "task_path"),
      channel: text(row, "channel"),
      refs: text(row, "refs"),
      data: bytes(row, "data"),
    }));
  }

  async addWrite(threadKey: number, row: WriteRow): Promise<void> {
    const sql = `INSERT OR ${row.index < 0 ? "REPLACE" : "IGNORE"} INTO checkpoint_writes
      (thread_key, ns, checkpoint_id, task_id, idx, task_path, channel, refs, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    const { ns, checkpointId, taskId, index, taskPath, channel, refs, data } = row;
    this.#connection.run(sql, [threadKey, ns, checkpointId, taskId, index, taskPath, channel, refs, data]);
  }

  async findMessageByHash(threadKey: number, hash: Uint8Array): Promise<number | undefined> {
    const sql = "SELECT seq FROM checkpoint_messages WHERE thread_key = ? AND hash = ?";
    const row = this.#connection.first(sql, [threadKey, hash]);
    return row && integer(row, "seq");
  }

  async addMessage(threadKey: number, row: MessageRow & { readonly hash: Uint8Array }): Promise<void> {
    const sql = "INSERT INTO checkpoint_messages (thread_key, seq, hash, data) VALUES (?, ?, ?, ?)";
    this.#connection.run(sql, [threadKey, row.seq, row.hash, row.data]);
  }

  async findMessages(threadKey: number, first: number, last: number): Promise<readonly MessageRow[]> {
    const sql = "SELECT seq, data FROM checkpoint_messages WHERE thread_key = ? AND seq BETWEEN ? AND ?";
    return this.#connection
      .all(sql, [threadKey, first, last])
      .map((row) => ({ seq: integer(row, "seq"), data: bytes(row, "data") }));
  }
}

/** The checkpoints of one SQLite database. */
export function sqliteCheckpointDatabase(connection: SqliteConnection): CheckpointDatabase {
  const rows = new SqliteCheckpointRows(connection);
  return {
    name: connection.path,
    read: (work) => connection.read(() => work(rows)),
    write: (work) => connection.write(() => work(rows)),
  };
}
