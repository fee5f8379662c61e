/** A LangChain message as text, and back: every field as it was, of the same class, with no code run to restore it. */
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
} from "@langchain/core/messages";
import { DeerflowError } from "../../base/errors.js";
import { fromTaggedJson, type MessageParts, toTaggedJson } from "./tagged-json.js";

/** An empty message of each class that we store. Sorted by name. */
const EMPTY: Readonly<Record<string, () => BaseMessage>> = {
  AIMessage: () => new AIMessage({ content: "" }),
  AIMessageChunk: () => new AIMessageChunk({ content: "" }),
  ChatMessage: () => new ChatMessage({ content: "", role: "" }),
  ChatMessageChunk: () => new ChatMessageChunk({ content: "", role: "" }),
  FunctionMessage: () => new FunctionMessage({ content: "", name: "" }),
  FunctionMessageChunk: () => new FunctionMessageChunk({ content: "", name: "" }),
  HumanMessage: () => new HumanMessage({ content: "" }),
  HumanMessageChunk: () => new HumanMessageChunk({ content: "" }),
  RemoveMessage: () => new RemoveMessage({ id: "" }),
  SystemMessage: () => new SystemMessage({ content: "" }),
  SystemMessageChunk: () => new SystemMessageChunk({ content: "" }),
  ToolMessage: () => new ToolMessage({ content: "", tool_call_id: "" }),
  ToolMessageChunk: () => new ToolMessageChunk({ content: "", tool_call_id: "" }),
};

/** Own properties that the constructor makes by itself. */
const MADE: ReadonlySet<string> = new Set(["lc_kwargs", "lc_serializable", "lc_namespace", "type"]);

type Fields = Record<string, unknown>;
/** Class, own fields, names of fields that the constructor's record lacks, and what only that record has. */
type Parts = readonly [className: string, fields: Fields, absent?: readonly string[], extra?: Fields];

function classNameOf(message: BaseMessage): string {
  // RemoveMessage inherits the name of its base.
  if (message.type === "remove") return "RemoveMessage";
  // Every message class has lc_name; the type of `constructor` does not say so.
  return (message.constructor as typeof BaseMessage & { lc_name(): string }).lc_name();
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** The fields that each class fills by itself. */
const DEFAULTS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(EMPTY).map(([name, make]) => [name, new Set(Object.keys(make().lc_kwargs))]),
);

/** Own fields that are the same in every message of the class. */
const CLASS_FIELDS: ReadonlySet<string> = new Set(["lc_direct_tool_output"]);

function take(message: BaseMessage): Parts {
  const kwargs: Fields = message.lc_kwargs;
  const own = Object.entries(message).filter(
    ([key, value]) => !MADE.has(key) && !CLASS_FIELDS.has(key) && value !== undefined,
  );
  const byDefault = DEFAULTS.get(classNameOf(message));
  // An empty list or object that the constructor makes anyway is not written.
  const fields = own.filter(([key, value]) => !(byDefault?.has(key) && key !== "content" && isEmpty(value)));
  const absent = fields.map(([key]) => key).filter((key) => !(key in kwargs));
  const names = new Set(own.map(([key]) => key));
  const extra = Object.entries(kwargs).filter(([key, value]) => !names.has(key) && value !== undefined);
  return [
    classNameOf(message),
    Object.fromEntries(fields),
    ...(absent.length + extra.length > 0 ? [absent] : []),
    ...(extra.length > 0 ? [Object.fromEntries(extra)] : []),
    // The tuple's optional tail cannot be expressed by a spread.
  ] as unknown as Parts;
}

function build(parts: unknown): BaseMessage {
  // Only `take` writes parts, and the class is checked here.
  const [className, fields, absent = [], extra = {}] = parts as Parts;
  const make = Object.hasOwn(EMPTY, className) ? EMPTY[className] : undefined;
  if (make === undefined)
    throw new DeerflowError("internal", { reason: `no message class ${className} is known` });
  const message = make();
  // Assigned, not constructed from: constructors derive some fields from others, and these are final.
  Object.assign(message, fields);
  const recorded = Object.entries({ ...message.lc_kwargs, ...fields, ...extra });
  message.lc_kwargs = Object.fromEntries(recorded.filter(([key]) => !absent.includes(key)));
  return message;
}

const PARTS: MessageParts = { take, build };

/** True for messages of the classes that we know; others are the serializer's business. */
export const isKnownMessage = (message: BaseMessage): boolean => Object.hasOwn(EMPTY, classNameOf(message));

/** The whole message as JSON. */
export const messageToText = (message: BaseMessage): string => toTaggedJson(take(message), PARTS);

/**
 * A message from what `messageToText` wrote.
 *
 * @throws DeerflowError `internal` for a class that is not in the table
 */
export const messageFromText = (text: string): BaseMessage => build(fromTaggedJson(text, PARTS));
