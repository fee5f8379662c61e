/** Looks at an installation's database without creating one. */
import { existsSync } from "node:fs";
import { DeerflowError } from "../base/errors.js";
import type { DeerflowConfig } from "../config/schema.js";
import { openSqlite } from "../persistence/sqlite/open-sqlite.js";
import { databaseLocation } from "./database-location.js";

/**
 * @returns where the data lies, for a person
 * @throws DeerflowError `database_*` for a database that cannot be used
 */
export async function inspectDatabase(config: DeerflowConfig, home: string, cwd: string): Promise<string> {
  const location = databaseLocation(config, home, cwd);
  if (location.backend === "sqlite" && !existsSync(location.path)) {
    return `${location.path} (will be created)`;
  }
  if (location.backend !== "sqlite") return "memory (lost when the program ends)";
  const connection = await openSqlite(location.path);
  try {
    const problem = connection.first("PRAGMA quick_check(1)")?.["quick_check"];
    if (problem === "ok") return location.path;
    throw new DeerflowError("database_damaged", { path: location.path, reason: String(problem) });
  } finally {
    await connection.close();
  }
}
