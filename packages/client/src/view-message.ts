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

/** A picture in a message. */
export interface ShownImage {
  /** A picture of the thread by its address on the gateway, or a small one as a data URL; never one from elsewhere. */
  readonly address: string;
  /** What it is called; empty where nobody said. */
  readonly name: string;
}

export interface ViewMessage {
  readonly id: string;
  readonly role: ViewRole;
  readonly text: string;
  /** What the model thought before it answered; empty when it did not say. */
  readonly reasoning: string;
  readonly calls: readonly RequestedCall[];
  readonly files: readonly AttachedFile[];
  /** Absent for none. */
  readonly images?: readonly ShownImage[];
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

/** Where the gateway keeps what messages show. Any other address could tell its host that a message was read. */
const MEDIA_ADDRESS = /^\/api\/threads\/[\w-]{1,64}\/media\/[0-9a-f]{64}$/;
const SMALL_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]{1,4096}$/;

/** The address of a picture in any form in which a content part may have it. */
function addressOf(part: JsonRecord): string {
  const nested = recordOf(part["image_url"]);
  const url = textOf(nested["url"]) ?? textOf(part["image_url"]) ?? textOf(part["url"]);
  const data = textOf(part["data"]);
  const type = textOf(part["mimeType"]) ?? textOf(part["mime_type"]) ?? "";
  return url ?? (data === undefined ? "" : `data:${type};base64,${data}`);
}

const nameOf = (part: JsonRecord): string => {
  const { name, filename } = recordOf(recordOf(part["stored_as"] ?? part)["metadata"]);
  return textOf(filename) ?? textOf(name) ?? "";
};

function imagesOf(message: JsonRecord): ShownImage[] {
  const path = textOf(recordOf(message["additional_kwargs"])["read_file_path"]);
  return listOf(message["content"])
    .map(recordOf)
    .filter((part) => part["type"] === "image_url" || part["type"] === "image")
    .map((part) => ({ address: addressOf(part), name: path ?? nameOf(part) }))
    .filter(({ address }) => MEDIA_ADDRESS.test(address) || SMALL_IMAGE.test(address));
}

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
  const said = recordOf(message["additional_kwargs"]);
  // What a tool shows the model in a person's place was said by nobody.
  if (said["hide_from_ui"] === true || said["read_file_media_result"] === true) return undefined;
  const result = role === "tool" ? resultOf(message) : undefined;
  const images = imagesOf(message);
  return {
    id,
    role,
    text: contentText(message["content"]),
    reasoning: role === "ai" ? reasoningText(message) : "",
    calls: role === "ai" ? callsOf(message) : [],
    files: role === "human" ? filesOf(message) : [],
    ...(images.length === 0 ? {} : { images }),
    streaming: false,
    ...(result === undefined ? {} : { result }),
  };
}
