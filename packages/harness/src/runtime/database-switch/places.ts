/** Where the data of a side lies, for whoever asks. */
import { IN_MEMORY } from "../../persistence/sqlite/sqlite-connection.js";
import type { SqlDatabase } from "../../persistence/sql/contract.js";
import type { DatabaseLocation } from "../../persistence/sql/database-location.js";
import type { DatabasePlace, DatabaseSide } from "./contract.js";
import { locationName } from "./location-name.js";

/** The database, and the parts that have a place of their own. */
export function placesOf({ locations, databases }: DatabaseSide): readonly DatabasePlace[] {
  const { database, checkpointer, store } = locations;
  return [
    placeOf("database", database, databases.app),
    ...(checkpointer ? [placeOf("checkpointer", checkpointer, databases.checkpoints)] : []),
    ...(store ? [placeOf("store", store, databases.items)] : []),
  ];
}

const placeOf = (
  part: DatabasePlace["part"],
  location: DatabaseLocation,
  { name }: SqlDatabase,
): DatabasePlace => ({
  part,
  backend: location.backend,
  place: name === IN_MEMORY ? "memory (lost when the program ends)" : name,
  id: locationName(location),
});
