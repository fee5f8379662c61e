/**
 * Checkpoints in the first form, which only SQLite had (003 changes it). A thread has one small integer, which every other key begins with; removing its row
 * removes all that belongs to it.
 */
import { type Kysely, sql } from "kysely";
import type { SqlBackend } from "../sql/contract.js";

/**
 * Rows of more than 1,002 bytes spill to a page of their own in a table WITHOUT ROWID; those that are often that
 * long have a rowid. Refs are ranges of message numbers as JSON, `[first,last,first,last,…]`. Data is a
 * payload (checkpoint/payload.ts).
 */
const TABLES = [
  // AUTOINCREMENT: the number of a deleted thread is never given again, so nothing cached can point to another's.
  `CREATE TABLE checkpoint_threads (
    thread_key INTEGER PRIMARY KEY AUTOINCREMENT,
    scope TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    next_message INTEGER NOT NULL,
    UNIQUE (scope, thread_id)
  )`,
  `CREATE TABLE checkpoints (
    thread_key INTEGER NOT NULL REFERENCES checkpoint_threads ON DELETE CASCADE,
    ns TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL,
    parent_id TEXT,
    format INTEGER NOT NULL,
    channels TEXT NOT NULL,
    body BLOB NOT NULL,
    metadata BLOB NOT NULL,
    PRIMARY KEY (thread_key, ns, checkpoint_id)
  )`,
  // A branch tells the values of two forks apart that gave the same version to different values.
  `CREATE TABLE checkpoint_values (
    thread_key INTEGER NOT NULL REFERENCES checkpoint_threads ON DELETE CASCADE,
    ns TEXT NOT NULL,
    channel TEXT NOT NULL,
    version TEXT NOT NULL,
    branch INTEGER NOT NULL,
    refs TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (thread_key, ns, channel, version, branch)
  ) WITHOUT ROWID`,
  `CREATE TABLE checkpoint_writes (
    thread_key INTEGER NOT NULL REFERENCES checkpoint_threads ON DELETE CASCADE,
    ns TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    idx INTEGER NOT NULL,
    task_path TEXT NOT NULL,
    channel TEXT NOT NULL,
    refs TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (thread_key, ns, checkpoint_id, task_id, idx)
  ) WITHOUT ROWID`,
  `CREATE TABLE checkpoint_messages (
    thread_key INTEGER NOT NULL REFERENCES checkpoint_threads ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (thread_key, seq)
  )`,
  `CREATE UNIQUE INDEX checkpoint_messages_by_hash ON checkpoint_messages (thread_key, hash)`,
];

export async function createSqliteCheckpoints(database: Kysely<unknown>, backend: SqlBackend): Promise<void> {
  if (backend !== "sqlite") return;
  for (const table of TABLES) await sql.raw(table).execute(database);
}
