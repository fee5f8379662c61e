/** Whether a column of a table holds numbers, which read best when their digits stand below each other. */

const NUMBER = /^[+\-−(]?\s?[$€£¥]?\s?\d[\d.,'’\u00A0\u202F ]*\s?[%‰€$£¥]?\)?$/;
/** What stands where a number is missing. */
const EMPTY = /^(?:|[-–—]|n\/a|null|NaN)$/i;

/** @param cells the column without its heading */
export function isNumericColumn(cells: readonly string[]): boolean {
  const trimmed = cells.map((cell) => cell.trim());
  return (
    trimmed.every((cell) => NUMBER.test(cell) || EMPTY.test(cell)) &&
    trimmed.some((cell) => NUMBER.test(cell))
  );
}
