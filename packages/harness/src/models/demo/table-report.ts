/** The texts about a table: its report, the notes below it, and the summary for the chat. All from tool results. */
import { counted } from "./counted.js";
import { toUnits } from "./decimal.js";
import { inline, markdownTable } from "./markdown.js";
import { nameOfFile } from "./plan-context.js";
import { choosePrimaryMeasure, numberColumns } from "./table-choices.js";
import type { TableFindings } from "./table-reading.js";
import type { TableFlaws, TableProfile, TableTotals } from "./table-profile.js";

/** @param remarks sentences about the other files */
export function tableReport(
  path: string,
  found: TableFindings,
  task: string,
  remarks: readonly string[],
): string {
  const { profile, totals } = found;
  const columns = profile.columns.map(({ name, kind, filled, empty, distinct }) => [
    name,
    kind,
    filled,
    empty,
    distinct,
  ]);
  const numbers = numberColumns(profile).map(({ name, sum = "–", mean, min, max }) => [
    name,
    sum,
    mean,
    min,
    max,
  ]);
  return (
    [
      `# Report on ${inline(nameOfFile(path))}`,
      "Made by the demo model of DeerFlow (scripted, no AI).",
      `The table has ${sizeOf(profile)}.`,
      ...flawsText(profile.flaws),
      ...remarks,
      "## Columns",
      markdownTable(["Column", "Kind", "Filled", "Empty", "Distinct"], columns),
      ...(numbers.length === 0
        ? ["No column holds only numbers."]
        : ["## Numbers", markdownTable(["Column", "Sum", "Mean", "Minimum", "Maximum"], numbers)]),
      ...(totals === undefined ? [] : totalsText(totals, task)),
      "",
    ]
      .join("\n\n")
      .trimEnd() + "\n"
  );
}

const sizeOf = ({ rows, columns }: TableProfile): string =>
  `${counted(rows, "row")} and ${counted(columns.length, "column")}`;

/** One line about whatever is not as it should be; none where all is well. */
export function flawsText({ blankRows, shortRows, longRows, openQuote }: TableFlaws): string[] {
  const has = (count: number): string => `${counted(count, "row")} ${count === 1 ? "has" : "have"}`;
  const sentences = [
    ...(blankRows > 0
      ? [`${counted(blankRows, "blank row")} ${blankRows === 1 ? "is" : "are"} not counted.`]
      : []),
    ...(shortRows > 0
      ? [`${has(shortRows)} fewer fields than the header; what is missing counts as empty.`]
      : []),
    ...(longRows > 0
      ? [`${has(longRows)} more fields than the header; the further fields are left out.`]
      : []),
    ...(openQuote ? ["A quote is opened and never closed, so everything after it is one field."] : []),
  ];
  return sentences.length === 0 ? [] : [sentences.join(" ")];
}

function totalsText(totals: TableTotals, task: string): string[] {
  const rows = sortedGroups(totals, task).map(({ value, rows, sums }) => [value, rows, ...sums]);
  const heads = [totals.column, "Rows", ...totals.measures.map((name) => `Sum of ${name}`)];
  return [`## Totals by ${inline(totals.column)}`, markdownTable(heads, rows)];
}

/** Largest first by the number that matters most, by rows where there is none. */
export function sortedGroups(totals: TableTotals, task: string): TableTotals["groups"] {
  const primary = choosePrimaryMeasure(totals.measures, task);
  const place = primary === undefined ? -1 : totals.measures.indexOf(primary);
  const weight = (group: TableTotals["groups"][number]): bigint =>
    toUnits(group.sums[place] ?? String(group.rows), "point") ?? 0n;
  return totals.groups.toSorted((left, right) => {
    const difference = weight(right) - weight(left);
    if (difference === 0n) return 0;
    return difference > 0n ? 1 : -1;
  });
}

export const tableNotes = ({ by, detour }: TableFindings): string =>
  [
    "",
    "## How this was made",
    "",
    by === "program"
      ? "The numbers come from a small program that ran in the sandbox; it is profile.mjs in the workspace."
      : "The numbers come from reading the whole table; no program ran.",
    ...(detour === undefined ? [] : [detour]),
    "Sums are exact; means are rounded, to two decimals where the values have two, else to four.",
    "Identifiers such as order numbers are not summed, nor are prices, rates and percentages.",
    "",
  ].join("\n");

export function tableSummary(path: string, found: TableFindings, task: string): string {
  const { profile, totals } = found;
  const numbers = numberColumns(profile).map(
    ({ name, sum, mean, min, max }) =>
      `- ${inline(name)}: ${sum === undefined ? "" : `sum ${sum}, `}mean ${mean}, from ${min} to ${max}`,
  );
  return [
    `${inline(nameOfFile(path))} has ${sizeOf(profile)}.`,
    ...flawsText(profile.flaws),
    ...numbers,
    ...(totals === undefined ? [] : [topGroup(totals, task)]),
    ...(found.by === "reading" ? ["", "I computed this by reading the table; no program ran."] : []),
  ].join("\n");
}

function topGroup(totals: TableTotals, task: string): string {
  const top = sortedGroups(totals, task)[0];
  const primary = choosePrimaryMeasure(totals.measures, task);
  if (top === undefined) return "";
  const sum = primary === undefined ? undefined : top.sums[totals.measures.indexOf(primary)];
  const rows = counted(top.rows, "row");
  const most = sum === undefined ? rows : `${inline(primary ?? "")} ${sum} in ${rows}`;
  return `- Top ${inline(totals.column)}: ${inline(top.value)} with ${most}`;
}
