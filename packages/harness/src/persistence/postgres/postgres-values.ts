/** Values on their way back from PostgreSQL, whose driver hands them out as text. */
import type { SqlValue } from "../sql/contract.js";

type Parser = (text: string) => SqlValue;

/** Bytes come as `\x` and hexadecimal digits. The result shares its memory with nobody. */
export function bytesOfHex(text: string): Uint8Array {
  const bytes = new Uint8Array((text.length - 2) / 2);
  Buffer.from(bytes.buffer).write(text.slice(2), "hex");
  return bytes;
}

/** A number, or a bigint where a number would lose digits. */
export function integerOf(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** By the number that PostgreSQL gives to a type (pg_type.oid). All others are text. */
const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  // boolean: the other databases have 0 and 1 only.
  [16, (text) => (text === "t" ? 1 : 0)],
  [17, bytesOfHex],
  // bigint, smallint, integer, oid
  [20, integerOf],
  [21, Number],
  [23, Number],
  [26, Number],
  // real, double precision, numeric: the last is what sums of bigint are
  [700, Number],
  [701, Number],
  [1700, Number],
]);

const asText: Parser = (text) => text;

/** How the driver reads a column of this type. */
export const parserOf = (type: number): Parser => PARSERS.get(type) ?? asText;
