/** Brings a SQLite database to the newest schema, once, whoever else opens it at the same moment. */
import { Kysely } from "kysely";
import { DeerflowError } from "../../base/errors.js";
import { MIGRATIONS, SCHEMA_VERSION } from "../migrations/migrations.js";
import type { SqliteConnection } from "./sqlite-connection.js";
import { sqliteDialect } from "./sqlite-dialect.js";

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
  if (versionOf(connection) === SCHEMA_VERSION) return;
  const database = new Kysely<unknown>({ dialect: sqliteDialect(connection) });
  await database.transaction().execute(async (transaction) => {
    const found = versionOf(connection);
    if (found > SCHEMA_VERSION) {
      throw new DeerflowError("database_newer", {
        path: connection.path,
        found,
        known: SCHEMA_VERSION,
      });
    }
    if (found === SCHEMA_VERSION) return;
    for (const migration of MIGRATIONS.filter(({ version }) => version > found))
      await migration.up(transaction, "sqlite");
    connection.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}
