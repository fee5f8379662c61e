/**
 * Which threads have what a filter asks for. The databases compare JSON each in its own way, so they only leave out
 * the rows that cannot match; what is equal is decided here, for all of them alike.
 */
import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import type { JsonObject } from "../../base/json.js";
import type { AppSchema } from "../schema.js";
import type { SqlBackend } from "../sql/contract.js";
import { toJsonText } from "./json-text.js";

/** Entries that the database looks for; a statement with thousands of conditions is refused. */
const ENTRIES_IN_SQL = 20;

const CONTAINS: Readonly<Record<SqlBackend, (text: string) => RawBuilder<SqlBool>>> = {
  sqlite: (text) => sql`instr(threads.metadata, ${text}) > 0`,
  postgres: (text) => sql`strpos(threads.metadata, ${text}) > 0`,
  mysql: (text) => sql`instr(threads.metadata, ${text}) > 0`,
};

/** True for each row that has the entries, and for some that have not: an inner object may hold the same text. */
export const mayHaveEntries =
  (backend: SqlBackend, wanted: JsonObject) => (expressions: ExpressionBuilder<AppSchema, "threads">) =>
    expressions.and(
      Object.entries(wanted)
        .slice(0, ENTRIES_IN_SQL)
        .map(([key, value]) => CONTAINS[backend](`${JSON.stringify(key)}:${toJsonText(value)}`)),
    );

/** Lists and objects are equal as a whole; null equals a stored null, not an absent key. */
export const hasEntries = (metadata: JsonObject, wanted: JsonObject): boolean =>
  Object.entries(wanted).every(([key, value]) => {
    const stored = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
    return stored !== undefined && toJsonText(stored) === toJsonText(value);
  });
