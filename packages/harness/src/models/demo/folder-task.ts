/** The plan for a folder of text or code: search, read, report, present. */
import { VIRTUAL_OUTPUTS } from "../../context/home-paths.js";
import {
  folderReport,
  folderSummary,
  type FolderFindings,
  NOTES,
  surveyFile,
  type UnreadFile,
  unreadableText,
} from "./folder-report.js";
import { asksForMore, type Intent } from "./intents.js";
import { type PlanContext, type Progress, ready, working } from "./plan-context.js";
import { addNotes, giveUp, guardedWrite, present, refusedCommand, withTodos } from "./shared-steps.js";
import { callOf, type Step, type StepState, stepState, takeStep } from "./steps.js";
import { closingText, unreadTask } from "./closing.js";
import { parseFilePage, parseGrepHits } from "./tool-results.js";
import { finalTurn, type Turn } from "./turn.js";

type FolderIntent = Intent & { readonly kind: "folder" };

const REPORT_PATH = `${VIRTUAL_OUTPUTS}/report.md`;
const TODOS = ["Search the folder", "Read the files", "Write the report", "Hand it over"];
const MAXIMUM_FILES = 40;
const FILES_PER_TURN = 4;

/** The next turn of the task "survey this folder". Pure. */
export function planFolder(context: PlanContext, intent: FolderIntent): Turn {
  const todos = findTodos(context, folderOf(intent.files));
  if (todos.kind === "working") return withTodos(context, todos.turn, TODOS, 0);
  const refused = refusedCommand(context);
  if (refused.kind === "working") return withTodos(context, refused.turn, TODOS, 1);
  const read = readFiles(context, intent.files.slice(0, MAXIMUM_FILES));
  if (read.kind === "working") return read.turn;
  const found: FolderFindings = {
    ...intent,
    folder: folderOf(intent.files),
    todos: todos.value,
    ...read.value,
  };
  if (found.surveys.length === 0) {
    const problems = [
      ...unreadableText(found.unreadable),
      "So there is nothing to count, and I wrote no report.",
    ];
    return giveUp(context, TODOS.slice(0, 1), problems);
  }
  const written = writeReport(context, found);
  if (written.kind === "working") return written.turn;
  const summary = folderSummary(found);
  if ("problem" in written.value) return giveUp(context, TODOS.slice(0, 2), [summary, written.value.problem]);
  const asked = asksForMore(context.view.task) ? [unreadTask("it always surveys a folder")] : [];
  const facts = [...written.value.facts, ...(refused.value === undefined ? [] : [refused.value]), ...asked];
  return finalTurn(closingText(summary, facts));
}

/** The deepest folder that holds all files. */
export function folderOf(files: readonly string[]): string {
  const [first = "", ...rest] = files.map((path) => path.slice(0, path.lastIndexOf("/")));
  let folder = first;
  while (!rest.every((other) => other === folder || other.startsWith(`${folder}/`))) {
    folder = folder.slice(0, folder.lastIndexOf("/"));
  }
  return folder;
}

function findTodos({ view, tools }: PlanContext, folder: string): Progress<FolderFindings["todos"]> {
  if (!tools.has("grep")) return ready(undefined);
  const args = { pattern: "\\b(TODO|FIXME)\\b", path: folder, literal: false, case_sensitive: true };
  const step: Step = { tool: "grep", description: "Find notes of open work", args };
  const state = stepState(view, step);
  if (state.kind === "todo") {
    return working(takeStep("I make a plan and search the folder.", step, state));
  }
  return ready(state.kind === "done" ? parseGrepHits(state.outcome.text) : undefined);
}

type ReadFiles = Pick<FolderFindings, "surveys" | "unreadable">;

function readFiles({ view }: PlanContext, files: readonly string[]): Progress<ReadFiles> {
  const steps = files.map(
    (path): Step => ({ tool: "read_file", description: `Read ${path}`, args: { path } }),
  );
  const states = steps.map((step) => stepState(view, step));
  const open = steps.filter((_, index) => states[index]?.kind === "todo").slice(0, FILES_PER_TURN);
  if (open.length > 0) {
    const text = open.length === 1 ? "I read a file." : `I read ${open.length} files side by side.`;
    return working({ text, calls: open.map(callOf) });
  }
  const unreadable = states.flatMap((state, index) => problemOf(files[index] ?? "", state));
  const pages = states.flatMap((state, index) =>
    state.kind === "done" ? [{ path: files[index] ?? "", page: parseFilePage(state.outcome.text) }] : [],
  );
  const surveys = pages.filter(({ page }) => page.isText).map(({ path, page }) => surveyFile(path, page));
  return ready({ surveys, unreadable });
}

function problemOf(path: string, state: StepState): UnreadFile[] {
  if (state.kind !== "done") return [{ path, problem: "could not be read" }];
  const { isText } = parseFilePage(state.outcome.text);
  return isText ? [] : [{ path, problem: "is not UTF-8 text; save it as UTF-8 to have it counted" }];
}

function writeReport(
  context: PlanContext,
  found: FolderFindings,
): Progress<{ readonly facts: readonly string[] } | { readonly problem: string }> {
  const report = guardedWrite(context, {
    path: REPORT_PATH,
    content: folderReport(found),
    append: false,
    text: "I have what I need and write the report.",
    description: "Write the report",
  });
  if (report.kind === "working") return working(withTodos(context, report.turn, TODOS, 2));
  if (!report.value.ok)
    return ready({ problem: `The report could not be written (${report.value.reason}).` });
  const notes = addNotes(context, REPORT_PATH, NOTES);
  if (notes.kind === "working") return working(withTodos(context, notes.turn, TODOS, 3));
  const presented = present(context, REPORT_PATH, TODOS);
  if (presented.kind === "working") return presented;
  return ready({ facts: [`The report is ${REPORT_PATH}.`, ...notes.value] });
}
