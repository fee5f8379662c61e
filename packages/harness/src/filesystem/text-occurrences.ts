/** Where a text occurs in another, in time that grows with both lengths only, whatever they hold. */

/** The engine's own search takes minutes for a long text that almost occurs everywhere. */
const LONGEST_FOR_ENGINE = 64;

/** Where `part`, which is not empty, begins in `whole`, without overlaps; at most `limit` places. */
export function occurrences(
  whole: string,
  part: string,
  limit = Number.POSITIVE_INFINITY,
): readonly number[] {
  if (part.length > LONGEST_FOR_ENGINE) return longOccurrences(whole, part, limit);
  const found: number[] = [];
  for (let at = whole.indexOf(part); at !== -1 && found.length < limit; ) {
    found.push(at);
    at = whole.indexOf(part, at + part.length);
  }
  return found;
}

/** Where `part` begins first, or -1. */
export const firstOccurrence = (whole: string, part: string): number => occurrences(whole, part, 1)[0] ?? -1;

/** Knuth, Morris and Pratt: never looks at a character of `whole` again. */
function longOccurrences(whole: string, part: string, limit: number): readonly number[] {
  const found: number[] = [];
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = 0; at < whole.length && found.length < limit; at += 1) {
    const code = whole.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === code) matched += 1;
    if (matched < part.length) continue;
    found.push(at + 1 - matched);
    matched = 0;
  }
  return found;
}

/** For each prefix, how long its longest proper prefix is that is also its end. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at += 1) {
    const code = part.charCodeAt(at);
    while (length > 0 && part.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(length) === code) length += 1;
    borders[at] = length;
  }
  return borders;
}
