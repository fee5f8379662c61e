/** JSON in a text column, always in one spelling, so that equal values are equal text. */
import type { JsonObject, JsonValue } from "../../base/json.js";

/** Writes JSON with the keys of every object in order; keys that hold undefined are left out. */
export const toJsonText = (value: JsonValue): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** Reads what `toJsonText` wrote. */
export const fromJsonText = (text: string): JsonValue =>
  // What JSON.parse returns is JSON by definition.
  JSON.parse(text) as JsonValue;

/** Reads a column that holds an object. */
export const objectFromJsonText = (text: string): JsonObject =>
  // The stores write only objects into these columns.
  JSON.parse(text) as JsonObject;
