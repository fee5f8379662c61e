/** Brings a SQLite database to the newest schema, once, whoever else opens it at the same moment. */
import { Kysely } from "kysely";
import { DeerflowError } from "../../base/errors.js";
import { createAppTables } from "../migrations/001-app-tables.js";
import { type Migration, newestVersion } from "../migrations/migration.js";
import { createSqliteCheckpointTables } from "../migrations/sqlite-checkpoint-tables.js";
import type { SqliteConnection } from "./sqlite-connection.js";
import { sqliteDialect } from "./sqlite-dialect.js";

const MIGRATIONS: readonly Migration[] = [
  { version: 1, title: "threads, runs and events", up: createAppTables },
  { version: 2, title: "checkpoints", up: createSqliteCheckpointTables },
];

/** The schema version that this program writes. */
export const SQLITE_SCHEMA_VERSION = newestVersion(MIGRATIONS);

const versionOf = (connection: SqliteConnection): number =>
  Number(connection.first("PRAGMA user_version")?.["user_version"]);

/**
 * Runs the migrations that the database has not seen, in one transaction: all or none. The version lies in
 * PRAGMA user_version.
 *
 * @throws DeerflowError `database_newer`
 */
export async function migrateSqlite(connection: SqliteConnection): Promise<void> {
  // Asked first without the write lock, which another process may hold.
  if (versionOf(connection) === SQLITE_SCHEMA_VERSION) return;
  const database = new Kysely<unknown>({ dialect: sqliteDialect(connection) });
  await database.transaction().execute(async (transaction) => {
    const found = versionOf(connection);
    if (found > SQLITE_SCHEMA_VERSION) {
      throw new DeerflowError("database_newer", {
        path: connection.path,
        found,
        known: SQLITE_SCHEMA_VERSION,
      });
    }
    if (found === SQLITE_SCHEMA_VERSION) return;
    for (const migration of MIGRATIONS.filter(({ version }) => version > found))
      await migration.up(transaction);
    connection.exec(`PRAGMA user_version = ${SQLITE_SCHEMA_VERSION}`);
  });
}
