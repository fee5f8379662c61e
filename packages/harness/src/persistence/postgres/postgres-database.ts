/** Connections to PostgreSQL as a database of the stores. */
import { DeerflowError } from "../../base/errors.js";
import { OUR_TABLES } from "../migrations/migrations.js";
import type { SqlDatabase, SqlSession } from "../sql/contract.js";
import { retrying, type Sleep } from "../sql/retries.js";
import { type PostgresConnection, type PostgresConnections, quotedName } from "./postgres-connection.js";
import { postgresDialect } from "./postgres-dialect.js";
import { postgresPassingOf } from "./postgres-errors.js";

type Work<T> = (session: SqlSession) => Promise<T>;

/** A larger table is not rewritten: nobody else could use it for too long. Its free space is for rows to come. */
const LARGEST_REWRITTEN_BYTES = 2 ** 30;
/** How long a rewrite waits for others to be done with the table; all who come later wait behind it. */
const REWRITE_WAIT_MS = 5_000;
/** A vacuum takes as long as it takes. The longest that a timer counts. */
const NEVER_MS = 2 ** 31 - 1;

const OURS = `SELECT c.relname::text AS name, pg_catalog.pg_total_relation_size(c.oid) AS bytes
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ? AND c.relkind = 'r' AND c.relname IN (${OUR_TABLES.map(() => "?").join(", ")})
  ORDER BY c.relname`;

async function inTransaction<T>(connection: PostgresConnection, work: Work<T>): Promise<T> {
  try {
    connection.begin();
    const result = await work(connection);
    await connection.commit();
    return result;
  } catch (error) {
    await connection.rollback();
    throw error;
  }
}

const isBusy = (error: unknown): boolean => DeerflowError.is(error) && error.code === "database_busy";

/** Rewrites a table without its free space, or, where others do not leave it alone, makes that space usable. */
async function vacuum(connection: PostgresConnection, table: string, bytes: number): Promise<void> {
  const run = (options: string) =>
    connection.execute(`VACUUM (${options}) ${quotedName(table)}`, [], NEVER_MS);
  if (bytes > LARGEST_REWRITTEN_BYTES) {
    await run("ANALYZE");
    return;
  }
  try {
    await run("FULL, ANALYZE");
  } catch (error) {
    if (!isBusy(error)) throw error;
    await run("ANALYZE");
  }
}

/**
 * @param connections - closed together with the database
 * @param sleep - for the pauses between tries
 */
export function postgresDatabase(connections: PostgresConnections, sleep: Sleep): SqlDatabase {
  const { name, schema } = connections;

  async function turn<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const connection = await connections.acquire();
    try {
      return await work(connection);
    } finally {
      connection.release();
    }
  }

  async function patiently<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await retrying(() => turn(work), { passingOf: postgresPassingOf, sleep });
    } catch (error) {
      if (!DeerflowError.is(error) || error.code !== "database_busy") throw error;
      const seconds = Math.max(1, Math.round((performance.now() - started) / 1000));
      throw new DeerflowError("database_busy", { ...error.details, seconds }, error.cause);
    }
  }

  const tables = () =>
    patiently(async (connection) =>
      (await connection.all(OURS, [schema, ...OUR_TABLES])).map((row) => ({
        table: String(row["name"]),
        bytes: Number(row["bytes"]),
      })),
    );

  return {
    backend: "postgres",
    name,
    dialect: postgresDialect({ acquire: () => connections.acquire(), sleep }),
    read: (work) => patiently(work),
    write: (work) => patiently((connection) => inTransaction(connection, work)),
    async size() {
      return (await tables()).reduce((sum, { bytes }) => sum + bytes, 0);
    },
    async compact() {
      const found = await tables();
      await turn(async (connection) => {
        // Not undone afterwards: the connection ends with this turn.
        connection.retire();
        await connection.execute("SET statement_timeout = 0");
        await connection.execute(`SET lock_timeout = ${REWRITE_WAIT_MS}`);
        for (const { table, bytes } of found) await vacuum(connection, table, bytes);
      });
    },
    close: () => connections.close(),
  };
}
