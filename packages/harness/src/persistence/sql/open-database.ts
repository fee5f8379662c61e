/** Opens a database of any kind and brings it to the newest schema. */
import { openMysql } from "../mysql/open-mysql.js";
import { openPostgres } from "../postgres/open-postgres.js";
import { openSqlite } from "../sqlite/open-sqlite.js";
import { IN_MEMORY } from "../sqlite/sqlite-connection.js";
import { sqliteDatabase } from "../sqlite/sqlite-database.js";
import type { SqlDatabase } from "./contract.js";
import type { DatabaseLocation } from "./database-location.js";

/** @throws DeerflowError `database_*` */
export async function openDatabase(location: DatabaseLocation): Promise<SqlDatabase> {
  switch (location.backend) {
    case "memory":
      return sqliteDatabase(await openSqlite(IN_MEMORY));
    case "sqlite":
      return sqliteDatabase(await openSqlite(location.path));
    case "postgres":
      return openPostgres(location);
    case "mysql":
      return openMysql(location);
  }
}
