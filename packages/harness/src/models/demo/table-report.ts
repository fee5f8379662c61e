/** The texts about a table: its report, the notes below it, and the summary for the chat. All from tool results. */
import { readProse } from "../../base/prose.js";
import { toUnits } from "./decimal.js";
import { nameOfFile } from "./plan-context.js";
import { choosePrimaryMeasure, numberColumns } from "./table-choices.js";
import type { TableFindings } from "./table-reading.js";
import type { TableTotals } from "./table-profile.js";

const CLOSING = readProse(new URL("./closing.md", import.meta.url));

export function tableReport(path: string, found: TableFindings, task: string): string {
  const { profile, totals } = found;
  const columns = profile.columns.map(({ name, kind, filled, empty, distinct }) => [
    name,
    kind,
    filled,
    empty,
    distinct,
  ]);
  const numbers = numberColumns(profile).map(({ name, sum, mean, min, max }) => [name, sum, mean, min, max]);
  return (
    [
      `# Report on ${inline(nameOfFile(path))}`,
      "Made by the demo model of DeerFlow (scripted, no AI).",
      `The table has ${profile.rows} rows and ${profile.columns.length} columns.`,
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
    "Sums are exact; means are rounded to four decimals. Identifiers such as order numbers are not summed.",
    "",
  ].join("\n");

export function tableSummary(path: string, found: TableFindings, task: string): string {
  const { profile, totals } = found;
  const numbers = numberColumns(profile).map(
    ({ name, sum, mean, min, max }) => `- ${inline(name)}: sum ${sum}, mean ${mean}, from ${min} to ${max}`,
  );
  return [
    `${inline(nameOfFile(path))} has ${profile.rows} rows and ${profile.columns.length} columns.`,
    ...numbers,
    ...(totals === undefined ? [] : [topGroup(totals, task)]),
    ...(found.by === "reading" ? ["I computed this by reading the table; no program ran."] : []),
  ].join("\n");
}

function topGroup(totals: TableTotals, task: string): string {
  const top = sortedGroups(totals, task)[0];
  const primary = choosePrimaryMeasure(totals.measures, task);
  if (top === undefined) return "";
  const sum = primary === undefined ? undefined : top.sums[totals.measures.indexOf(primary)];
  const most = sum === undefined ? `${top.rows} rows` : `${inline(primary ?? "")} ${sum} in ${top.rows} rows`;
  return `- Top ${inline(totals.column)}: ${inline(top.value)} with ${most}`;
}

/** The chat's last message: what came out, where it lies, what was shown on purpose, and who speaks. */
export const closingText = (summary: string, facts: readonly string[]): string =>
  [summary, ...(facts.length === 0 ? [] : [facts.join("\n")]), CLOSING].join("\n\n");

export function markdownTable(heads: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const line = (cells: readonly unknown[]): string =>
    `| ${cells.map((cell) => inline(String(cell ?? ""))).join(" | ")} |`;
  return [line(heads), `|${" --- |".repeat(heads.length)}`, ...rows.map(line)].join("\n");
}

/** Names and values are the user's text: they must not break a table or become a link or an image. */
export const inline = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\\|<>[\]`*]/g, "\\$&")
    .slice(0, 200);
