/** What may cross the border to SQLite: checked on the way in, made uniform on the way out. */
import { DeerflowError } from "../../base/errors.js";

/** A value that SQLite stores. Booleans, dates and objects are not among them: encode them first. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** One row. Integers come back as numbers, blobs as Uint8Array. */
export type SqlRow = Record<string, SqlValue>;

/**
 * Checks what is about to be bound, because the driver ends the whole process on a value it does not know.
 * Whole numbers are bound as integers; the driver would store every JavaScript number as REAL.
 *
 * @throws DeerflowError `database_value_invalid`
 */
export function toSqlValues(parameters: readonly unknown[]): SqlValue[] {
  return parameters.map((value) => {
    if (value === null || typeof value === "string" || typeof value === "bigint") return value;
    if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
    if (value instanceof Uint8Array) return value;
    const type = typeof value === "object" ? (value?.constructor?.name ?? "object") : typeof value;
    throw new DeerflowError("database_value_invalid", { type });
  });
}

/** Turns the driver's ArrayBuffers into Uint8Arrays, in place: the row was made for this caller. */
export function fromDriverRow(row: Record<string, unknown>): SqlRow {
  for (const [name, value] of Object.entries(row)) {
    if (value instanceof ArrayBuffer) row[name] = new Uint8Array(value);
  }
  // The driver makes only strings, numbers, nulls and ArrayBuffers; the last are replaced above.
  return row as SqlRow;
}
