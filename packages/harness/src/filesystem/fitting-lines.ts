/** How many of the first `lines` have, with their line breaks, at most `limit` characters together. */
export function fittingLines(lines: readonly string[], limit: number): number {
  let size = 0;
  const over = lines.findIndex((line) => {
    size += line.length + 1;
    return size > limit;
  });
  return over === -1 ? lines.length : over;
}
