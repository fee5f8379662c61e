/** Choices about a table: what separates its fields, which column to group by, which number matters most. */
import type { ColumnProfile, TableProfile } from "./table-profile.js";

export interface Delimiter {
  /** As the program takes it. */
  readonly name: "comma" | "semicolon" | "tab" | "pipe";
  readonly sign: string;
}

const DELIMITERS: readonly Delimiter[] = [
  { name: "comma", sign: "," },
  { name: "semicolon", sign: ";" },
  { name: "tab", sign: "\t" },
  { name: "pipe", sign: "|" },
];

/** The sign that stands most often outside quotes in the header; a name in .tsv decides a tie. Pure. */
export function delimiterOf(path: string, head: string): Delimiter {
  const header = (head.split(/\r\n|\r|\n/).find((line) => line.trim() !== "") ?? "").replaceAll(
    /"(?:[^"]|"")*"/g,
    "",
  );
  const order = /\.(?:tsv|tab)$/i.test(path) ? DELIMITERS.toReversed() : DELIMITERS;
  const count = ({ sign }: Delimiter): number => header.split(sign).length;
  const [first, ...rest] = order.filter(({ name }) => name !== "pipe" || header.includes("|"));
  return rest.reduce(
    (best, delimiter) => (count(delimiter) > count(best) ? delimiter : best),
    first ?? DELIMITERS[0]!,
  );
}

const MAXIMUM_GROUPS = 50;
/** Names of the number that a table is about, the most telling first. */
const TELLING_MEASURES = [
  /revenue|turnover|umsatz|收入|销售额/i,
  /sales|amount|betrag|金额/i,
  /total|value/i,
  /cost|price|preis/i,
];

/** A column whose values repeat: the one the task names, else one with a handful of values. Pure. */
export function chooseGroupColumn({ rows, columns }: TableProfile, task: string): string | undefined {
  const candidates = columns.filter(
    ({ kind, distinct }) =>
      (kind === "text" || kind === "identifier") &&
      distinct >= 2 &&
      distinct <= MAXIMUM_GROUPS &&
      distinct * 2 <= rows,
  );
  const best =
    candidates.find(({ name }) => names(task, name)) ??
    candidates.find(({ kind, distinct }) => kind === "text" && distinct >= 3 && distinct <= 12) ??
    candidates.toSorted((left, right) => left.distinct - right.distinct)[0];
  return best?.name;
}

/** The number column to sort by: the one the task names, else a telling name, else the last. Pure. */
export function choosePrimaryMeasure(measures: readonly string[], task: string): string | undefined {
  return (
    measures.find((name) => names(task, name)) ??
    TELLING_MEASURES.flatMap((telling) => measures.filter((name) => telling.test(name)))[0] ??
    measures.at(-1)
  );
}

export const numberColumns = ({ columns }: TableProfile): readonly ColumnProfile[] =>
  columns.filter(({ kind }) => kind === "number");

/** Whether the task speaks of a column, in any case and with blanks for underscores. */
function names(task: string, column: string): boolean {
  const plain = (text: string): string =>
    ` ${text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim()} `;
  const wanted = plain(column);
  return (
    wanted.trim() !== "" && (plain(task).includes(wanted) || plain(task).includes(`${wanted.trimEnd()}s `))
  );
}
