/** Opens what is moved, and finds out what it is. Nothing is created, and nothing changes there. */
import { constants, copyFileSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DeerflowError } from "../../base/errors.js";
import { SCHEMA_VERSION } from "../migrations/migrations.js";
import { parseMysqlAddress } from "../mysql/mysql-address.js";
import { MysqlConnections } from "../mysql/mysql-connection.js";
import { mysqlDatabase } from "../mysql/mysql-database.js";
import { parsePostgresAddress } from "../postgres/postgres-address.js";
import { PostgresConnections } from "../postgres/postgres-connection.js";
import { postgresDatabase } from "../postgres/postgres-database.js";
import type { SqlBackend, SqlDatabase, SqlSession } from "../sql/contract.js";
import type { DatabaseLocation } from "../sql/database-location.js";
import { openSqlite } from "../sqlite/open-sqlite.js";
import { IN_MEMORY } from "../sqlite/sqlite-connection.js";
import { sqliteDatabase } from "../sqlite/sqlite-database.js";
import { sqlitePlace } from "../sqlite/sqlite-path.js";
import type { MigrationSource } from "./contract.js";
import type { LangGraphSource } from "./langgraph/contract.js";
import { LangGraphPostgres } from "./langgraph/langgraph-postgres.js";
import { langGraphSqlite } from "./langgraph/langgraph-sqlite.js";
import { ReadOnlySqlite } from "./read-only-sqlite.js";
import { makeScratchFolder, removeScratchFolder } from "./scratch-folder.js";

export type OpenSource =
  | { readonly kind: "ours"; readonly database: SqlDatabase }
  | { readonly kind: "langgraph"; readonly source: LangGraphSource };

/** What the tables of a database say it is. */
type Verdict =
  | { readonly kind: "ours"; readonly version: number }
  | { readonly kind: "langgraph" | "empty" | "unknown" };

/** How each database tells the columns of its tables, and the version of ours. */
const QUESTIONS: Readonly<Record<SqlBackend, { readonly columns: string; readonly version: string }>> = {
  sqlite: {
    columns: `SELECT t.name AS table_name, c.name AS column_name
      FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'`,
    version: "SELECT user_version AS version FROM pragma_user_version",
  },
  postgres: {
    columns: `SELECT table_name::text AS table_name, column_name::text AS column_name
      FROM information_schema.columns WHERE table_schema = current_schema()`,
    version: "SELECT version FROM deerflow_schema",
  },
  mysql: {
    columns: `SELECT table_name AS table_name, column_name AS column_name
      FROM information_schema.columns WHERE table_schema = DATABASE()`,
    version: "SELECT max(version) AS version FROM deerflow_migrations WHERE finished",
  },
};

/** Said to a server once on each turn: whatever a defect here would do, the server refuses it. */
const READ_ONLY: Readonly<Record<Exclude<SqlBackend, "sqlite">, string>> = {
  postgres: "SET default_transaction_read_only = on",
  mysql: "SET SESSION TRANSACTION READ ONLY",
};

/** @throws DeerflowError `migration_source_unknown`, `database_newer`, `database_*` */
export async function openSource(from: MigrationSource): Promise<OpenSource> {
  const database = await openReadable(locationOf(from));
  if (database === undefined) throw unknown(nameOf(from), "it is not there");
  try {
    const verdict = await database.read((session) => verdictOf(session, database.backend));
    if (verdict.kind === "ours" && !from.backend.startsWith("langgraph-")) {
      return { kind: "ours", database: await newest(database, verdict.version) };
    }
    if (verdict.kind === "langgraph") return { kind: "langgraph", source: langGraphSource(database) };
    throw unknown(
      database.name,
      verdict.kind === "empty" ? "it is empty" : "its tables are of another program",
    );
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A database of ours; undefined when it is not there, or has no tables yet. */
export async function openForReading(location: DatabaseLocation): Promise<SqlDatabase | undefined> {
  const database = await openReadable(location);
  if (database === undefined) return undefined;
  try {
    const verdict = await database.read((session) => verdictOf(session, database.backend));
    if (verdict.kind === "ours") return await newest(database, verdict.version);
    if (verdict.kind !== "empty") {
      throw new DeerflowError("database_foreign", {
        path: database.name,
        reason: "it has tables of another program",
      });
    }
  } catch (error) {
    await database.close();
    throw error;
  }
  await database.close();
  return undefined;
}

const unknown = (path: string, reason: string): DeerflowError =>
  new DeerflowError("migration_source_unknown", { path, reason });

function locationOf(from: MigrationSource): DatabaseLocation {
  if (from.backend === "langgraph-sqlite") return { backend: "sqlite", path: from.path };
  if (from.backend === "langgraph-postgres") return { ...from, backend: "postgres" };
  return from;
}

/** How messages call a place, without a password. */
export function nameOf(from: MigrationSource): string {
  const location = locationOf(from);
  switch (location.backend) {
    case "memory":
      return IN_MEMORY;
    case "sqlite":
      return sqlitePlace(location.path).path;
    case "postgres": {
      const { name } = parsePostgresAddress(location.url);
      return location.schema === undefined ? name : `${name} (schema ${location.schema})`;
    }
    case "mysql":
      return parseMysqlAddress(location.url).name;
  }
}

async function openReadable(location: DatabaseLocation): Promise<SqlDatabase | undefined> {
  switch (location.backend) {
    case "memory":
      return undefined;
    case "sqlite": {
      const { path } = sqlitePlace(location.path);
      return path === IN_MEMORY || !existsSync(path) ? undefined : (await ReadOnlySqlite.open(path)).database;
    }
    case "postgres": {
      const connections = await PostgresConnections.to(
        parsePostgresAddress(location.url),
        location.schema ?? "public",
      );
      return readOnly(
        { ...postgresDatabase(connections, sleep), name: nameOf(location) },
        READ_ONLY.postgres,
      );
    }
    case "mysql":
      return openReadableMysql(location.url);
  }
}

async function openReadableMysql(url: string): Promise<SqlDatabase | undefined> {
  const address = parseMysqlAddress(url);
  const connections = await MysqlConnections.to(address, address.database);
  const database = readOnly(mysqlDatabase(connections, sleep), READ_ONLY.mysql);
  try {
    await database.read((session) => session.all("SELECT 1 AS one"));
    return database;
  } catch (error) {
    await database.close();
    const cause: unknown = DeerflowError.is(error) ? error.cause : undefined;
    if (cause instanceof Error && "code" in cause && cause.code === "ER_BAD_DB_ERROR") return undefined;
    throw error;
  }
}

function readOnly(database: SqlDatabase, statement: string): SqlDatabase {
  const refuse = async (): Promise<never> => {
    throw new DeerflowError("database_read_only", { path: database.name, reason: "it is only read here" });
  };
  return {
    ...database,
    read: (work) =>
      database.read(async (session) => {
        await session.run(statement);
        return work(session);
      }),
    write: refuse,
    compact: refuse,
  };
}

async function verdictOf(session: SqlSession, backend: SqlBackend): Promise<Verdict> {
  const rows = await session.all(QUESTIONS[backend].columns);
  const columns = new Set(rows.map((row) => `${String(row["table_name"])}.${String(row["column_name"])}`));
  if (columns.has("threads.list_values") && columns.has("runs.multitask_strategy")) {
    const [row] = await session.all(QUESTIONS[backend].version);
    return { kind: "ours", version: Number(row?.["version"] ?? 0) };
  }
  const writes = backend === "sqlite" ? "writes.task_id" : "checkpoint_blobs.blob";
  if (columns.has("checkpoints.parent_checkpoint_id") && columns.has(writes)) return { kind: "langgraph" };
  return { kind: columns.size === 0 ? "empty" : "unknown" };
}

function langGraphSource(database: SqlDatabase): LangGraphSource {
  return database.backend === "sqlite" ? langGraphSqlite(database) : new LangGraphPostgres(database);
}

/** The database in the form that this program reads. An older file is brought to it in a copy. */
async function newest(database: SqlDatabase, version: number): Promise<SqlDatabase> {
  const { name } = database;
  if (version > SCHEMA_VERSION) {
    throw new DeerflowError("database_newer", { path: name, found: version, known: SCHEMA_VERSION });
  }
  if (version === SCHEMA_VERSION) return database;
  if (database.backend !== "sqlite") {
    throw unknown(name, "its tables are of an earlier version; start this version on it once");
  }
  await database.close();
  return openCopy(name);
}

async function openCopy(path: string): Promise<SqlDatabase> {
  const folder = makeScratchFolder(tmpdir(), "deerflow-migration-");
  const copy = join(folder, "deerflow.db");
  const remove = () => removeScratchFolder(folder);
  try {
    copyFileSync(path, copy, constants.COPYFILE_FICLONE);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    const database = sqliteDatabase(await openSqlite(copy));
    return {
      ...database,
      name: path,
      async close() {
        await database.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
