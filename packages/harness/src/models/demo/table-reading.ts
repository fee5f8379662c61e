/** Finds the numbers of a table: by a program in the sandbox, or by reading the whole file where there is no shell. */
import { VIRTUAL_WORKSPACE } from "../../context/home-paths.js";
import { readProse } from "../../base/prose.js";
import { nameOfFile, type PlanContext, type Progress, ready, working } from "./plan-context.js";
import { guardedWrite } from "./shared-steps.js";
import { type Step, stepState, takeStep } from "./steps.js";
import { chooseGroupColumn, delimiterOf } from "./table-choices.js";
import {
  parseTable,
  profileTable,
  type TableProfile,
  tableProfileSchema,
  type TableTotals,
  tableTotalsSchema,
  totalsBy,
} from "./table-profile.js";
import { parseFilePage, parseJsonLine } from "./tool-results.js";

export const PROGRAM_PATH = `${VIRTUAL_WORKSPACE}/profile.mjs`;
/** The program as it is written into the workspace. */
export const PROGRAM = fencedCode(readProse(new URL("./profile-program.md", import.meta.url)));
const MAXIMUM_PAGES = 25;

export interface TableFindings {
  readonly profile: TableProfile;
  readonly totals: TableTotals | undefined;
  /** How the numbers came about. */
  readonly by: "program" | "reading";
  /** Why the program was not used, where there is a shell. */
  readonly detour?: string;
}

export type Findings = { readonly found: TableFindings } | { readonly problem: string };

export const noRows = (name: string): string => `${name} has a header but no rows.`;

/** The program's numbers; where it cannot run or answer, the numbers from reading the file. */
export function findNumbers(context: PlanContext, path: string, head: string): Progress<Findings> {
  const findings = programOrReading(context, path, head);
  if (findings.kind === "working" || "problem" in findings.value) return findings;
  return findings.value.found.profile.rows > 0 ? findings : ready({ problem: noRows(nameOfFile(path)) });
}

function programOrReading(context: PlanContext, path: string, head: string): Progress<Findings> {
  if (!context.tools.has("bash")) return readNumbers(context, path);
  const program = programNumbers(context, path, head);
  if (program.kind === "working") return program;
  if ("found" in program.value) return ready(program.value);
  const detour = program.value.problem;
  const reading = readNumbers(context, path);
  if (reading.kind === "working") {
    return working({ ...reading.turn, text: `${detour} I read the table instead. ${reading.turn.text}` });
  }
  return ready("found" in reading.value ? { found: { ...reading.value.found, detour } } : reading.value);
}

function programNumbers(context: PlanContext, path: string, head: string): Progress<Findings> {
  const written = guardedWrite(context, {
    path: PROGRAM_PATH,
    content: PROGRAM,
    append: false,
    text: "I write a small program of my own that profiles the table.",
    description: "Write the program that profiles the table",
  });
  if (written.kind === "working") return written;
  if (!written.value.ok)
    return ready({ problem: `The program could not be written (${written.value.reason}).` });
  const command = commandLine(path, head);
  const first = runProgram(context, `Profile ${nameOfFile(path)}`, command, "Now I run it.");
  if (first.kind === "working") return first;
  const profile = parseJsonLine(first.value ?? "", tableProfileSchema);
  if (profile === undefined) return ready({ problem: "The program did not answer with numbers." });
  const column = chooseGroupColumn(profile, context.view.task);
  if (column === undefined) return ready({ found: { profile, totals: undefined, by: "program" } });
  const place = profile.columns.findIndex(({ name }) => name === column) + 1;
  const second = runProgram(
    context,
    `Total by ${column}`,
    `${command} ${place}`,
    `Totals by ${column} look useful.`,
  );
  if (second.kind === "working") return second;
  return ready({
    found: { profile, totals: parseJsonLine(second.value ?? "", tableTotalsSchema), by: "program" },
  });
}

/** The command up to the file and its delimiter; the file's name is the user's, so it is quoted. */
export const commandLine = (path: string, head: string): string =>
  `node ${PROGRAM_PATH} '${path.replaceAll("'", "'\\''")}' ${delimiterOf(path, head).name}`;

function runProgram(
  { view }: PlanContext,
  description: string,
  command: string,
  text: string,
): Progress<string | undefined> {
  const step: Step = { tool: "bash", description, args: { command } };
  const state = stepState(view, step);
  if (state.kind === "todo") {
    const shown = state.interrupted ? "That run was cut off. It changes nothing, so I start it again." : text;
    return working(takeStep(shown, step, state));
  }
  return ready(state.kind === "done" ? state.outcome.text : undefined);
}

function readNumbers(context: PlanContext, path: string): Progress<Findings> {
  const whole = readWhole(context, path);
  if (whole.kind === "working") return whole;
  if ("problem" in whole.value) return ready(whole.value);
  const table = parseTable(whole.value.text, delimiterOf(path, whole.value.text).sign);
  const profile = profileTable(table);
  const column = chooseGroupColumn(profile, context.view.task);
  const totals = column === undefined ? undefined : totalsBy(table, profile, column);
  return ready({ found: { profile, totals, by: "reading" } });
}

function readWhole(
  { view }: PlanContext,
  path: string,
): Progress<{ readonly text: string } | { readonly problem: string }> {
  const name = nameOfFile(path);
  let text = "";
  let line: number | undefined = 1;
  for (let page = 0; line !== undefined; page += 1) {
    if (page >= MAXIMUM_PAGES) return ready({ problem: `${name} is too large to be read page by page.` });
    const args = line === 1 ? { path } : { path, start_line: line };
    const step: Step = { tool: "read_file", description: `Read ${name} from line ${line} to its end`, args };
    const state = stepState(view, step);
    if (state.kind === "todo") return working(takeStep(`I read the table from line ${line}.`, step, state));
    if (state.kind === "failed") return ready({ problem: `${name} could not be read from line ${line}.` });
    const { text: part, nextLine, lineCut } = parseFilePage(state.outcome.text);
    if (lineCut) return ready({ problem: `A line of ${name} is too long to be read.` });
    text += part.endsWith("\n") ? part : `${part}\n`;
    line = nextLine;
  }
  return ready({ text });
}

function fencedCode(prose: string): string {
  const code = /```js\n([\s\S]*?)```/.exec(prose)?.[1];
  if (code === undefined) throw new Error("profile-program.md holds no program");
  return code;
}
