/** Reads the beginning of a comma- or tab-separated file (RFC 4180: quotes, doubled quotes, breaks in quotes). */

export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** True when the file goes on after the rows. */
  readonly cut: boolean;
}

export type Delimiter = "," | ";" | "\t";

/** The delimiter that the first line has most of. */
export function delimiterOf(text: string): Delimiter {
  const line = text.slice(0, Math.max(0, text.indexOf("\n")) || undefined);
  const count = (delimiter: Delimiter) => line.split(delimiter).length;
  return ([",", ";", "\t"] as const).toSorted((left, right) => count(right) - count(left))[0] ?? ",";
}

/** One cell from `start`: its text, and where the delimiter after it stands. */
function readCell(text: string, start: number, delimiter: string): { cell: string; end: number } {
  let [cell, at] = ["", start];
  if (text[at] === '"') {
    at += 1;
    for (;;) {
      const quote = text.indexOf('"', at);
      if (quote === -1) return { cell: cell + text.slice(at), end: text.length };
      cell += text.slice(at, quote);
      at = quote + 1;
      if (text[at] !== '"') break;
      cell += '"';
      at += 1;
    }
  }
  const begin = at;
  while (at < text.length && text[at] !== delimiter && text[at] !== "\n" && text[at] !== "\r") at += 1;
  return { cell: cell + text.slice(begin, at), end: at };
}

/** @param limit how many rows to read after the header */
export function parseTable(text: string, delimiter: Delimiter, limit: number): Table {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  while (at < text.length && rows.length <= limit) {
    const { cell, end } = readCell(text, at, delimiter);
    row.push(cell);
    at = end + 1;
    if (text[end] === delimiter && end + 1 < text.length) continue;
    if (text[end] === delimiter) row.push("");
    if (text[end] === "\r" && text[at] === "\n") at += 1;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  const [header = [], ...rest] = rows;
  return { header, rows: rest, cut: at < text.length };
}
