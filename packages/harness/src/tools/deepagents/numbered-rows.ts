/** Lines with their numbers in a gutter. A long line takes several rows: 7, 7.1, 7.2, … */

export interface NumberedLine {
  readonly number: number;
  readonly text: string;
  /** Where in the line `text` begins. */
  readonly startCharacter: number;
}

export interface Row {
  readonly marker: string;
  readonly text: string;
}

/** The rows of one line, each of at most `width` characters and never with half of a surrogate pair. */
export function rowsOf(line: NumberedLine, width: number): readonly Row[] {
  const rows: Row[] = [];
  const before = Math.floor(line.startCharacter / width);
  let at = 0;
  do {
    const text = piece(line.text, at, width);
    const index = before + rows.length;
    rows.push({ marker: index === 0 ? `${line.number}` : `${line.number}.${index}`, text });
    at += text.length;
  } while (at < line.text.length);
  return rows;
}

/** At most `length` characters from `at` on, at least one. */
export function piece(text: string, at: number, length: number): string {
  const end = at + Math.max(1, length);
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(end));
  return text.slice(at, splitsPair ? (end - 1 > at ? end - 1 : end + 1) : end);
}

const GAP = "  ";
/** What a row costs besides its marker's column and its text: the gap and the line break. */
export const ROW_FRAME = GAP.length + 1;

/** The rows under each other, their markers flush right. */
export function renderRows(rows: readonly Row[]): string {
  const width = Math.max(...rows.map((row) => row.marker.length));
  return rows.map(({ marker, text }) => `${marker.padStart(width)}${GAP}${text}`).join("\n");
}
