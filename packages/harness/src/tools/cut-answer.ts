import { fittingLines } from "../filesystem/fitting-lines.js";

/**
 * A cut answer: the lines that fit whole, then the notes; and the whole of it where something was left out.
 * @param notesOf what stands below the lines when so many of them are left out
 */
export function cutAnswer(
  lines: readonly string[],
  limit: number,
  notesOf: (left: number) => readonly string[],
) {
  const shown = fittingLines(lines, limit);
  const text = [...lines.slice(0, shown), ...notesOf(lines.length - shown)].join("\n");
  return shown === lines.length ? { text } : { text, fullText: [...lines, ...notesOf(0)].join("\n") };
}
