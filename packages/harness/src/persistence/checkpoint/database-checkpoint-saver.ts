/** A checkpoint saver that has a database of its own. */
import { DeerflowError } from "../../base/errors.js";
import type { SqlDatabase } from "../sql/contract.js";
import { type CheckpointSaverOptions, InterningCheckpointSaver } from "./interning-checkpoint-saver.js";
import { sqlCheckpointDatabase } from "./sql-checkpoint-rows.js";

/** A database that is opened at first use. */
export interface DatabaseSource {
  /** How messages call it: a path, or an address without its password. */
  readonly name: string;
  open(): Promise<SqlDatabase>;
}

export class DatabaseCheckpointSaver extends InterningCheckpointSaver {
  readonly #connect: () => Promise<SqlDatabase>;
  #database: Promise<SqlDatabase> | undefined;
  #isClosed = false;

  constructor(source: DatabaseSource, options: CheckpointSaverOptions) {
    const connect = () => {
      if (this.#isClosed) {
        throw new DeerflowError("database_unreachable", {
          path: source.name,
          reason: "the saver was closed",
        });
      }
      this.#database ??= source.open().catch((error: unknown) => {
        // The next use tries again: the database may be back by then.
        this.#database = undefined;
        throw error;
      });
      return this.#database;
    };
    super(
      {
        name: source.name,
        read: async (work) => sqlCheckpointDatabase(await connect()).read(work),
        write: async (work) => sqlCheckpointDatabase(await connect()).write(work),
        size: async () => (await connect()).size(),
        compact: async () => (await connect()).compact(),
      },
      options,
    );
    this.#connect = connect;
  }

  /** Opens the database now, so that its errors come now. Calling it is optional, and twice is once. */
  async setup(): Promise<void> {
    await this.#connect();
  }

  /** Waits for what is being written, and closes the database: the saver cannot be used any more. */
  async close(): Promise<void> {
    await this.settled();
    this.#isClosed = true;
    await (await this.#database)?.close();
  }
}
