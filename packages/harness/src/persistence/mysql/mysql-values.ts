/** Values on their way to the MySQL driver and back. */
import type { FieldPacket, RowDataPacket, TypedParameterValue } from "mysql2/promise";
import { DeerflowError } from "../../base/errors.js";
import type { SqlRow, SqlValue } from "../sql/contract.js";
import { toSqlValues } from "../sql/sql-values.js";

/** What the driver binds. */
export type BoundValue = string | number | null | Buffer | TypedParameterValue;

const LONGLONG_COLUMN = 8;
/** What a statement takes beside its text and its values: header, null bits, types, lengths. */
const BYTES_PER_STATEMENT = 64;
const BYTES_PER_VALUE = 13;
const INT64 = { least: -(2n ** 63n), greatest: 2n ** 63n - 1n };

/** Makes a parameter that the server takes for a BIGINT; part of the driver, which is loaded late. */
export type BigintBinder = (value: bigint) => TypedParameterValue;

function bigintOf(value: bigint, toBigint: BigintBinder): TypedParameterValue {
  if (value >= INT64.least && value <= INT64.greatest) return toBigint(value);
  throw new DeerflowError("database_value_invalid", { type: "bigint of more than 64 bits" });
}

function boundValue(value: SqlValue, toBigint: BigintBinder): BoundValue {
  if (typeof value === "bigint") return bigintOf(value, toBigint);
  // The driver would send every number as DOUBLE, which LIMIT refuses on MySQL 8, and which no key is looked up by.
  if (typeof value === "number" && Number.isSafeInteger(value)) return toBigint(BigInt(value));
  // The driver takes only a Buffer for bytes; this is a view of the same memory.
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value;
}

/** @throws DeerflowError `database_value_invalid` */
export const toBoundValues = (parameters: readonly unknown[], toBigint: BigintBinder): BoundValue[] =>
  toSqlValues(parameters).map((value) => boundValue(value, toBigint));

function bytesOf(value: BoundValue): number {
  if (typeof value === "string") return BYTES_PER_VALUE + Buffer.byteLength(value);
  return BYTES_PER_VALUE + (Buffer.isBuffer(value) ? value.length : 8);
}

/** The most bytes that a statement and its values can take on the wire. */
export function statementBytes(sql: string, values: readonly BoundValue[]): number {
  return values.reduce<number>(
    (sum, value) => sum + bytesOf(value),
    Buffer.byteLength(sql) + BYTES_PER_STATEMENT,
  );
}

/** A copy that does not keep the whole packet alive it came in, and that nobody takes for a Buffer. */
const ownBytes = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

/** Makes the driver's rows uniform, in place: they were made for this caller. */
export function fromDriverRows(rows: RowDataPacket[], fields: readonly FieldPacket[]): SqlRow[] {
  const large = fields.filter(({ columnType }) => columnType === LONGLONG_COLUMN).map(({ name }) => name);
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      if (value instanceof Uint8Array) row[name] = ownBytes(value);
    }
    for (const name of large) {
      // The driver gives integers that a JavaScript number cannot hold as text.
      if (typeof row[name] === "string") row[name] = BigInt(row[name]);
    }
  }
  // With the settings of mysql-pool.ts the driver makes only strings, numbers, nulls and Buffers; see above.
  return rows as SqlRow[];
}
