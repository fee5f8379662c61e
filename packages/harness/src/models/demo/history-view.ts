/** The message history as the planner reads it: the task, and what every call since then came to. */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { isInterrupted } from "./tool-results.js";

export interface Outcome {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** `interrupted`: no answer came back, as after a crash; what the call did is unknown. */
  readonly status: "done" | "failed" | "interrupted";
  readonly text: string;
  /** False when the task was answered after it: who asks to go on then wants another try, so a failure is forgotten. */
  readonly recent: boolean;
}

export interface HistoryView {
  /** What the user asked for, without the block that names uploads. Empty when nobody asked. */
  readonly task: string;
  /** Files that the task or its uploads name, as virtual paths. */
  readonly namedPaths: readonly string[];
  /** True when files came with this very message. */
  readonly hasUploads: boolean;
  readonly outcomes: readonly Outcome[];
  /** Whether the newest human message only says to go on with a task: one that was stopped, or one that was answered. */
  readonly resumed: "no" | "stopped" | "answered";
  /** Files that were handed over before this task. */
  readonly earlierFiles: readonly string[];
  /** AI messages since the newest human message. */
  readonly turns: number;
}

const CONTINUE =
  /^(?:(?:please|ok|okay|yes|bitte)[\s,]+)*(?:continue|go on|go ahead|carry on|keep going|proceed|resume|(?:mach(?:e|en sie)?\s+)?weiter|请?继续吧?|接着(?:做)?)(?:[\s,]+(?:please|bitte|now|then|with (?:it|that|the task)))*[\s.!…。！]*$/i;
const UPLOADS = /<uploaded_files>([\s\S]*?)<\/uploaded_files>/g;
const UPLOAD_LINE = /^\s*(?:-|Path:)\s*(\/mnt\/user-data\/.+?)(?:\s+\(\d[^()]*\))?\s*$/gm;
const PATH = /\/mnt\/user-data\/(?:uploads|workspace|outputs)\/[^\s"'`<>()]+/g;

/**
 * Reads the history. "continue" and its like are no task of their own: they go on with the one before.
 * Pure, so a resumed, repeated or forked run plans the same.
 */
export function viewHistory(messages: readonly BaseMessage[]): HistoryView {
  const asked = messages.flatMap((message, index) =>
    isAsked(message) ? [{ index, text: textOf(message) }] : [],
  );
  const newest = asked.at(-1);
  const start = asked.findLast(({ text }) => !onlyGoesOn(text)) ?? newest;
  const from = start?.index ?? 0;
  const recentFrom = newest?.index ?? 0;
  const whole = start?.text ?? "";
  const task = withoutBlocks(whole);
  const uploads = [...whole.matchAll(UPLOADS)].flatMap((block) =>
    [...(block[1] ?? "").matchAll(UPLOAD_LINE)].map((line) => line[1] ?? ""),
  );
  const answered = messages.slice(from, recentFrom).findLastIndex(endsTask);
  const outcomes = outcomesOf(messages.slice(from), answered);
  const named = [...task.matchAll(PATH)].map((match) => match[0].replace(/[.,;:!?]+$/, ""));
  return {
    task,
    namedPaths: [...new Set([...uploads, ...named])],
    hasUploads: uploads.length > 0,
    outcomes,
    resumed: start === newest || outcomes.length === 0 ? "no" : stateOf(messages.slice(from, recentFrom)),
    earlierFiles: outcomesOf(messages.slice(0, from), -1).flatMap(presentedFiles),
    turns: messages.slice(recentFrom).filter(isTurn).length,
  };
}

/** Middleware also speaks in human messages; those are hidden from the user or carry a name. */
const isAsked = (message: BaseMessage): boolean =>
  HumanMessage.isInstance(message) &&
  message.name === undefined &&
  message.additional_kwargs["hide_from_ui"] !== true;

/** The block of uploads counts as text: who sends files along wants something done with them. */
const onlyGoesOn = (text: string): boolean => CONTINUE.test(text.trim());

const isTurn = (message: BaseMessage): message is AIMessage => AIMessage.isInstance(message);

/** A message that was cut off ends nothing. */
const endsTask = (message: BaseMessage): boolean =>
  isTurn(message) &&
  (message.tool_calls ?? []).length === 0 &&
  message.response_metadata["stop_reason"] !== "cancelled";

function stateOf(messages: readonly BaseMessage[]): "stopped" | "answered" {
  const last = messages.findLast(isTurn);
  return last !== undefined && endsTask(last) ? "answered" : "stopped";
}

function presentedFiles({ name, status, args }: Outcome): string[] {
  const files: unknown = args["filepaths"];
  if (name !== "present_files" || status !== "done" || !Array.isArray(files)) return [];
  return files.filter((file): file is string => typeof file === "string");
}

const withoutBlocks = (text: string): string => text.replaceAll(UPLOADS, "").trim();

/** The text of a message, whether a string or blocks. */
export function textOf({ content }: BaseMessage): string {
  if (typeof content === "string") return content;
  return content
    .map((block) => ("text" in block && typeof block.text === "string" ? block.text : ""))
    .join("\n");
}

/** What became of each call; those before the message at `answered` are not recent. */
function outcomesOf(messages: readonly BaseMessage[], answered: number): Outcome[] {
  const answers = new Map<string, ToolMessage>();
  for (const message of messages) {
    if (ToolMessage.isInstance(message)) answers.set(message.tool_call_id, message);
  }
  return messages.flatMap((message, index) =>
    (AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []).map((call): Outcome => {
      const answer = answers.get(call.id ?? "");
      const base = { name: call.name, args: call.args, recent: index > answered };
      if (answer === undefined || (answer.status === "error" && isInterrupted(textOf(answer))))
        return { ...base, status: "interrupted", text: "" };
      return { ...base, status: answer.status === "error" ? "failed" : "done", text: textOf(answer) };
    }),
  );
}
