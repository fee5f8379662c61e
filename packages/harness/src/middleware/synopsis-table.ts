/** What a table holds: its kind, its columns, how many rows. */
import { countLines, linesWithin, oneLine } from "./offload-text.js";

const SAMPLED_LINES = 20;
const SAMPLED_CHARACTERS = 100_000;
const LEAST_LINES = 3;
const CELL_CHARACTERS = 60;
const ROW_CHARACTERS = 200;
const MAX_COLUMNS_SHOWN = 40;
const MARKDOWN_RULE = /^\|[ :|-]+$/;
/** A name of a column begins with a letter; dates and log levels in brackets do not. */
const COLUMN_NAME = /^["']?[\p{L}_]/u;

const DELIMITERS = [
  { sign: "\t", name: "TSV" },
  { sign: ",", name: "CSV" },
  { sign: ";", name: "CSV with semicolons" },
] as const;

/** Undefined when the first lines do not all have the same number of cells below a line of names. */
export function tableSynopsis(text: string): string | undefined {
  const lines = firstLines(text);
  const [first, second] = lines;
  if (first === undefined || second === undefined || lines.length < LEAST_LINES) return undefined;
  if (first.startsWith("|") && MARKDOWN_RULE.test(second)) {
    const cells = (line: string) =>
      line
        .replace(/^\|/, "")
        .replace(/\|\s*$/, "")
        .split("|");
    return describe("Markdown", cells(first), lines[2] ?? "", countLines(text) - 2);
  }
  for (const { sign, name } of DELIMITERS) {
    const header = cellsOf(first, sign);
    if (header.length < 2 || !header.every((cell) => COLUMN_NAME.test(cell.trim()))) continue;
    if (lines.every((line) => cellsOf(line, sign).length === header.length)) {
      return describe(name, header, second, countLines(text) - 1);
    }
  }
  return undefined;
}

function firstLines(text: string): readonly string[] {
  const lines: string[] = [];
  for (const line of linesWithin(text, SAMPLED_CHARACTERS)) {
    if (line.text.trim() !== "") lines.push(line.text.trimEnd());
    if (lines.length === SAMPLED_LINES) break;
  }
  // The last one may have been cut by the limit.
  return text.length > SAMPLED_CHARACTERS && lines.length < SAMPLED_LINES ? lines.slice(0, -1) : lines;
}

/** The cells of a line; a sign between double quotes is part of a cell. */
function cellsOf(line: string, sign: string): readonly string[] {
  const cells: string[] = [];
  let isQuoted = false;
  let from = 0;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (line[at] === sign && !isQuoted) {
      cells.push(line.slice(from, at));
      from = at + 1;
    }
  }
  return [...cells, line.slice(from)];
}

function describe(kind: string, header: readonly string[], firstRow: string, rows: number): string {
  const names = header.slice(0, MAX_COLUMNS_SHOWN).map((cell) => oneLine(cell, CELL_CHARACTERS));
  const more = header.length > names.length ? `, and ${header.length - names.length} more` : "";
  return [
    `Table (${kind}) with ${header.length} columns and ${rows} rows.`,
    `Columns: ${names.join(", ")}${more}`,
    `First row: ${oneLine(firstRow, ROW_CHARACTERS)}`,
  ].join("\n");
}
