/** Connections to MySQL or MariaDB as a database of the stores. */
import { DeerflowError } from "../../base/errors.js";
import { OUR_TABLES } from "../migrations/migrations.js";
import type { SqlDatabase, SqlSession } from "../sql/contract.js";
import { retrying, type Sleep } from "../sql/retries.js";
import { sequentialSession } from "../sql/sequential-session.js";
import type { MysqlConnection, MysqlConnections } from "./mysql-connection.js";
import { mysqlDialect } from "./mysql-dialect.js";
import { mysqlPassingOf } from "./mysql-errors.js";

type Work<T> = (session: SqlSession) => Promise<T>;

const OURS = `table_schema = DATABASE() AND table_name IN (${OUR_TABLES.map(() => "?").join(", ")})`;

/** How long a rewrite waits for others to be done with the table; all who come later wait behind it. */
const REWRITE_WAIT_SECONDS = 5;

async function inTransaction<T>(connection: MysqlConnection, work: Work<T>): Promise<T> {
  try {
    await connection.execute("START TRANSACTION");
    const result = await work(sequentialSession(connection));
    await connection.execute("COMMIT");
    return result;
  } catch (error) {
    await connection.rollback();
    throw error;
  }
}

/** Others go on reading and writing meanwhile. */
async function rewrite(connection: MysqlConnection, table: string): Promise<void> {
  // Not undone afterwards: the connection ends with this turn.
  connection.retire();
  await connection.execute(`SET SESSION lock_wait_timeout = ${REWRITE_WAIT_SECONDS}`);
  // What OPTIMIZE TABLE does, but its failures are errors. It takes as long as it takes.
  await connection.execute(`ALTER TABLE ${table} FORCE`, [], 0);
}

/**
 * @param connections - closed together with the database
 * @param sleep - for the pauses between tries
 */
export function mysqlDatabase(connections: MysqlConnections, sleep: Sleep): SqlDatabase {
  const { name } = connections;

  async function turn<T>(work: (connection: MysqlConnection) => Promise<T>): Promise<T> {
    const connection = await connections.acquire();
    try {
      return await work(connection);
    } finally {
      connection.release();
    }
  }

  async function patiently<T>(work: (connection: MysqlConnection) => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await retrying(() => turn(work), { passingOf: mysqlPassingOf, sleep });
    } catch (error) {
      if (!DeerflowError.is(error) || error.code !== "database_busy") throw error;
      const seconds = Math.max(1, Math.round((performance.now() - started) / 1000));
      throw new DeerflowError("database_busy", { ...error.details, seconds }, error.cause);
    }
  }

  return {
    backend: "mysql",
    name,
    dialect: mysqlDialect({ acquire: () => connections.acquire(), sleep }),
    read: (work) => patiently(work),
    write: (work) => patiently((connection) => inTransaction(connection, work)),
    async size() {
      // As the server counted last, some seconds ago.
      const sql = `SELECT COALESCE(SUM(data_length + index_length + data_free), 0) AS bytes
        FROM information_schema.tables WHERE ${OURS}`;
      return patiently(async (connection) => Number((await connection.all(sql, OUR_TABLES))[0]?.["bytes"]));
    },
    async compact() {
      const sql = `SELECT table_name AS name FROM information_schema.tables WHERE ${OURS} ORDER BY table_name`;
      const tables = await patiently((connection) => connection.all(sql, OUR_TABLES));
      for (const table of tables) {
        await patiently((connection) => rewrite(connection, String(table["name"])));
      }
    },
    close: () => connections.close(),
  };
}
