/** LangGraph checkpoints in one SQLite file. */
import {
  type CheckpointSaverOptions,
  InterningCheckpointSaver,
} from "../checkpoint/interning-checkpoint-saver.js";
import { openSqlite } from "./open-sqlite.js";
import { sqliteCheckpointDatabase } from "./sqlite-checkpoint-rows.js";
import type { SqliteConnection } from "./sqlite-connection.js";

/** Where the connection comes from, and whether it ends with the saver. */
interface Source {
  readonly path: string;
  connect(): Promise<SqliteConnection>;
  disconnect(): Promise<void>;
}

function ownedSource(path: string): Source {
  let connection: Promise<SqliteConnection> | undefined;
  return {
    path,
    connect: () => {
      connection ??= openSqlite(path);
      return connection;
    },
    disconnect: async () => (await connection)?.close(),
  };
}

const borrowedSource = (connection: SqliteConnection): Source => ({
  path: connection.path,
  connect: async () => connection,
  disconnect: async () => undefined,
});

/**
 * A saver for any LangGraph.js graph.
 *
 * @example
 * const checkpointer = SqliteCheckpointSaver.fromPath("conversations.db");
 * const graph = builder.compile({ checkpointer });
 */
export class SqliteCheckpointSaver extends InterningCheckpointSaver {
  readonly #source: Source;

  /** @param connection - a database that `openSqlite` opened; it stays open when the saver is closed */
  constructor(connection: SqliteConnection | Source, options: CheckpointSaverOptions) {
    const source = "connect" in connection ? connection : borrowedSource(connection);
    super(
      {
        name: source.path,
        read: async (work) => sqliteCheckpointDatabase(await source.connect()).read(work),
        write: async (work) => sqliteCheckpointDatabase(await source.connect()).write(work),
      },
      options,
    );
    this.#source = source;
  }

  /**
   * A saver with a database of its own, opened or created at first use; `:memory:` keeps it in this process.
   *
   * @throws DeerflowError from the first use: see `openSqlite`
   */
  static fromPath(path: string, options: Partial<CheckpointSaverOptions> = {}): SqliteCheckpointSaver {
    return new SqliteCheckpointSaver(ownedSource(path), { scope: "local", ...options });
  }

  /** Opens the database now, so that its errors come now. Calling it is optional, and twice is once. */
  async setup(): Promise<void> {
    await this.#source.connect();
  }

  /** Waits for what is being written; closes the database if `fromPath` opened it. */
  async close(): Promise<void> {
    await this.settled();
    await this.#source.disconnect();
  }
}
