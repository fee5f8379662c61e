/** One page of a file: as many whole lines as an answer holds, or the beginning of one. Pure. */
import type { TextView } from "../read-file.js";
import { piece, type Row, ROW_FRAME, rowsOf } from "./numbered-rows.js";

export interface Page {
  readonly rows: readonly Row[];
  /** The last line that is shown, at least in part. */
  readonly end: number;
  /** Where that line goes on, when not all of it is shown. */
  readonly nextCharacter: number | undefined;
}

/**
 * @param room the most characters of the rendered rows
 * @param rowCharacters the most characters of one row's text
 */
export function pageOf(view: TextView, room: number, rowCharacters: number): Page {
  const rows: Row[] = [];
  let taken = { characters: 0, rows: 0, markerWidth: 0 };
  for (const [index, line] of view.lines.entries()) {
    const number = view.startLine + index;
    const added = rowsOf({ number, ...line }, rowCharacters);
    taken = withRows(taken, added);
    const fits = line.isWhole && sizeOf(taken) <= room;
    if (!fits && index === 0) return cutInside(added, line.startCharacter, { number, room });
    if (!fits) return { rows, end: number - 1, nextCharacter: undefined };
    rows.push(...added);
  }
  return { rows, end: view.startLine + view.lines.length - 1, nextCharacter: undefined };
}

interface Taken {
  readonly characters: number;
  readonly rows: number;
  readonly markerWidth: number;
}

const withRows = (taken: Taken, added: readonly Row[]): Taken => ({
  characters: taken.characters + added.reduce((sum, row) => sum + row.text.length, 0),
  rows: taken.rows + added.length,
  markerWidth: added.reduce((widest, row) => Math.max(widest, row.marker.length), taken.markerWidth),
});

const sizeOf = ({ characters, rows, markerWidth }: Taken): number =>
  characters + rows * (markerWidth + ROW_FRAME);

/** As many rows of the line as fit; of the very first as much as fits. */
function cutInside(
  rows: readonly Row[],
  startCharacter: number,
  { number, room }: { readonly number: number; readonly room: number },
): Page {
  let kept: Row[] = [];
  for (const row of rows) {
    const more = [...kept, row];
    if (sizeOf(withRows({ characters: 0, rows: 0, markerWidth: 0 }, more)) > room) break;
    kept = more;
  }
  const [first] = rows;
  if (kept.length === 0 && first !== undefined) {
    kept = [{ ...first, text: piece(first.text, 0, room - first.marker.length - ROW_FRAME) }];
  }
  const shown = kept.reduce((sum, row) => sum + row.text.length, 0);
  return { rows: kept, end: number, nextCharacter: startCharacter + shown };
}
