/** From a URL to a database that is ours and has the newest schema. */
import { setTimeout as sleep } from "node:timers/promises";
import { DeerflowError, reasonOf } from "../../base/errors.js";
import type { SqlDatabase } from "../sql/contract.js";
import type { DatabaseLocation } from "../sql/database-location.js";
import type { Sleep } from "../sql/retries.js";
import { type MysqlAddress, parseMysqlAddress } from "./mysql-address.js";
import { type MysqlConnection, MysqlConnections } from "./mysql-connection.js";
import { mysqlDatabase } from "./mysql-database.js";
import { migrateMysql } from "./mysql-migrations.js";

export interface OpenMysqlOptions {
  /** For the pauses between tries; a real sleep by default. */
  readonly sleep?: Sleep;
}

const isMissing = (error: unknown): boolean =>
  DeerflowError.is(error) &&
  error.cause instanceof Error &&
  "code" in error.cause &&
  error.cause.code === "ER_BAD_DB_ERROR";

const quoted = (identifier: string): string => `\`${identifier.replaceAll("`", "``")}\``;

async function createDatabase(address: MysqlAddress): Promise<void> {
  const connections = await MysqlConnections.to(address, undefined);
  try {
    const connection = await connections.acquire();
    try {
      await connection.execute(
        `CREATE DATABASE IF NOT EXISTS ${quoted(address.database)} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
      );
    } finally {
      connection.release();
    }
  } catch (error) {
    if (!DeerflowError.is(error) || error.code !== "database_login_failed") throw error;
    const cause = error.cause;
    const reason = `there is no such database, and this user may not make it: ${reasonOf(cause)}`;
    throw new DeerflowError("database_login_failed", { path: address.name, reason }, cause);
  } finally {
    await connections.close();
  }
}

async function firstConnection(
  connections: MysqlConnections,
  address: MysqlAddress,
): Promise<MysqlConnection> {
  try {
    return await connections.acquire();
  } catch (error) {
    if (!isMissing(error)) throw error;
    await createDatabase(address);
    return connections.acquire();
  }
}

/**
 * Opens the database that the URL names, or makes it where the user may.
 *
 * @throws DeerflowError `database_address_invalid`, `database_unreachable`, `database_login_failed`,
 *   `database_forbidden`, `database_foreign`, `database_newer`, `database_busy`, `database_read_only`, `database_full`
 */
export async function openMysql(
  location: Extract<DatabaseLocation, { backend: "mysql" }>,
  options: OpenMysqlOptions = {},
): Promise<SqlDatabase> {
  const address = parseMysqlAddress(location.url);
  const connections = await MysqlConnections.to(address, address.database);
  try {
    const connection = await firstConnection(connections, address);
    try {
      await migrateMysql({ connection, database: address.database, name: address.name });
    } finally {
      connection.release();
    }
  } catch (error) {
    await connections.close();
    throw error;
  }
  return mysqlDatabase(connections, options.sleep ?? sleep);
}
