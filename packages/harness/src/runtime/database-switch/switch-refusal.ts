/** Where the database cannot be switched to. */
import type { DatabaseLocation } from "../../persistence/sql/database-location.js";
import { nameOf } from "../../persistence/migration/open-for-reading.js";
import { IN_MEMORY } from "../../persistence/sqlite/sqlite-connection.js";
import { sqlitePlace } from "../../persistence/sqlite/sqlite-path.js";
import type { DatabaseLocations } from "../database-location.js";
import { locationName } from "./location-name.js";

/** @returns why not, as the end of a sentence; undefined when it can be tried */
export function refusalOf(now: DatabaseLocations, to: DatabaseLocation): string | undefined {
  const inMemory =
    to.backend === "memory" || (to.backend === "sqlite" && sqlitePlace(to.path).path === IN_MEMORY);
  if (inMemory) return "what is in memory is lost when this process ends";
  const name = locationName(to);
  const part = (["database", "checkpointer", "store"] as const).find((each) => {
    const location = now[each];
    return location !== undefined && locationName(location) === name;
  });
  if (part === "database") return `${nameOf(to)} is the one in use`;
  if (part !== undefined)
    return `${nameOf(to)} is the place of ${part} already; take ${part} out of the configuration first`;
  return undefined;
}
