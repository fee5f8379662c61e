/** From a message on the wire to a message on the screen. */
import { listOf, numberOf, recordOf, textOf, type JsonRecord } from "./json.js";

export type ViewRole = "human" | "ai" | "tool" | "system";

/** A call as the model asked for it. */
export interface RequestedCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonRecord;
}

/** A file that a person attached. */
export interface AttachedFile {
  readonly filename: string;
  /** Bytes. */
  readonly size: number;
  /** Where the agent sees it. */
  readonly path: string;
}

export interface ViewMessage {
  readonly id: string;
  readonly role: ViewRole;
  readonly text: string;
  /** What the model thought before it answered; empty when it did not say. */
  readonly reasoning: string;
  readonly calls: readonly RequestedCall[];
  readonly files: readonly AttachedFile[];
  /** True while more of it is coming. */
  readonly streaming: boolean;
  /** Only for role `tool`. */
  readonly result?: ToolResult;
}

export interface ToolResult {
  readonly callId: string;
  readonly failed: boolean;
  /** The machine's side of the result. */
  readonly artifact: JsonRecord;
}

const ROLES: Readonly<Record<string, ViewRole>> = {
  human: "human",
  user: "human",
  HumanMessage: "human",
  HumanMessageChunk: "human",
  ai: "ai",
  assistant: "ai",
  AIMessage: "ai",
  AIMessageChunk: "ai",
  tool: "tool",
  ToolMessage: "tool",
  ToolMessageChunk: "tool",
  system: "system",
};

/** True for a piece of a message that is still being written. */
export const isChunk = (message: JsonRecord): boolean => textOf(message["type"])?.endsWith("Chunk") ?? false;

/** The text of a content: a string, or the text parts of a list. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((part) => (typeof part === "string" ? part : (textOf(recordOf(part)["text"]) ?? "")))
    .join("");
}

/** What the model thought: a keyword argument, or the thinking parts of the content. */
export function reasoningText(message: JsonRecord): string {
  const argument = textOf(recordOf(message["additional_kwargs"])["reasoning_content"]);
  if (argument !== undefined && argument !== "") return argument;
  return listOf(message["content"])
    .map(recordOf)
    .map((part) => textOf(part["thinking"]) ?? textOf(part["reasoning"]) ?? "")
    .join("");
}

const callsOf = (message: JsonRecord): RequestedCall[] =>
  listOf(message["tool_calls"])
    .map(recordOf)
    .flatMap((call) => {
      const [id, name] = [textOf(call["id"]), textOf(call["name"])];
      return id === undefined || name === undefined ? [] : [{ id, name, args: recordOf(call["args"]) }];
    });

const filesOf = (message: JsonRecord): AttachedFile[] =>
  listOf(recordOf(message["additional_kwargs"])["files"])
    .map(recordOf)
    .flatMap((file) => {
      const filename = textOf(file["filename"]);
      if (filename === undefined) return [];
      return [{ filename, size: numberOf(file["size"]) ?? 0, path: textOf(file["path"]) ?? "" }];
    });

function resultOf(message: JsonRecord): ToolResult | undefined {
  const callId = textOf(message["tool_call_id"]);
  if (callId === undefined) return undefined;
  const artifact = recordOf(message["artifact"]);
  return { callId, failed: message["status"] === "error", artifact };
}

/** Undefined for what is not to be shown: no id, an unknown type, or marked as hidden. */
export function viewMessageOf(wire: unknown): ViewMessage | undefined {
  const message = recordOf(wire);
  const id = textOf(message["id"]);
  const role = ROLES[textOf(message["type"]) ?? ""];
  if (id === undefined || id === "" || role === undefined) return undefined;
  if (recordOf(message["additional_kwargs"])["hide_from_ui"] === true) return undefined;
  const result = role === "tool" ? resultOf(message) : undefined;
  return {
    id,
    role,
    text: contentText(message["content"]),
    reasoning: role === "ai" ? reasoningText(message) : "",
    calls: role === "ai" ? callsOf(message) : [],
    files: role === "human" ? filesOf(message) : [],
    streaming: false,
    ...(result === undefined ? {} : { result }),
  };
}
