/** Opens everything durable in one database. */
import { Kysely } from "kysely";
import { type Clock, systemClock } from "../base/clock.js";
import type { Principal } from "../context/principal.js";
import type { Persistence } from "./contract.js";
import type { AppSchema } from "./schema.js";
import { openSqlite } from "./sqlite/open-sqlite.js";
import { SqliteCheckpointSaver } from "./sqlite/sqlite-checkpoint-saver.js";
import { IN_MEMORY } from "./sqlite/sqlite-connection.js";
import { sqliteDialect } from "./sqlite/sqlite-dialect.js";
import { sqliteMetadataEquals } from "./sqlite/sqlite-metadata-equals.js";
import { SqlRunEventStore } from "./stores/run-event-store.js";
import { SqlRunStore } from "./stores/run-store.js";
import { SqlThreadStore } from "./stores/thread-store.js";

/** Which database, and where. `memory` is the same database in this process only: gone when it ends. */
export type PersistenceLocation =
  | { readonly backend: "sqlite"; readonly path: string }
  | { readonly backend: "memory" };

export type PersistenceOptions = PersistenceLocation & { readonly clock?: Clock };

/**
 * Opens the database, creates or migrates it, and hands out its stores.
 *
 * @example const persistence = await openPersistence({ backend: "sqlite", path: "/home/me/.deer-flow/deerflow.db" });
 * @throws DeerflowError `home_not_writable`, `database_unreadable`, `database_foreign`, `database_newer`,
 *   `database_damaged`, `database_busy`
 */
export async function openPersistence(options: PersistenceOptions): Promise<Persistence> {
  const clock = options.clock ?? systemClock;
  const connection = await openSqlite(options.backend === "memory" ? IN_MEMORY : options.path);
  const database = new Kysely<AppSchema>({ dialect: sqliteDialect(connection) });
  const checkpointers = new Map<string, SqliteCheckpointSaver>();
  return {
    threads: new SqlThreadStore({ database, clock, metadataEquals: sqliteMetadataEquals }),
    runs: new SqlRunStore({ database, clock }),
    events: new SqlRunEventStore({ database, clock }),
    checkpointer({ tenantId }: Principal) {
      // One a tenant, so that concurrent runs share their commits.
      const known = checkpointers.get(tenantId) ?? new SqliteCheckpointSaver(connection, { scope: tenantId });
      checkpointers.set(tenantId, known);
      return known;
    },
    description: options.backend === "memory" ? "memory (lost when the program ends)" : connection.path,
    async close() {
      for (const checkpointer of checkpointers.values()) await checkpointer.close();
      await connection.close();
    },
  };
}
