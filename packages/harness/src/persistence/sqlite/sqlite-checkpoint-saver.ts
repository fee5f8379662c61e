/** LangGraph checkpoints in one SQLite file. */
import { DatabaseCheckpointSaver } from "../checkpoint/database-checkpoint-saver.js";
import type { CheckpointSaverOptions } from "../checkpoint/interning-checkpoint-saver.js";
import { openSqlite } from "./open-sqlite.js";
import { sqliteDatabase } from "./sqlite-database.js";

/**
 * A saver for any LangGraph.js graph.
 *
 * @example
 * const checkpointer = SqliteCheckpointSaver.fromPath("conversations.db");
 * const graph = builder.compile({ checkpointer });
 */
export class SqliteCheckpointSaver extends DatabaseCheckpointSaver {
  /**
   * A saver with a database of its own, opened or created at first use; `:memory:` keeps it in this process.
   *
   * @throws DeerflowError from the first use: see `openSqlite`
   */
  static fromPath(path: string, options: Partial<CheckpointSaverOptions> = {}): SqliteCheckpointSaver {
    const open = async () => sqliteDatabase(await openSqlite(path));
    return new SqliteCheckpointSaver({ name: path, open }, { scope: "local", ...options });
  }
}
