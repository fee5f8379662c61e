/** What a database is known by, without its password: two places of one name are one place. */
import { realpathSync } from "node:fs";
import type { DatabaseLocation } from "../../persistence/sql/database-location.js";
import { sqlitePlace } from "../../persistence/sqlite/sqlite-path.js";

const SERVER_PORTS = { postgres: "5432", mysql: "3306" } as const;

/** Never holds credentials. Looks whether a file is there, to know it by all its names. */
export function locationName(location: DatabaseLocation): string {
  switch (location.backend) {
    case "memory":
      return "memory";
    case "sqlite":
      return `sqlite:${realPath(sqlitePlace(location.path).path)}`;
    case "postgres":
      return `${serverName(location.url, location.backend)}#${location.schema ?? "public"}`;
    case "mysql":
      return serverName(location.url, location.backend);
  }
}

function serverName(address: string, backend: keyof typeof SERVER_PORTS): string {
  const { hostname, port, pathname, searchParams, username } = new URL(address);
  const host = searchParams.get("host") ?? searchParams.get("socket") ?? hostname;
  // PostgreSQL takes the name of the user for a database that is not named.
  const database = pathname.replace(/^\//, "") || username;
  return `${backend}://${host}:${port || SERVER_PORTS[backend]}/${database}`;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // not made yet, or in memory
  }
}
