/** Data that is too long for one row lies in slices; the row then holds only where they are. */
import type { NumberRanges } from "./checkpoint-rows.js";
import { SLICE_BYTES } from "./part.js";

/** The first byte of data that is a list of slices; a payload never begins with it. */
const SLICED = 0x80;

export const isTooLong = (data: Uint8Array): boolean => data.length > SLICE_BYTES;

export function cut(data: Uint8Array): readonly Uint8Array[] {
  const slices: Uint8Array[] = [];
  for (let at = 0; at < data.length; at += SLICE_BYTES) slices.push(data.subarray(at, at + SLICE_BYTES));
  return slices;
}

/** The data of a row whose content lies in these parts, in this order. */
export const slicesToData = (numbers: NumberRanges): Uint8Array =>
  Buffer.concat([Uint8Array.of(SLICED), Buffer.from(JSON.stringify(numbers))]);

/** Where the content lies; undefined when it is in the data itself. */
export function slicesOf(data: Uint8Array): NumberRanges | undefined {
  if (data[0] !== SLICED) return undefined;
  // Only this file writes such data.
  return JSON.parse(Buffer.from(data.subarray(1)).toString()) as number[];
}
