/** Showing a part of a text: windows of lines, and cuts that say how to go on. Lines end in "\n" and count from 1. */

export interface LineWindow {
  /** The lines from `start` to `end`, each with its "\n" if it has one. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** How many lines the whole text has; a final newline opens no further line. */
  readonly total: number;
}

/** The lines of a text, each with its "\n". */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The lines `start` to `end` (inclusive). An end before the start, or a start past the last line, gives no text. */
export function lineWindow(text: string, start = 1, end = Number.POSITIVE_INFINITY): LineWindow {
  const lines = linesOf(text);
  const from = Math.max(1, start);
  const to = Math.min(end, lines.length);
  return {
    text: lines.slice(from - 1, Math.max(from - 1, to)).join(""),
    start: from,
    end: to,
    total: lines.length,
  };
}

/**
 * Cuts the middle out of a text, keeping both ends in equal parts; the result is at most `limit` plus a notice.
 * @param total of how many characters the text is said to be, where it stands for a longer one
 */
export function cutMiddle(text: string, limit: number, total = text.length): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const notice = `[… ${total - 2 * half} of ${total} characters cut here …]`;
  return `${text.slice(0, half)}\n${notice}\n${text.slice(text.length - half)}`;
}
