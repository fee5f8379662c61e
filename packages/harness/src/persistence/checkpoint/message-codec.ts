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
import { readMediaText } from "./media-text.js";
import { hashToText, sha256 } from "./part.js";
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

/** A media block's place in the text of a message: what stands before the base64 text, and the hash of that. */
type MediaMark = readonly [prefix: string, hash: string];

/** A text of a message, and the media that was taken out of it. */
export interface MessageText {
  readonly text: string;
  /** By the hash of the base64 text, in hexadecimal. */
  readonly media: ReadonlyMap<string, { readonly base64: string; readonly mediaType: string | undefined }>;
}

/** The whole message as JSON; long media stands apart. */
export function messageToText(message: BaseMessage): MessageText {
  const media = new Map<string, { base64: string; mediaType: string | undefined }>();
  const put = (text: string, mediaType: () => string | undefined): MediaMark | undefined => {
    const found = readMediaText(text);
    if (found === undefined) return undefined;
    const hash = hashToText(sha256(found.base64));
    media.set(hash, { base64: found.base64, mediaType: found.mediaType ?? mediaType() });
    return [found.prefix, hash];
  };
  return { text: toTaggedJson(take(message), PARTS, { put }), media };
}

/**
 * A message from what `messageToText` wrote.
 *
 * @param media - the base64 texts of its media, by hash
 * @throws DeerflowError `internal` for a class that is not in the table, and for media that is missing
 */
export function messageFromText(text: string, media: ReadonlyMap<string, string> = new Map()): BaseMessage {
  const get = (placed: unknown): string => {
    // Only `put` makes what is here.
    const [prefix, hash] = placed as MediaMark;
    const base64 = media.get(hash);
    if (base64 === undefined)
      throw new DeerflowError("internal", { reason: `the media ${hash} of a message is missing` });
    return prefix + base64;
  };
  return build(fromTaggedJson(text, PARTS, { get }));
}
