/** The messages of a run's input: every one gets an id before anything is stored or sent. */
import { randomUUID } from "node:crypto";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { DeerflowError } from "../base/errors.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.js";

/** The input with a list of message objects in `messages`, each with an id; other keys are left alone. */
export function assignMessageIds(input: JsonObject, newId: () => string = randomUUID): JsonObject {
  const { messages } = input;
  if (messages === undefined || messages === null) return input;
  const list = Array.isArray(messages) && !isPair(messages) ? messages : [messages];
  return { ...input, messages: list.map((message) => withId(message, newId)) };
}

/** `["human", "text"]` is one message, not two. */
const isPair = (value: JsonValue[]): boolean =>
  value.length === 2 && typeof value[0] === "string" && value[0] in KINDS && typeof value[1] === "string";

function withId(message: JsonValue, newId: () => string): JsonObject {
  const plain = toObject(message);
  return typeof plain["id"] === "string" && plain["id"] !== "" ? plain : { ...plain, id: newId() };
}

function toObject(message: JsonValue): JsonObject {
  if (typeof message === "string") return { type: "human", content: message };
  if (Array.isArray(message) && isPair(message)) return { type: message[0] ?? "", content: message[1] ?? "" };
  if (isJsonObject(message)) return message;
  throw new DeerflowError("invalid_request", { reason: "input.messages holds something that is no message" });
}

/** The words that clients use for the kinds of a message. */
const KINDS: Readonly<Record<string, "human" | "ai" | "system" | "tool" | "remove">> = {
  human: "human",
  user: "human",
  ai: "ai",
  assistant: "ai",
  system: "system",
  tool: "tool",
  remove: "remove",
  HumanMessageChunk: "human",
  AIMessageChunk: "ai",
  SystemMessageChunk: "system",
  ToolMessageChunk: "tool",
};

/** The input as the graph takes it. Builds messages from an allow-list of fields, never from a class name. */
export function toGraphInput(input: JsonObject): Record<string, unknown> {
  const { messages } = input;
  if (!Array.isArray(messages)) return input;
  return { ...input, messages: messages.map(toMessage) };
}

/** @throws DeerflowError `invalid_request` for a message of an unknown kind or without content */
export function toMessage(message: JsonValue): BaseMessage {
  if (!isJsonObject(message))
    throw new DeerflowError("invalid_request", { reason: "a message must be an object" });
  const kind = KINDS[String(message["type"] ?? message["role"] ?? "")];
  const fields = commonFields(message);
  switch (kind) {
    case "human":
      return new HumanMessage(fields);
    case "system":
      return new SystemMessage(fields);
    case "ai":
      return new AIMessage({ ...fields, ...callFields(message) });
    case "tool":
      return new ToolMessage({ ...fields, ...resultFields(message) });
    case "remove":
      return new RemoveMessage({ id: fields.id ?? "" });
    default:
      throw new DeerflowError("invalid_request", {
        reason: `a message has the unknown type ${String(message["type"] ?? message["role"])}`,
      });
  }
}

function commonFields(message: JsonObject) {
  const { id, name, content, additional_kwargs, response_metadata } = message;
  return {
    // Content parts are checked by nobody but the model's provider; here they are data.
    content: (typeof content === "string" || Array.isArray(content) ? content : "") as string,
    ...(typeof id === "string" ? { id } : {}),
    ...(typeof name === "string" ? { name } : {}),
    ...(isJsonObject(additional_kwargs) ? { additional_kwargs } : {}),
    ...(isJsonObject(response_metadata) ? { response_metadata } : {}),
  };
}

function callFields(message: JsonObject) {
  const { tool_calls } = message;
  if (!Array.isArray(tool_calls)) return {};
  return {
    tool_calls: tool_calls.filter(isJsonObject).map((call) => ({
      type: "tool_call" as const,
      name: String(call["name"] ?? ""),
      args: isJsonObject(call["args"]) ? call["args"] : {},
      ...(typeof call["id"] === "string" ? { id: call["id"] } : {}),
    })),
  };
}

function resultFields(message: JsonObject) {
  const { tool_call_id, status, artifact } = message;
  return {
    tool_call_id: String(tool_call_id ?? ""),
    ...(status === "error" ? { status: "error" as const } : {}),
    ...(artifact === undefined ? {} : { artifact }),
  };
}
