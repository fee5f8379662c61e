/**
 * Brings a MySQL database to the newest schema, once, whoever else opens it at the same moment. Each statement that
 * creates something is committed by itself there. So a row says of each migration that it was begun, and that it was
 * finished; one that was begun only, because its process died, is run again, and what is there of it is forgiven.
 */
import { createHash } from "node:crypto";
import { Kysely } from "kysely";
import { DeerflowError } from "../../base/errors.js";
import type { Migration } from "../migrations/migration.js";
import { MIGRATIONS, SCHEMA_VERSION } from "../migrations/migrations.js";
import type { MysqlConnection, MysqlResult } from "./mysql-connection.js";
import { mysqlDialect } from "./mysql-dialect.js";

/** What a migration needs of its connection. */
export type MigratedConnection = Pick<MysqlConnection, "execute" | "all" | "run" | "rollback">;

export interface MigratedDatabase {
  readonly connection: MigratedConnection;
  /** The database's own name on its server. */
  readonly database: string;
  /** How messages call it. */
  readonly name: string;
}

const TABLE = "deerflow_migrations";
/** How long another process may take for its migrations. */
const LOCK_SECONDS = 60;

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS ${TABLE} (
  version INTEGER NOT NULL PRIMARY KEY,
  title VARCHAR(255) NOT NULL,
  finished BOOLEAN NOT NULL
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;

/** The server's errors for what is there, or gone, already. */
const FORGIVEN = new Set([
  "ER_TABLE_EXISTS_ERROR",
  "ER_DUP_KEYNAME",
  "ER_DUP_FIELDNAME",
  "ER_CANT_DROP_FIELD_OR_KEY",
  "ER_BAD_TABLE_ERROR",
]);

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

/** Versions that were begun, each with whether it was finished. */
type Versions = ReadonlyMap<number, boolean>;

async function versionsOf(connection: MigratedConnection): Promise<Versions> {
  try {
    const rows = await connection.all(`SELECT version, finished FROM ${TABLE}`);
    return new Map(rows.map(({ version, finished }) => [Number(version), finished === 1]));
  } catch (error) {
    if (codeOf(error) === "ER_NO_SUCH_TABLE") return new Map();
    throw error;
  }
}

/** @throws DeerflowError `database_newer` */
function pendingOf(versions: Versions, name: string): readonly Migration[] {
  const found = Math.max(0, ...versions.keys());
  if (found > SCHEMA_VERSION) {
    throw new DeerflowError("database_newer", { path: name, found, known: SCHEMA_VERSION });
  }
  return MIGRATIONS.filter(({ version }) => versions.get(version) !== true);
}

/** Refuses tables that have our names and that no migration of ours made; nothing was changed yet. */
async function requireOurs(
  { connection, name }: MigratedDatabase,
  fresh: readonly Migration[],
): Promise<void> {
  const tables = fresh.flatMap((migration) => migration.tables);
  if (tables.length === 0) return;
  const rows = await connection.all(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = DATABASE() AND table_name IN (${tables.map(() => "?").join(", ")})`,
    tables,
  );
  if (rows.length === 0) return;
  const names = rows.map((row) => String(row["name"])).toSorted();
  const reason = `it has tables of another program: ${names.join(", ")}`;
  throw new DeerflowError("database_foreign", { path: name, reason });
}

/** @param again - its process died the first time, so some of it may be there */
async function runMigration(
  connection: MigratedConnection,
  migration: Migration,
  again: boolean,
): Promise<void> {
  const execute = async (sql: string, parameters?: readonly unknown[]): Promise<MysqlResult> => {
    try {
      return await connection.execute(sql, parameters, 0);
    } catch (error) {
      if (!again || !FORGIVEN.has(codeOf(error))) throw error;
      return { rows: [], changes: 0, insertId: undefined };
    }
  };
  // All on the connection that holds the lock: when it breaks, both are gone.
  const held = { execute, rollback: () => connection.rollback(), release: () => undefined };
  const dialect = mysqlDialect({ acquire: async () => held, sleep: async () => undefined });
  await migration.up(new Kysely<unknown>({ dialect }), "mysql");
}

async function migrateLocked(target: MigratedDatabase): Promise<void> {
  const { connection, name } = target;
  const versions = await versionsOf(connection);
  const pending = pendingOf(versions, name);
  if (pending.length === 0) return;
  await requireOurs(
    target,
    pending.filter(({ version }) => !versions.has(version)),
  );
  await connection.execute(CREATE_TABLE);
  for (const migration of pending) {
    const { version, title } = migration;
    await connection.run(`INSERT IGNORE INTO ${TABLE} VALUES (?, ?, FALSE)`, [version, title]);
    await runMigration(connection, migration, versions.has(version));
    await connection.run(`UPDATE ${TABLE} SET finished = TRUE WHERE version = ?`, [version]);
  }
}

/** Names of locks hold for the whole server, and have up to 64 characters. */
const lockOf = (database: string): string =>
  `deerflow_migrations_${createHash("sha256").update(database).digest("hex").slice(0, 32)}`;

/** @throws DeerflowError `database_newer`, `database_foreign`, `database_busy` */
export async function migrateMysql(target: MigratedDatabase): Promise<void> {
  const { connection, database, name } = target;
  // Asked first without the lock: it may be a server that takes no writes.
  if (pendingOf(await versionsOf(connection), name).length === 0) return;
  const lock = lockOf(database);
  const [row] = await connection.all("SELECT GET_LOCK(?, ?) AS taken", [lock, LOCK_SECONDS]);
  if (row?.["taken"] !== 1) {
    throw new DeerflowError("database_busy", { path: name, seconds: LOCK_SECONDS });
  }
  try {
    await migrateLocked(target);
  } finally {
    await connection.run("DO RELEASE_LOCK(?)", [lock]);
  }
}
