/** Looks at an installation's database without creating one. */
import { existsSync } from "node:fs";
import type { DeerflowConfig } from "../config/schema.js";
import { openPersistence } from "../persistence/open-persistence.js";
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
  const persistence = await openPersistence(location);
  await persistence.close();
  return persistence.description;
}
