/** The plan for a table: look, compute, report, present. */
import { VIRTUAL_OUTPUTS } from "../../context/home-paths.js";
import { nameOfFile, type PlanContext, type Progress, ready, working } from "./plan-context.js";
import { guardedWrite, present, refusedCommand, withTodos } from "./shared-steps.js";
import { firstLine, type Step, stepState, takeStep } from "./steps.js";
import { closingText, tableNotes, tableReport, tableSummary } from "./table-report.js";
import { commandLine, findNumbers } from "./table-reading.js";
import { parseFilePage } from "./tool-results.js";
import { finalTurn, type Turn } from "./turn.js";

const REPORT_PATH = `${VIRTUAL_OUTPUTS}/report.md`;
const TODOS = ["Look at the table", "Compute its numbers", "Write the report", "Check it and hand it over"];

/** The next turn of the task "profile this table". Pure. */
export function planTable(context: PlanContext, path: string): Turn {
  const head = lookAtHead(context, path);
  if (head.kind === "working") return withTodos(context, head.turn, TODOS, 0);
  if ("problem" in head.value) return finalTurn(closingText(head.value.problem, []));
  const refused = refusedCommand(context);
  if (refused.kind === "working") return withTodos(context, refused.turn, TODOS, 1);
  const numbers = findNumbers(context, path, head.value.text);
  if (numbers.kind === "working") return numbers.turn;
  if ("problem" in numbers.value) return finalTurn(closingText(numbers.value.problem, []));
  const { found } = numbers.value;
  const written = writeReport(context, tableReport(path, found, context.view.task), tableNotes(found), {
    command: `${commandLine(path, head.value.text)} 0 ${REPORT_PATH}`,
    wanted: found.by === "program",
  });
  if (written.kind === "working") return written.turn;
  const facts = [...written.value, ...(refused.value === undefined ? [] : [refused.value])];
  return finalTurn(closingText(tableSummary(path, found, context.view.task), facts));
}

function lookAtHead(
  { view }: PlanContext,
  path: string,
): Progress<{ readonly text: string } | { readonly problem: string }> {
  const name = nameOfFile(path);
  const step: Step = {
    tool: "read_file",
    description: `Read the head of ${name}`,
    args: { path, start_line: 1, end_line: 20 },
  };
  const state = stepState(view, step);
  if (state.kind === "todo") {
    return working(takeStep(`I make a plan and look at ${name}.`, step, state));
  }
  if (state.kind === "failed")
    return ready({ problem: `I cannot read ${name}: ${firstLine(state.outcome.text)}` });
  const { text, isText } = parseFilePage(state.outcome.text);
  if (!isText) return ready({ problem: `${name} is no text, so I cannot read it as a table.` });
  return ready(text.trim() === "" ? { problem: `${name} is empty.` } : { text });
}

interface Check {
  /** Appends to the report behind the file tools' back, which makes what was written stale. */
  readonly command: string;
  readonly wanted: boolean;
}

/** Writes the report, lets the program check it, adds the notes, presents it. Results in sentences about it. */
function writeReport(context: PlanContext, report: string, notes: string, check: Check): Progress<string[]> {
  const first = guardedWrite(context, {
    path: REPORT_PATH,
    content: report,
    append: false,
    text: "I have the numbers and write the report.",
    description: "Write the report",
  });
  if (first.kind === "working") return working(withTodos(context, first.turn, TODOS, 2));
  if (!first.value.ok) return ready([`The report could not be written (${first.value.reason}).`]);
  const checked = checkReport(context, check);
  if (checked.kind === "working") return working(withTodos(context, checked.turn, TODOS, 3));
  const second = addNotes(context, notes);
  if (second.kind === "working") return second;
  const presented = present(context, REPORT_PATH, TODOS);
  if (presented.kind === "working") return presented;
  return ready([`The report is ${REPORT_PATH}.`, ...second.value]);
}

/** Without a check the notes alone show the gate, as the model has not read what it wrote. */
function addNotes(context: PlanContext, content: string): Progress<string[]> {
  const added = guardedWrite(context, {
    path: REPORT_PATH,
    content,
    append: true,
    text: "I add how it was made, without reading the report first.",
    description: "Add the notes to the report",
  });
  if (added.kind === "working") return added;
  if (!added.value.ok) return ready([`The notes could not be added (${added.value.reason}).`]);
  if (added.value.refusal === undefined) return ready([]);
  return ready([
    "A change of the report that I had not read was refused; after reading it, the change went through.",
  ]);
}

function checkReport({ view }: PlanContext, { command, wanted }: Check): Progress<undefined> {
  if (!wanted) return ready(undefined);
  const step: Step = {
    tool: "bash",
    description: "Let the program add a check to the report",
    args: { command },
  };
  const state = stepState(view, step);
  return state.kind === "todo"
    ? working(takeStep("The program reads the table once more and adds a check to the report.", step, state))
    : ready(undefined);
}
