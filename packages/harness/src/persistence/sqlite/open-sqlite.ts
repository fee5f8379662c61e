/** From a path to a database that is ours and has the newest schema. */
import { resolve } from "node:path";
import { SCHEMA_VERSION } from "../migrations/migrations.js";
import { IN_MEMORY, SqliteConnection } from "./sqlite-connection.js";
import { prepareDatabaseFile } from "./sqlite-file.js";
import { migrateSqlite } from "./sqlite-migrations.js";

/**
 * Opens or creates the database at `path`; `:memory:` lives as long as the process.
 *
 * @throws DeerflowError `home_not_writable`, `database_unreadable`, `database_foreign`, `database_newer`,
 *   `database_damaged`, `database_busy`
 */
export async function openSqlite(path: string): Promise<SqliteConnection> {
  const location = path === IN_MEMORY ? path : resolve(path);
  if (location !== IN_MEMORY) prepareDatabaseFile(location, SCHEMA_VERSION);
  const connection = await SqliteConnection.open(location);
  try {
    await migrateSqlite(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return connection;
}
