/** How SQLite compares one key of a thread's metadata. */
import { sql, type SqlBool } from "kysely";
import type { JsonValue } from "../../base/json.js";
import { toJsonText } from "../stores/json-text.js";
import type { MetadataEquals } from "../stores/thread-store.js";

/** json_each's names for the kinds of JSON, and its value for what may be equal. */
function wanted(value: JsonValue): { types: readonly string[]; value: string | number | undefined } {
  if (typeof value === "string") return { types: ["text"], value };
  if (typeof value === "number") return { types: ["integer", "real"], value };
  if (typeof value === "boolean") return { types: [String(value)], value: undefined };
  if (value === null) return { types: ["null"], value: undefined };
  return { types: [Array.isArray(value) ? "array" : "object"], value: toJsonText(value) };
}

/** Lists and objects are equal as a whole; null equals a stored null, not an absent key. Keys are bound, never pasted. */
export const sqliteMetadataEquals: MetadataEquals = (expressions, key, value) => {
  const { types, value: bound } = wanted(value);
  const same = bound === undefined ? sql`1` : sql`entry.value = ${bound}`;
  return expressions.exists(
    // Text that is damaged has no keys; json_each would refuse the whole query for it.
    sql<SqlBool>`(select 1 from json_each(iif(json_valid(threads.metadata), threads.metadata, '{}')) as entry
      where entry.key = ${key} and entry.type in (${sql.join(types)}) and ${same})`,
  );
};
