/** From a URL to a database that is ours and has the newest schema. */
import { setTimeout as sleep } from "node:timers/promises";
import type { SqlDatabase } from "../sql/contract.js";
import type { DatabaseLocation } from "../sql/database-location.js";
import type { Sleep } from "../sql/retries.js";
import { parsePostgresAddress, requireSchemaName } from "./postgres-address.js";
import { PostgresConnections } from "./postgres-connection.js";
import { postgresDatabase } from "./postgres-database.js";
import { migratePostgres } from "./postgres-migrations.js";

export interface OpenPostgresOptions {
  /** For the pauses between tries; a real sleep by default. */
  readonly sleep?: Sleep;
}

const DEFAULT_SCHEMA = "public";

/**
 * Opens the database that the URL names, and makes the schema and its tables where they are absent.
 *
 * @throws DeerflowError `database_address_invalid`, `database_unreachable`, `database_login_failed`,
 *   `database_forbidden`, `database_foreign`, `database_newer`, `database_busy`, `database_read_only`, `database_full`
 */
export async function openPostgres(
  location: Extract<DatabaseLocation, { backend: "postgres" }>,
  options: OpenPostgresOptions = {},
): Promise<SqlDatabase> {
  const address = parsePostgresAddress(location.url);
  const schema = requireSchemaName(location.schema ?? DEFAULT_SCHEMA);
  const connections = await PostgresConnections.to(address, schema);
  try {
    const connection = await connections.acquire();
    try {
      await migratePostgres({ connection, schema, name: address.name });
    } finally {
      connection.release();
    }
  } catch (error) {
    await connections.close();
    throw error;
  }
  return postgresDatabase(connections, options.sleep ?? sleep);
}
