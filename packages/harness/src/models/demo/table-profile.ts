/** Computes the profile of a table from its text: the way without a shell, and the measure for the program. */
import { parse } from "csv-parse/sync";
import { z } from "zod";
import { decimalStyle, fromUnits, meanOf, ONE, toUnits } from "./decimal.js";

const column = z.object({
  name: z.string(),
  kind: z.enum(["number", "identifier", "date", "text", "empty"]),
  filled: z.int(),
  empty: z.int(),
  distinct: z.int(),
  /** Of number columns only; exact decimals as text. */
  sum: z.string().optional(),
  mean: z.string().optional(),
  min: z.string().optional(),
  max: z.string().optional(),
});

export const tableProfileSchema = z.object({ rows: z.int(), columns: z.array(column) });
export const tableTotalsSchema = z.object({
  column: z.string(),
  measures: z.array(z.string()),
  /** In the order of the table. */
  groups: z.array(z.object({ value: z.string(), rows: z.int(), sums: z.array(z.string()) })),
});

export type ColumnProfile = z.output<typeof column>;
export type TableProfile = z.output<typeof tableProfileSchema>;
export type TableTotals = z.output<typeof tableTotalsSchema>;

/** A table as rows of trimmed cells, all as long as the header. */
export interface Table {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const NOTHING = /^(?:na|n\/a|nan|null|none|-)?$/i;
const YEAR = /^(?:19|20)\d\d$/;
const DATE = /^(?:\d{4}-\d{1,2}(?:-\d{1,2})?(?:[T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4})$/;
const IDENTIFIER = /(?:^|[\s_-])(?:id|no|nr|number|code|zip|postcode|plz|year|phone)$|[a-z]Id$|^(?:id|ID)$/i;

export function parseTable(text: string, delimiter: string): Table {
  // The options ask for rows of text, which the library's type does not show.
  const records = parse(text, {
    delimiter,
    bom: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
  }) as string[][];
  const [header = [], ...body] = records.map((record) => record.map((cell) => cell.trim()));
  // A year may head a column; any other number means that the table has no header.
  const headless = header.some((cell) => toUnits(cell, "point") !== undefined && !YEAR.test(cell));
  const names = uniqueNames(headless ? header.map((_, index) => `column ${index + 1}`) : header);
  const rows = headless ? [header, ...body] : body;
  return { names, rows: rows.map((row) => names.map((_, index) => row[index] ?? "")) };
}

/** A second column of the same name gets a number behind it, and a nameless one its place. */
function uniqueNames(names: readonly string[]): string[] {
  return names.map((name, index) => {
    const before = names.slice(0, index).filter((other) => other === name).length;
    const shown = name === "" ? `column ${index + 1}` : name;
    return before === 0 || name === "" ? shown : `${shown} (${before + 1})`;
  });
}

export const isFilled = (cell: string): boolean => !NOTHING.test(cell);

/** Counts, kinds, and the sum, mean, minimum and maximum of each number column. */
export const profileTable = ({ names, rows }: Table): TableProfile => ({
  rows: rows.length,
  columns: names.map((name, index) =>
    profileColumn(
      name,
      rows.map((row) => row[index] ?? ""),
      index,
    ),
  ),
});

function profileColumn(name: string, cells: readonly string[], index: number): ColumnProfile {
  const filled = cells.filter(isFilled);
  const style = decimalStyle(filled);
  const units = filled.map((cell) => toUnits(cell, style)).filter((unit) => unit !== undefined);
  const counts = {
    name,
    filled: filled.length,
    empty: cells.length - filled.length,
    distinct: new Set(filled).size,
  };
  if (filled.length === 0) return { ...counts, kind: "empty" };
  if (units.length < filled.length)
    return { ...counts, kind: filled.every((cell) => DATE.test(cell)) ? "date" : "text" };
  const sum = units.reduce((total, unit) => total + unit, 0n);
  const min = units.reduce((least, unit) => (unit < least ? unit : least));
  const max = units.reduce((most, unit) => (unit > most ? unit : most));
  const everyRow = counts.distinct === cells.length && cells.length >= 3;
  const running = index === 0 && everyRow && max - min === ONE * BigInt(cells.length - 1);
  if (running || IDENTIFIER.test(name)) return { ...counts, kind: "identifier" };
  return {
    ...counts,
    kind: "number",
    sum: fromUnits(sum),
    mean: meanOf(sum, units.length),
    min: fromUnits(min),
    max: fromUnits(max),
  };
}

/** Rows and sums of every number column for each value of one column. An empty cell is the value "(empty)". */
export function totalsBy(table: Table, profile: TableProfile, column: string): TableTotals {
  const key = table.names.indexOf(column);
  const measures = profile.columns.flatMap(({ kind, name }, index) =>
    kind === "number" ? [{ name, index }] : [],
  );
  const styles = measures.map(({ index }) =>
    decimalStyle(table.rows.map((row) => row[index] ?? "").filter(isFilled)),
  );
  const groups = new Map<string, { rows: number; sums: bigint[] }>();
  for (const row of table.rows) {
    const cell = row[key] ?? "";
    const value = isFilled(cell) ? cell : "(empty)";
    const group = groups.get(value) ?? { rows: 0, sums: measures.map(() => 0n) };
    group.rows += 1;
    group.sums = measures.map(({ index }, place) => {
      const units = toUnits(row[index] ?? "", styles[place] ?? "point");
      return (group.sums[place] ?? 0n) + (units ?? 0n);
    });
    groups.set(value, group);
  }
  return {
    column,
    measures: measures.map(({ name }) => name),
    groups: [...groups].map(([value, { rows, sums }]) => ({ value, rows, sums: sums.map(fromUnits) })),
  };
}
