/** The message history as the planner reads it: the task, and what every call since then came to. */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

export interface Outcome {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** `open`: nobody answered, as after a crash. */
  readonly status: "done" | "failed" | "open";
  readonly text: string;
  /** False when it lies before the newest human message: a failure then no longer counts. */
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
  /** AI messages since the newest human message. */
  readonly turns: number;
}

const CONTINUE =
  /^(?:please\s+)?(?:continue|go on|carry on|keep going|resume|weiter|继续|接着(?:做)?)[\s.!…。!]*$/i;
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
  const start = asked.findLast(({ text }) => !CONTINUE.test(withoutBlocks(text))) ?? newest;
  const from = start?.index ?? 0;
  const recentFrom = newest?.index ?? 0;
  const whole = start?.text ?? "";
  const task = withoutBlocks(whole);
  const uploads = [...whole.matchAll(UPLOADS)].flatMap((block) =>
    [...(block[1] ?? "").matchAll(UPLOAD_LINE)].map((line) => line[1] ?? ""),
  );
  const named = [...task.matchAll(PATH)].map((match) => match[0].replace(/[.,;:!?]+$/, ""));
  return {
    task,
    namedPaths: [...new Set([...uploads, ...named])],
    hasUploads: uploads.length > 0,
    outcomes: outcomesOf(messages.slice(from), recentFrom - from),
    turns: messages.slice(recentFrom).filter((message) => AIMessage.isInstance(message)).length,
  };
}

/** Middleware also speaks in human messages; those are hidden from the user or carry a name. */
const isAsked = (message: BaseMessage): boolean =>
  HumanMessage.isInstance(message) &&
  message.name === undefined &&
  message.additional_kwargs["hide_from_ui"] !== true;

const withoutBlocks = (text: string): string => text.replaceAll(UPLOADS, "").trim();

/** The text of a message, whether a string or blocks. */
export function textOf({ content }: BaseMessage): string {
  if (typeof content === "string") return content;
  return content
    .map((block) => ("text" in block && typeof block.text === "string" ? block.text : ""))
    .join("\n");
}

function outcomesOf(messages: readonly BaseMessage[], recentFrom: number): Outcome[] {
  const answers = new Map<string, ToolMessage>();
  for (const message of messages) {
    if (ToolMessage.isInstance(message)) answers.set(message.tool_call_id, message);
  }
  return messages.flatMap((message, index) =>
    (AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []).map((call): Outcome => {
      const answer = answers.get(call.id ?? "");
      const base = { name: call.name, args: call.args, recent: index >= recentFrom };
      if (answer === undefined) return { ...base, status: "open", text: "" };
      return { ...base, status: answer.status === "error" ? "failed" : "done", text: textOf(answer) };
    }),
  );
}
