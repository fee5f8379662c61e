/** Tables of rows for programs, looked up by name. */

interface ProgramRow {
  /** Names of the programs, without folder. */
  readonly programs: RegExp;
}

/** Names come from the command; more than these are not remembered. */
const REMEMBERED = 1000;

/** The rows for a name, in the order of the table. Remembers what it found. */
export function rowsByProgram<Row extends ProgramRow>(
  table: readonly Row[],
): (name: string) => readonly Row[] {
  const known = new Map<string, readonly Row[]>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const rows = table.filter(({ programs }) => programs.test(name));
    if (known.size < REMEMBERED) known.set(name, rows);
    return rows;
  };
}
