/** Reading a Range header (RFC 9110, section 14). */

/** First and last byte, both included; `unsatisfiable` when nothing of it exists; undefined for the whole file. */
export type ByteRange = { readonly first: number; readonly last: number } | "unsatisfiable" | undefined;

/** A header that is malformed or asks for several ranges counts as absent, as the standard allows. */
export function parseByteRange(header: string | undefined, size: number): ByteRange {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "");
  if (match === null) return undefined;
  const [, from = "", to = ""] = match;
  if (from === "" && to === "") return undefined;
  const first = from === "" ? Math.max(size - Number(to), 0) : Number(from);
  const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== "" && to !== "" && Number(to) < Number(from)) return undefined;
  return first > last ? "unsatisfiable" : { first, last };
}
