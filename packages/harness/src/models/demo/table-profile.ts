/** Computes the profile of a table from its text: the way without a shell, and the measure for the program. */
import { CsvError, parse } from "csv-parse/sync";
import { z } from "zod";
import { type DecimalStyle, decimalsOf, decimalStyle, fromUnits, meanOf, ONE, toUnits } from "./decimal.js";

const column = z.object({
  name: z.string(),
  kind: z.enum(["number", "identifier", "date", "text", "empty"]),
  filled: z.int(),
  empty: z.int(),
  distinct: z.int(),
  /** Of number columns only; exact decimals as text. Prices and rates have no sum: it would mean nothing. */
  sum: z.string().optional(),
  mean: z.string().optional(),
  min: z.string().optional(),
  max: z.string().optional(),
});

/** What is not as it should be. */
const flaws = z.object({
  /** Rows with nothing in them; they are left out. */
  blankRows: z.int(),
  /** Rows with fewer fields than the header; what is missing counts as empty. */
  shortRows: z.int(),
  /** Rows with more fields than the header; the further fields are left out. */
  longRows: z.int(),
  /** True when a quote is never closed, so that the rest of the file is one field. */
  openQuote: z.boolean(),
});

export const tableProfileSchema = z.object({ rows: z.int(), flaws, columns: z.array(column) });
export const tableTotalsSchema = z.object({
  column: z.string(),
  measures: z.array(z.string()),
  /** In the order of the table. */
  groups: z.array(z.object({ value: z.string(), rows: z.int(), sums: z.array(z.string()) })),
});

export type ColumnProfile = z.output<typeof column>;
export type TableFlaws = z.output<typeof flaws>;
export type TableProfile = z.output<typeof tableProfileSchema>;
export type TableTotals = z.output<typeof tableTotalsSchema>;

/** A table as rows of trimmed cells, all as long as the header. */
export interface Table {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly flaws: TableFlaws;
}

const NOTHING = /^(?:na|n\/a|nan|null|none|-)?$/i;
const YEAR = /^(?:19|20)\d\d$/;
const DATE = /^(?:\d{4}-\d{1,2}(?:-\d{1,2})?(?:[T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4})$/;
const IDENTIFIER = /(?:^|[\s_-])(?:id|no|nr|number|code|zip|postcode|plz|year|phone)$|[a-z]Id$|^(?:id|ID)$/i;

/** Numbers for one thing each, or parts of a whole: adding them up means nothing. */
const PER_UNIT =
  /price|preis|percent|prozent|%|anteil|durchschnitt|average|zinssatz|steuersatz|(?<![a-z])(?:rates?|ratio|pct|avg|mean)(?![a-z])|单价|价格|比例|率|平均/;
const TOTAL = /total|gesamt|(?<![a-z])sum(?![a-z])|总/;

/** Whether a sum of the column of that name means something, as far as the name tells. Pure. */
export function isSummable(name: string): boolean {
  const words = name.replaceAll(/([a-z])(?=[A-Z])/g, "$1 ").toLowerCase();
  return TOTAL.test(words) || !PER_UNIT.test(words);
}

/** Lines end in LF, CR or CRLF outside of quotes, whichever a line has. Pure. */
export function parseTable(text: string, delimiter: string): Table {
  const { records: all, openQuote } = readRecords(text, delimiter);
  const trimmed = all.map((record) => record.map((cell) => cell.trim()));
  const records = trimmed.filter((record) => record.some((cell) => cell !== ""));
  const [header = [], ...body] = records;
  // A year may head a column; any other number means that the table has no header.
  const headless = header.some((cell) => toUnits(cell, "point") !== undefined && !YEAR.test(cell));
  const names = uniqueNames(headless ? header.map((_, index) => `column ${index + 1}`) : header);
  const rows = headless ? [header, ...body] : body;
  return {
    names,
    rows: rows.map((row) => names.map((_, index) => row[index] ?? "")),
    flaws: {
      blankRows: all.length - records.length,
      shortRows: rows.filter((row) => row.length < names.length).length,
      longRows: rows.filter((row) => row.length > names.length).length,
      openQuote,
    },
  };
}

function readRecords(text: string, delimiter: string): { records: string[][]; openQuote: boolean } {
  const options = {
    delimiter,
    bom: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_quotes: true,
    relax_column_count: true,
  };
  // The options ask for rows of text, which the library's type does not show.
  const read = (source: string) => parse(source, options) as unknown as string[][];
  try {
    return { records: read(text), openQuote: false };
  } catch (error) {
    if (!(error instanceof CsvError && error.code === "CSV_QUOTE_NOT_CLOSED")) throw error;
    return { records: read(`${text}"`), openQuote: true };
  }
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
export const profileTable = ({ names, rows, flaws }: Table): TableProfile => ({
  rows: rows.length,
  flaws,
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
  const decimals = shownDecimals(filled, style);
  return {
    ...counts,
    kind: "number",
    ...(isSummable(name) ? { sum: fromUnits(sum, decimals) } : {}),
    mean: meanOf(sum, units.length, decimals),
    min: fromUnits(min, decimals),
    max: fromUnits(max, decimals),
  };
}

const MOST_PADDED = 4;

/** The decimals that all numbers of a column are shown with: the most that one is written with, unless many. */
function shownDecimals(cells: readonly string[], style: DecimalStyle): number {
  const most = cells.reduce((decimals, cell) => Math.max(decimals, decimalsOf(cell, style)), 0);
  return most > MOST_PADDED ? 0 : most;
}

/** Rows and sums of every number column that can be summed, for each value of one column. An empty cell is the value "(empty)". */
export function totalsBy(table: Table, profile: TableProfile, column: string): TableTotals {
  const key = table.names.indexOf(column);
  const measures = profile.columns.flatMap(({ sum, name }, index) => {
    if (sum === undefined) return [];
    const filled = table.rows.map((row) => row[index] ?? "").filter(isFilled);
    const style = decimalStyle(filled);
    return [{ name, index, style, decimals: shownDecimals(filled, style) }];
  });
  const groups = new Map<string, { rows: number; sums: bigint[] }>();
  for (const row of table.rows) {
    const cell = row[key] ?? "";
    const value = isFilled(cell) ? cell : "(empty)";
    const group = groups.get(value) ?? { rows: 0, sums: measures.map(() => 0n) };
    group.rows += 1;
    group.sums = measures.map(({ index, style }, place) => {
      const units = toUnits(row[index] ?? "", style);
      return (group.sums[place] ?? 0n) + (units ?? 0n);
    });
    groups.set(value, group);
  }
  return {
    column,
    measures: measures.map(({ name }) => name),
    groups: [...groups].map(([value, { rows, sums }]) => ({
      value,
      rows,
      sums: sums.map((sum, place) => fromUnits(sum, measures[place]?.decimals)),
    })),
  };
}
