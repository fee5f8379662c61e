/** Finds the server of an installation, for a command beside it. */
import { existsSync } from "node:fs";
import { type FileServer, findFileServer } from "../../persistence/sqlite/serve-lock.js";
import type { DatabaseLocation } from "../../persistence/sql/database-location.js";
import { IN_MEMORY } from "../../persistence/sqlite/sqlite-connection.js";
import { sqlitePlace } from "../../persistence/sqlite/sqlite-path.js";
import { locationName } from "./location-name.js";
import { planStart } from "./start-plan.js";
import { SwitchRecords } from "./switch-record.js";

export interface DatabaseServers {
  /** Of the SQLite file in use; undefined when nobody serves it, or when the database is no file. */
  readonly server: FileServer | undefined;
  /** Whether whoever serves it can be known from the file. */
  readonly isFile: boolean;
  /** As `DatabasePlace.id`, of the database that a start would use now. */
  readonly id: string;
}

/** @param configured as the configuration names it */
export function findDatabaseServer(home: string, configured: DatabaseLocation): DatabaseServers {
  const plan = planStart(configured, new SwitchRecords(home).read());
  const places = [plan.open, ...(plan.resume === undefined ? [] : [plan.resume.to])];
  const [server] = places.flatMap((place) => serverOf(place) ?? []);
  const isFile = places.every(({ backend }) => backend === "sqlite" || backend === "memory");
  return { server, isFile, id: locationName(plan.resume?.to ?? plan.open) };
}

function serverOf(location: DatabaseLocation): FileServer | undefined {
  if (location.backend !== "sqlite") return undefined;
  const { path } = sqlitePlace(location.path);
  return path === IN_MEMORY || !existsSync(path) ? undefined : findFileServer(location.path);
}
