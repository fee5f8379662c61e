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

export interface HeadCut {
  readonly text: string;
  readonly truncated: boolean;
  /** The last line that is shown, at least in part. */
  readonly end: number;
}

/**
 * Keeps the head of a window: whole lines of at most `limit` characters, then a notice that names the next line.
 * A first line that is longer than the limit is cut inside.
 */
export function cutHead(window: LineWindow, limit: number): HeadCut {
  if (window.text.length <= limit) return { text: window.text, truncated: false, end: window.end };
  const whole = window.text.lastIndexOf("\n", limit - 1) + 1;
  if (whole === 0) return cutInsideLine(window, limit);
  const kept = window.text.slice(0, whole);
  const end = window.start + kept.split("\n").length - 2;
  const notice = `[Cut at ${limit} characters: lines ${window.start} to ${end} of ${window.total}. Go on with start_line=${end + 1}.]`;
  return { text: `${kept}${notice}`, truncated: true, end };
}

function cutInsideLine(window: LineWindow, limit: number): HeadCut {
  const length = linesOf(window.text)[0]?.trimEnd().length ?? 0;
  const next = window.start < window.total ? ` Go on with start_line=${window.start + 1}.` : "";
  const notice = `[Cut: ${limit} of the ${length} characters of line ${window.start} of ${window.total}.${next}]`;
  return { text: `${window.text.slice(0, limit)}\n${notice}`, truncated: true, end: window.start };
}

/** Cuts the middle out of a text, keeping both ends in equal parts; the result is at most `limit` plus a notice. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const notice = `[… ${text.length - 2 * half} of ${text.length} characters cut here …]`;
  return `${text.slice(0, half)}\n${notice}\n${text.slice(text.length - half)}`;
}

/**
 * At most `limit` characters around position `at` of a long line, with "…" where it was cut.
 * @param at where the interesting part begins
 */
export function excerpt(line: string, at: number, limit: number): string {
  if (line.length <= limit) return line;
  const room = limit - 2;
  const start = Math.max(0, Math.min(at - Math.floor(room / 4), line.length - room));
  const piece = line.slice(start, start + room).replaceAll(/\p{Surrogate}/gu, "");
  return `${start > 0 ? "…" : ""}${piece}${start + room < line.length ? "…" : ""}`;
}
