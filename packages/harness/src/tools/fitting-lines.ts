/** As many lines as fit into an answer, never a part of one. */

export interface FittingLines {
  readonly lines: readonly string[];
  /** How many did not fit. */
  readonly left: number;
}

/** The first of `lines` that have, with their line breaks, at most `limit` characters. */
export function fittingLines(lines: readonly string[], limit: number): FittingLines {
  let size = 0;
  const over = lines.findIndex((line) => {
    size += line.length + 1;
    return size > limit;
  });
  const shown = over === -1 ? lines : lines.slice(0, over);
  return { lines: shown, left: lines.length - shown.length };
}

/** A cut answer: what fits, then the notes; and the whole of it where something was left out. */
export function cutAnswer(
  lines: readonly string[],
  limit: number,
  notesOf: (left: number) => readonly string[],
) {
  const { lines: shown, left } = fittingLines(lines, limit);
  const text = [...shown, ...notesOf(left)].join("\n");
  return left === 0 ? { text } : { text, fullText: [...lines, ...notesOf(0)].join("\n") };
}
