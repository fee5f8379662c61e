/** The mind of the demo model: the next turn as a pure function of the history and the tools at hand. */
import type { BaseMessage } from "@langchain/core/messages";
import { readProse } from "../../base/prose.js";
import { VIRTUAL_UPLOADS } from "../../context/home-paths.js";
import { planFolder } from "./folder-task.js";
import { type HistoryView, viewHistory } from "./history-view.js";
import { detectIntent, isWork } from "./intents.js";
import { type PlanContext, type Progress, ready, working } from "./plan-context.js";
import { type Step, stepState, takeStep } from "./steps.js";
import { otherFiles } from "./closing.js";
import { planTable } from "./table-task.js";
import { type FileList, parseFileList } from "./tool-results.js";
import { finalTurn, type Turn } from "./turn.js";

const NO_TASK = readProse(new URL("./no-task.md", import.meta.url));
/** No plan needs as many, so a plan that does is going round in circles. */
export const MAXIMUM_TURNS = 60;

/**
 * The next turn. Everything it knows comes from `messages`, so resuming after a crash, retrying and forking give
 * the right turn by themselves; it calls no tool that is not in `toolNames`.
 * @example planNextTurn([new HumanMessage("Profile sales.csv")], ["ls", "read_file", "write_file", "bash"])
 */
export function planNextTurn(messages: readonly BaseMessage[], toolNames: readonly string[]): Turn {
  const context: PlanContext = { view: viewHistory(messages), tools: new Set(toolNames) };
  const turn = planTask(context);
  return context.view.turns === 0 ? { ...turn, text: `${resuming(context.view, turn)}${turn.text}` } : turn;
}

/** What the first turn says to somebody who asks to go on. */
function resuming({ resumed }: HistoryView, { calls }: Turn): string {
  if (resumed === "no") return "";
  if (resumed === "stopped") return `I go on where I was stopped.${calls.length > 0 ? " " : "\n\n"}`;
  return calls.length > 0 ? "I try once more. " : "That task is finished; here is its result again.\n\n";
}

function planTask(context: PlanContext): Turn {
  const { view, tools } = context;
  if (view.turns >= MAXIMUM_TURNS)
    return finalTurn(`I took ${MAXIMUM_TURNS} turns without an end and stop here.`);
  const able = ["read_file", "write_file"].every((name) => tools.has(name));
  if (!able || !isWork(view)) return finalTurn([...earlierFiles(view), NO_TASK].join("\n\n"));
  const files = discover(context);
  if (files.kind === "working") return files.turn;
  const intent = detectIntent(view, files.value);
  if (intent.kind === "table") return planTable(context, intent);
  if (intent.kind === "folder") return planFolder(context, intent);
  return finalTurn([nothingFound(files.value.files), NO_TASK].join("\n\n"));
}

const nothingFound = (files: readonly string[]): string =>
  files.length === 0
    ? "I found no files: nothing was uploaded, or the folder is empty."
    : ["I found no table, text or code.", ...otherFiles(files)].join(" ");

const earlierFiles = ({ earlierFiles: files }: HistoryView): string[] =>
  files.length === 0 ? [] : [`What I made before is still there: ${[...new Set(files)].join(", ")}.`];

/** Which files there are, as the tools say. */
function discover({ view, tools }: PlanContext): Progress<FileList> {
  const named = { files: view.namedPaths, cut: false };
  const description = "See which files were uploaded";
  const glob: Step = {
    tool: "glob",
    description,
    args: { pattern: "**/*", path: VIRTUAL_UPLOADS, max_results: 1000 },
  };
  const ls: Step = { tool: "ls", description, args: { path: VIRTUAL_UPLOADS } };
  const step = [glob, ls].find(
    ({ tool }) => tools.has(tool) && stepState(view, { tool, description }).kind !== "failed",
  );
  if (step === undefined) return ready(named);
  const state = stepState(view, step);
  if (state.kind === "done") return ready(parseFileList(state.outcome.text));
  if (state.kind === "todo")
    return working(takeStep("I am the demo model: a script, no AI. I look at what there is.", step, state));
  return ready(named);
}
