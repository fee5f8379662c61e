/** The plan for a table: look, compute, report, present. */
import { VIRTUAL_OUTPUTS } from "../../context/home-paths.js";
import { nameOfFile, type PlanContext, type Progress, ready, working } from "./plan-context.js";
import { asksForMore, type Intent } from "./intents.js";
import {
  addNotes,
  giveUp,
  guardedWrite,
  isAfter,
  present,
  presentContentStep,
  refusedCommand,
  withTodos,
} from "./shared-steps.js";
import { callOf, firstLine, outcomesOfStep, type Step, stepState, takeStep } from "./steps.js";
import { delimiterOf } from "./table-choices.js";
import { parseTable } from "./table-profile.js";
import { closingText, otherFiles, unreadTask } from "./closing.js";
import { inline } from "./markdown.js";
import { tableNotes, tableReport, tableSummary } from "./table-report.js";
import { commandLine, findNumbers, noRows } from "./table-reading.js";
import { parseFilePage } from "./tool-results.js";
import { finalTurn, type Turn } from "./turn.js";

type TableIntent = Intent & { readonly kind: "table" };

const REPORT_PATH = `${VIRTUAL_OUTPUTS}/report.md`;
const TODOS = ["Look at the table", "Compute its numbers", "Write the report", "Check it and hand it over"];

/** The next turn of the task "profile this table". Pure. */
export function planTable(context: PlanContext, intent: TableIntent): Turn {
  const chosen = chooseTable(context, intent.paths);
  if (chosen.kind === "working") return withTodos(context, chosen.turn, TODOS, 0);
  const { table, problems } = chosen.value;
  const asked = asksForMore(context.view.task) ? [unreadTask("it always profiles a table")] : [];
  if (table === undefined) {
    return giveUp(context, TODOS.slice(0, 1), [...problems, ...otherFiles(intent.others), NO_REPORT]);
  }
  const others = [...intent.paths.slice(problems.length + 1), ...intent.others];
  const remarks = [...problems, ...otherFiles(others)];
  const refused = refusedCommand(context);
  if (refused.kind === "working") return withTodos(context, refused.turn, TODOS, 1);
  const numbers = findNumbers(context, table.path, table.head);
  if (numbers.kind === "working") return numbers.turn;
  if ("problem" in numbers.value) {
    return giveUp(context, TODOS.slice(0, 1), [...remarks, numbers.value.problem, NO_REPORT]);
  }
  const { found } = numbers.value;
  const task = context.view.task;
  const texts = { report: tableReport(table.path, found, task, remarks), notes: tableNotes(found) };
  const written = writeReport(context, texts, {
    command: `${commandLine(table.path, table.head)} 0 ${REPORT_PATH}`,
    wanted: found.by === "program",
  });
  if (written.kind === "working") return written.turn;
  // A blank line keeps the remarks out of the list above them.
  const about = remarks.length === 0 ? [] : [remarks.join("\n")];
  const summary = [tableSummary(table.path, found, task), ...about].join("\n\n");
  if ("problem" in written.value) return giveUp(context, TODOS.slice(0, 2), [summary, written.value.problem]);
  const facts = [...written.value.facts, ...(refused.value === undefined ? [] : [refused.value]), ...asked];
  return finalTurn(closingText(summary, facts));
}

const NO_REPORT = "So there is nothing to compute, and I wrote no report.";

interface Choice {
  readonly table: { readonly path: string; readonly head: string } | undefined;
  /** What is wrong with the tables before the chosen one. */
  readonly problems: readonly string[];
}

/** The first table that can be read and has rows. */
function chooseTable(context: PlanContext, paths: readonly string[]): Progress<Choice> {
  const problems: string[] = [];
  for (const path of paths) {
    const head = lookAtHead(context, path);
    if (head.kind === "working") return head;
    if ("text" in head.value) return ready({ table: { path, head: head.value.text }, problems });
    problems.push(head.value.problem);
  }
  return ready({ table: undefined, problems });
}

const HEAD_LINES = 20;

function lookAtHead(
  { view }: PlanContext,
  path: string,
): Progress<{ readonly text: string } | { readonly problem: string }> {
  const name = nameOfFile(path);
  const step: Step = {
    tool: "read_file",
    description: `Read the head of ${name}`,
    args: { path, start_line: 1, end_line: HEAD_LINES },
  };
  const state = stepState(view, step);
  if (state.kind === "todo") {
    const planned = view.outcomes.some((outcome) => outcome.name === "write_todos");
    return working(
      takeStep(planned ? `I look at ${name}.` : `I make a plan and look at ${name}.`, step, state),
    );
  }
  const shown = inline(name);
  if (state.kind === "failed")
    return ready({ problem: `I cannot read ${shown}: ${firstLine(state.outcome.text)}.` });
  const { text, isText, lineCut } = parseFilePage(state.outcome.text);
  if (!isText)
    return ready({
      problem: `${shown} is not UTF-8 text, so I cannot read it. If it is a table, save it as UTF-8 and upload it again.`,
    });
  if (text.trim() === "") return ready({ problem: `${shown} is empty.` });
  const isWhole = !lineCut && text.trimEnd().split("\n").length < HEAD_LINES;
  const hasRows = parseTable(text, delimiterOf(path, text).sign).rows.length > 0;
  return ready(isWhole && !hasRows ? { problem: noRows(shown) } : { text });
}

interface Check {
  /** Appends to the report behind the file tools' back, which makes what was written stale. */
  readonly command: string;
  readonly wanted: boolean;
}

/** Writes the report, lets the program check it, adds the notes, presents it. Results in sentences about it. */
function writeReport(
  context: PlanContext,
  { report, notes }: { readonly report: string; readonly notes: string },
  check: Check,
): Progress<{ readonly facts: readonly string[] } | { readonly problem: string }> {
  const first = guardedWrite(context, {
    path: REPORT_PATH,
    content: report,
    append: false,
    text: "I have the numbers and write the report.",
    description: "Write the report",
  });
  if (first.kind === "working") return working(withTodos(context, first.turn, TODOS, 2));
  if (!first.value.ok) return ready({ problem: `The report could not be written (${first.value.reason}).` });
  const checked = checkReport(context, check);
  if (checked.kind === "working") return working(withTodos(context, checked.turn, TODOS, 3));
  // Without a check the notes alone show the gate, as the model has not read what it wrote.
  const second = addNotes(context, REPORT_PATH, notes);
  if (second.kind === "working") return working(withTodos(context, second.turn, TODOS, 3));
  const presented = present(context, REPORT_PATH, TODOS);
  if (presented.kind === "working") return presented;
  return ready({ facts: [`The report is ${REPORT_PATH}.`, ...second.value] });
}

const CHECK = "Let the program add a check to the report";

/** A check that was cut off is looked for in the report, and repeated only if it is not there. */
function checkReport({ view }: PlanContext, { command, wanted }: Check): Progress<undefined> {
  if (!wanted) return ready(undefined);
  const step: Step = { tool: "bash", description: CHECK, args: { command } };
  const state = stepState(view, step);
  if (state.kind !== "todo") return ready(undefined);
  const last = outcomesOfStep(view, step).at(-1);
  if (last !== undefined && state.interrupted) {
    const look = presentContentStep(REPORT_PATH, CHECK);
    const looked = outcomesOfStep(view, look).findLast(
      (outcome) => outcome.status !== "interrupted" && isAfter(view, outcome, last),
    );
    if (looked === undefined) {
      const text = "The check of the report was cut off, so I look first whether it took place.";
      return working({ text, calls: [callOf(look)] });
    }
    if (parseFilePage(looked.text).text.includes("\n## Check\n")) return ready(undefined);
  }
  return working(
    takeStep("The program reads the table once more and adds a check to the report.", step, state),
  );
}
