/** Brings a PostgreSQL database to the newest schema, once, whoever else opens it at the same moment. */
import { createHash } from "node:crypto";
import { Kysely } from "kysely";
import { DeerflowError } from "../../base/errors.js";
import type { Migration } from "../migrations/migration.js";
import { MIGRATIONS, SCHEMA_VERSION } from "../migrations/migrations.js";
import { type PostgresConnection, quotedName } from "./postgres-connection.js";
import { postgresDialect } from "./postgres-dialect.js";

export interface MigratedDatabase {
  readonly connection: PostgresConnection;
  readonly schema: string;
  /** How messages call it. */
  readonly name: string;
}

/** Its one row is the version. */
const TABLE = "deerflow_schema";
const CREATE_TABLE = `CREATE TABLE ${TABLE} (
  only_row BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (only_row),
  version INTEGER NOT NULL
)`;
/** How long another process may take for its migrations. */
const LOCK_WAIT_MS = 60_000;
const DUPLICATE_TABLE = "42P07";

/** Those of these tables, indexes and the like that are in the schema. */
async function namesFound(
  { connection, schema }: MigratedDatabase,
  names: readonly string[],
): Promise<string[]> {
  // Not to_regclass: what it remembers may be older than the end of another's transaction.
  const rows = await connection.all(
    `SELECT c.relname::text AS name FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ? AND c.relname IN (${names.map(() => "?").join(", ")}) ORDER BY c.relname`,
    [schema, ...names],
  );
  return rows.map((row) => String(row["name"]));
}

/** 0 for a schema that is absent or has nothing of ours. */
async function versionOf(target: MigratedDatabase): Promise<number> {
  if ((await namesFound(target, [TABLE])).length === 0) return 0;
  const place = `${quotedName(target.schema)}.${TABLE}`;
  const [row] = await target.connection.all(`SELECT version FROM ${place}`);
  return Number(row?.["version"] ?? 0);
}

/** @throws DeerflowError `database_newer` */
function pendingOf(found: number, name: string): readonly Migration[] {
  if (found > SCHEMA_VERSION) {
    throw new DeerflowError("database_newer", { path: name, found, known: SCHEMA_VERSION });
  }
  return MIGRATIONS.filter(({ version }) => version > found);
}

const foreign = ({ schema, name }: MigratedDatabase, what: string, cause?: unknown): DeerflowError => {
  const reason = `its schema ${schema} has tables of another program: ${what}`;
  return new DeerflowError("database_foreign", { path: name, reason }, cause);
};

/** Refuses tables that have our names and that no migration of ours made, such as those of LangGraph's own saver. */
async function requireOurs(target: MigratedDatabase, pending: readonly Migration[]): Promise<void> {
  const tables = pending.flatMap((migration) => migration.tables);
  const found = tables.length === 0 ? [] : await namesFound(target, tables);
  if (found.length > 0) throw foreign(target, found.join(", "));
}

/** Asked first whether it is there: making it asks for a right that its owner alone may have used. */
async function makeSchema({ connection, schema }: MigratedDatabase): Promise<void> {
  const found = await connection.all("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = ?", [schema]);
  if (found.length === 0) await connection.execute(`CREATE SCHEMA ${quotedName(schema)}`);
}

async function runMigrations(target: MigratedDatabase, pending: readonly Migration[]): Promise<void> {
  const { connection } = target;
  // All in the transaction that is under way: it is begun and ended outside.
  const held = {
    execute: (sql: string, parameters?: readonly unknown[]) => connection.execute(sql, parameters),
    begin: () => undefined,
    commit: async () => undefined,
    rollback: async () => undefined,
    release: () => undefined,
  };
  const dialect = postgresDialect({ acquire: async () => held, sleep: async () => undefined });
  const database = new Kysely<unknown>({ dialect });
  try {
    for (const migration of pending) await migration.up(database, "postgres");
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === DUPLICATE_TABLE;
    throw isTaken ? foreign(target, error.message, error) : error;
  }
}

/** Locks hold for the whole database; this number is the schema's. */
const lockOf = (schema: string): bigint =>
  createHash("sha256").update(`deerflow migrations of ${schema}`).digest().readBigInt64BE();

async function migrateLocked(target: MigratedDatabase): Promise<void> {
  const { connection, schema, name } = target;
  await connection.execute(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
  await connection.execute("SELECT pg_catalog.pg_advisory_xact_lock($1)", [lockOf(schema)]);
  const found = await versionOf(target);
  const pending = pendingOf(found, name);
  if (pending.length === 0) return;
  await makeSchema(target);
  await requireOurs(target, pending);
  if (found === 0) await connection.execute(CREATE_TABLE);
  await runMigrations(target, pending);
  await connection.run(
    `INSERT INTO ${TABLE} (version) VALUES (?) ON CONFLICT (only_row) DO UPDATE SET version = excluded.version`,
    [SCHEMA_VERSION],
  );
}

/**
 * Runs the migrations that the database has not seen, in one transaction: all or none.
 *
 * @throws DeerflowError `database_newer`, `database_foreign`, `database_forbidden`, `database_busy`
 */
export async function migratePostgres(target: MigratedDatabase): Promise<void> {
  const { connection, name } = target;
  // Asked first without the lock: it may be a server that takes no writes.
  if (pendingOf(await versionOf(target), name).length === 0) return;
  connection.begin();
  try {
    await migrateLocked(target);
    await connection.commit();
  } catch (error) {
    await connection.rollback();
    throw error;
  }
}
