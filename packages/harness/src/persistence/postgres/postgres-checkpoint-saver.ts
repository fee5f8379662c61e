/** LangGraph checkpoints in a schema of a PostgreSQL database. */
import { DatabaseCheckpointSaver } from "../checkpoint/database-checkpoint-saver.js";
import type { CheckpointSaverOptions } from "../checkpoint/interning-checkpoint-saver.js";
import { openPostgres } from "./open-postgres.js";
import { parsePostgresAddress } from "./postgres-address.js";

export interface PostgresCheckpointSaverOptions extends Partial<CheckpointSaverOptions> {
  /** The schema that holds the tables; made when absent. `public` by default. */
  readonly schema?: string;
}

/**
 * A saver for any LangGraph.js graph.
 *
 * @example
 * const checkpointer = PostgresCheckpointSaver.fromConnString("postgres://me:secret@127.0.0.1:5432/mine", { schema: "deerflow" });
 * const graph = builder.compile({ checkpointer });
 */
export class PostgresCheckpointSaver extends DatabaseCheckpointSaver {
  /**
   * A saver with a database of its own, opened at first use. LangGraph's own saver has tables of the same names: where
   * it was used, name a schema.
   *
   * @throws DeerflowError `database_address_invalid`; from the first use: see `openPostgres`
   */
  static fromConnString(
    url: string,
    { schema, ...options }: PostgresCheckpointSaverOptions = {},
  ): PostgresCheckpointSaver {
    const location = { backend: "postgres", url, ...(schema === undefined ? {} : { schema }) } as const;
    const { name } = parsePostgresAddress(url);
    return new PostgresCheckpointSaver(
      { name, open: () => openPostgres(location) },
      { scope: "local", ...options },
    );
  }
}
