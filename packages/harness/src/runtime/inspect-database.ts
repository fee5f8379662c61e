/** Looks at an installation's databases, and makes no file. */
import { existsSync } from "node:fs";
import { DeerflowError } from "../base/errors.js";
import type { DeerflowConfig } from "../config/schema.js";
import type { DatabaseLocation } from "../persistence/sql/database-location.js";
import { openDatabase } from "../persistence/sql/open-database.js";
import { openSqlite } from "../persistence/sqlite/open-sqlite.js";
import { IN_MEMORY } from "../persistence/sqlite/sqlite-connection.js";
import { sqlitePlace } from "../persistence/sqlite/sqlite-path.js";
import { type DatabaseFolders, databaseLocations } from "./database-location.js";

export interface DatabaseFinding {
  /** What lies there. */
  readonly part: "database" | "checkpointer" | "store";
  readonly backend: DatabaseLocation["backend"];
  /** Where it lies, for a person; never holds credentials. Absent when it cannot be used. */
  readonly place?: string;
  /** Why it cannot be used. */
  readonly problem?: DeerflowError;
}

/** Every database of an installation, and whether it can be used. */
export async function inspectDatabases(
  config: DeerflowConfig,
  folders: DatabaseFolders,
): Promise<readonly DatabaseFinding[]> {
  const { database, checkpointer, store } = databaseLocations(config, folders);
  return Promise.all([
    inspect("database", database),
    ...(checkpointer ? [inspect("checkpointer", checkpointer)] : []),
    ...(store ? [inspect("store", store)] : []),
  ]);
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
      return openServer(location);
  }
}

/** As a start does, because a user who may log in may still not be allowed to make the tables. */
async function openServer(location: DatabaseLocation): Promise<string> {
  const database = await openDatabase(location);
  await database.close();
  return database.name;
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
