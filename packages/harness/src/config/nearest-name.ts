/** Finds what somebody meant by a name that does not exist. */

/** Insertions, removals, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const above = rows[row - 1] ?? [];
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line[column] = Math.min(
        (above[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (rows[row - 2]?.[column - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    rows.push(line);
  }
  return rows[a.length]?.[b.length] ?? 0;
}

/** The known name nearest to `name`, if it is near enough to be meant: a third of its length may differ. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate.toLowerCase()) }))
    .toSorted((left, right) => left.distance - right.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(1, Math.floor(name.length / 3))
    ? best.candidate
    : undefined;
}
