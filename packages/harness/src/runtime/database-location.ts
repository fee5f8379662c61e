/** Where an installation's databases lie, from its configuration. */
import { dirname, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { DeerflowConfig } from "../config/schema.js";
import { defaultDatabasePath } from "../context/home-paths.js";
import type { DatabaseLocation } from "../persistence/sql/database-location.js";
import { IN_MEMORY } from "../persistence/sqlite/sqlite-connection.js";
import { sqlitePlace } from "../persistence/sqlite/sqlite-path.js";

export interface DatabaseLocations {
  /** Holds everything that has no place of its own. */
  readonly database: DatabaseLocation;
  readonly checkpointer?: DatabaseLocation;
  readonly store?: DatabaseLocation;
}

/** What relative and absent paths count from. */
export interface DatabaseFolders {
  /** The home of the installation; absolute. */
  readonly home: string;
  /** The folder of the configuration file, or the working directory where there is none; absolute. */
  readonly config: string;
}

/** @param configPath of the configuration file; undefined when the defaults hold */
export const databaseFolders = (
  home: string,
  cwd: string,
  configPath: string | undefined,
): DatabaseFolders => ({
  home,
  config: configPath === undefined ? resolve(cwd) : dirname(resolve(cwd, configPath)),
});

/** An override that names the place of the database itself is none. Pure. */
export function databaseLocations(config: DeerflowConfig, folders: DatabaseFolders): DatabaseLocations {
  const database = databaseLocation(config.database, folders);
  const elsewhere = (place: DeerflowConfig["store"]): DatabaseLocation | undefined => {
    const location = place && databaseLocation(place, folders);
    return isDeepStrictEqual(location, database) ? undefined : location;
  };
  const [checkpointer, store] = [elsewhere(config.checkpointer), elsewhere(config.store)];
  return { database, ...(checkpointer && { checkpointer }), ...(store && { store }) };
}

type Place = Pick<DeerflowConfig["database"], "backend" | "path" | "url" | "schema">;

/**
 * `:memory:` and `file:` URLs stay as they are; a relative path counts from the folder of the configuration file;
 * without one the file lies under the home. Pure.
 */
export function databaseLocation(place: Place, { home, config }: DatabaseFolders): DatabaseLocation {
  const { backend, path, url = "", schema } = place;
  switch (backend) {
    case "memory":
      return { backend };
    case "sqlite":
      return { backend, path: path === undefined ? defaultDatabasePath(home) : fileFrom(config, path) };
    case "postgres":
      return { backend, url, ...(schema === undefined ? {} : { schema }) };
    case "mysql":
      return { backend, url };
  }
}

const fileFrom = (folder: string, path: string): string =>
  path === ":memory:" || /^file:/i.test(path) ? path : resolve(folder, path);

/** What each part of the data is for a person, and so what is lost with it. */
const PARTS: Readonly<Record<keyof DatabaseLocations, string>> = {
  database: "threads, runs and their history",
  checkpointer: "the state of conversations",
  store: "stored items",
};

/** What the next start will not find any more, as one sentence; undefined when everything is kept. Pure. */
export function lostOnRestart(locations: DatabaseLocations): string | undefined {
  const { database, checkpointer = database, store = database } = locations;
  const places = Object.entries({ database, checkpointer, store }) as [
    keyof DatabaseLocations,
    DatabaseLocation,
  ][]; // its keys
  const lost = places.filter(([, place]) => livesInMemory(place)).map(([part]) => PARTS[part]);
  if (lost.length === 0) return undefined;
  const named = [lost.slice(0, -1).join(", "), lost.at(-1)].filter((part) => part !== "").join(" and ");
  return `In memory only, by configuration: ${named}. They are lost when this process ends; backend sqlite keeps them in a file.`;
}

/** Whether another process can go on with a conversation. Pure. */
export const keepsThreads = ({ database, checkpointer = database }: DatabaseLocations): boolean =>
  !livesInMemory(database) && !livesInMemory(checkpointer);

const livesInMemory = (location: DatabaseLocation): boolean =>
  location.backend === "memory" ||
  (location.backend === "sqlite" && sqlitePlace(location.path).path === IN_MEMORY);
