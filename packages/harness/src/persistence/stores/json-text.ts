/** Text for columns. JSON is always written in one spelling, so that equal values are equal text. */
import type { JsonObject, JsonValue } from "../../base/json.js";

/** Writes JSON with the keys of every object in order; keys that hold undefined are left out. */
export const toJsonText = (value: JsonValue): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** Reads what `toJsonText` wrote; null for text that is damaged, so that one bad row never hides the others. */
export function fromJsonText(text: string): JsonValue {
  try {
    // What JSON.parse returns is JSON by definition.
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Reads a column that holds an object; an empty one where the text is damaged. */
export function objectFromJsonText(text: string): JsonObject {
  const value = fromJsonText(text);
  return typeof value === "object" && value !== null && !isList(value) ? value : {};
}

/** Text that every database stores as it is: half surrogate pairs and the character zero are replaced. */
export const storableText = (text: string): string => Buffer.from(text).toString().replaceAll("\0", "\uFFFD");

const isList = (value: JsonObject | readonly JsonValue[]): value is readonly JsonValue[] =>
  Array.isArray(value);
