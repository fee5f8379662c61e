/** A size for a person. */
const UNITS = ["kB", "MB", "GB", "TB"] as const;

/** @example bytesText(3_400_000) // "3.4 MB" */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let size = bytes;
  let unit = -1;
  // Rounded first: 999,999 bytes are 1.0 MB and not 1000.0 kB.
  while (unit < 0 || (Number(size.toFixed(1)) >= 1000 && unit < UNITS.length - 1)) {
    size /= 1000;
    unit += 1;
  }
  return `${size.toFixed(1)} ${UNITS[unit]}`;
}
