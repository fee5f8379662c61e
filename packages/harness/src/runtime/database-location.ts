/** Where an installation's database lies, from its configuration. */
import { resolve } from "node:path";
import type { DeerflowConfig } from "../config/schema.js";
import { defaultDatabasePath } from "../context/home-paths.js";
import type { PersistenceOptions } from "../persistence/open-persistence.js";

/** A relative path counts from the working directory; without one the file lies under the home. */
export function databaseLocation(config: DeerflowConfig, home: string, cwd: string): PersistenceOptions {
  const { backend, path } = config.database;
  if (backend === "memory") return { backend };
  return { backend: "sqlite", path: path ? resolve(cwd, path) : defaultDatabasePath(home) };
}
