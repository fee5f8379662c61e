/** From a path to a database that is ours and has the newest schema. */
import { existsSync } from "node:fs";
import { DeerflowError } from "../../base/errors.js";
import { SCHEMA_VERSION } from "../migrations/migrations.js";
import { IN_MEMORY, SqliteConnection } from "./sqlite-connection.js";
import { prepareDatabaseFile } from "./sqlite-file.js";
import { migrateSqlite } from "./sqlite-migrations.js";
import { sqlitePlace } from "./sqlite-path.js";

/**
 * Opens or creates the database at `place`, with the folders above it: a path, a `file:` URL, or `:memory:`, which
 * lives as long as the process.
 *
 * @throws DeerflowError `database_path_invalid`, `database_unreadable`, `database_foreign`,
 *   `database_newer`, `database_damaged`, `database_busy`
 */
export async function openSqlite(place: string): Promise<SqliteConnection> {
  const { path, create } = sqlitePlace(place);
  if (!create && !existsSync(path)) {
    throw new DeerflowError("database_unreadable", {
      path,
      reason: "it is not there, and mode=rw makes none",
    });
  }
  if (path !== IN_MEMORY) prepareDatabaseFile(path, SCHEMA_VERSION);
  const connection = await SqliteConnection.open(path);
  try {
    await migrateSqlite(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return connection;
}
