/** What may cross the border to a database server: checked on the way in. */
import { DeerflowError } from "../../base/errors.js";
import type { SqlValue } from "./contract.js";

const typeOf = (value: unknown): string =>
  typeof value === "object" ? (value?.constructor?.name ?? "object") : typeof value;

function isSqlValue(value: unknown): value is SqlValue {
  if (value === null || value instanceof Uint8Array) return true;
  return ["string", "number", "bigint"].includes(typeof value);
}

/**
 * Checks what is about to be bound, because drivers turn what they do not know into text of their own.
 *
 * @throws DeerflowError `database_value_invalid`
 */
export function toSqlValues(parameters: readonly unknown[]): SqlValue[] {
  return parameters.map((value) => {
    if (isSqlValue(value)) return value;
    throw new DeerflowError("database_value_invalid", { type: typeOf(value) });
  });
}
