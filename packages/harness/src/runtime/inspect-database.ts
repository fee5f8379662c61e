/** Looks at an installation's databases, and makes none. */
import { existsSync } from "node:fs";
import { DeerflowError } from "../base/errors.js";
import type { DeerflowConfig } from "../config/schema.js";
import { nameOf, openForReading } from "../persistence/migration/open-for-reading.js";
import type { DatabaseLocation } from "../persistence/sql/database-location.js";
import { openSqlite } from "../persistence/sqlite/open-sqlite.js";
import { IN_MEMORY } from "../persistence/sqlite/sqlite-connection.js";
import { sqlitePlace } from "../persistence/sqlite/sqlite-path.js";
import { type DatabaseFolders, databaseLocations } from "./database-location.js";
import { planStart } from "./database-switch/start-plan.js";
import { SwitchRecords } from "./database-switch/switch-record.js";

export interface DatabaseFinding {
  /** What lies there. */
  readonly part: "database" | "checkpointer" | "store";
  readonly backend: DatabaseLocation["backend"];
  /** Where it lies, for a person; never holds credentials. Absent when it cannot be used. */
  readonly place?: string;
  /** Why it cannot be used. */
  readonly problem?: DeerflowError;
}

/** Every database of an installation as a start would use it, and whether it can be used. */
export async function inspectDatabases(
  config: DeerflowConfig,
  folders: DatabaseFolders,
): Promise<readonly DatabaseFinding[]> {
  const { database, checkpointer, store } = databaseLocations(config, folders);
  const inUse = await inspectInUse(database, folders.home);
  return [
    ...inUse,
    ...(checkpointer ? [await inspect("checkpointer", checkpointer)] : []),
    ...(store ? [await inspect("store", store)] : []),
  ];
}

/** The configured one, unless it was switched; two of them where threads are on both. */
async function inspectInUse(configured: DatabaseLocation, home: string): Promise<readonly DatabaseFinding[]> {
  const part = "database";
  try {
    const { open, resume } = planStart(configured, new SwitchRecords(home).read());
    const next = resume === undefined ? [] : [await inspect(part, resume.to)];
    return [await inspect(part, open), ...next];
  } catch (error) {
    if (!DeerflowError.is(error)) throw error;
    return [{ part, backend: configured.backend, problem: error }];
  }
}

async function inspect(part: DatabaseFinding["part"], location: DatabaseLocation): Promise<DatabaseFinding> {
  const { backend } = location;
  try {
    return { part, backend, place: await placeOf(location) };
  } catch (error) {
    if (!DeerflowError.is(error)) throw error;
    return { part, backend, problem: error };
  }
}

async function placeOf(location: DatabaseLocation): Promise<string> {
  switch (location.backend) {
    case "memory":
      return "memory (lost when the program ends)";
    case "sqlite":
      return inspectSqlite(location.path);
    default:
      return inspectServer(location);
  }
}

/** What its tables are of is found out at the start, which brings them to this version. */
async function inspectServer(location: DatabaseLocation): Promise<string> {
  try {
    const database = await openForReading(location);
    if (database === undefined) return `${nameOf(location)} (its tables will be created)`;
    await database.close();
    return nameOf(location);
  } catch (error) {
    if (!DeerflowError.is(error) || error.code !== "migration_source_unknown") throw error;
    return `${nameOf(location)} (its tables will be brought to this version)`;
  }
}

async function inspectSqlite(place: string): Promise<string> {
  const { path } = sqlitePlace(place);
  if (path === IN_MEMORY) return "memory (lost when the program ends)";
  if (!existsSync(path)) return `${path} (will be created)`;
  const connection = await openSqlite(place);
  try {
    const problem = connection.first("PRAGMA quick_check(1)")?.["quick_check"];
    if (problem === "ok") return path;
    throw new DeerflowError("database_damaged", { path, reason: String(problem) });
  } finally {
    await connection.close();
  }
}
