/**
 * The one place where LangGraph's state, messages, chunks, interrupts and snapshots become plain JSON for clients.
 * Whatever comes in, what goes out is JSON-safe and free of the engine's and our own private keys; what messages show
 * goes out by its address in the thread `threadId`.
 */
import { type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import { isRecord, type JsonObject, type JsonValue } from "../base/json.js";
import { bothSpellings } from "./interrupt-spelling.js";
import { toReference } from "./media-references.js";

const MAX_DEPTH = 100;
const INTERRUPT_KEY = "__interrupt__";

/** The engine's own keys, wherever they occur. */
const isEngineKey = (key: string): boolean => key.startsWith("__pregel_");

/** Keys of a state that are nobody's business outside: private channels and the routing of our graph. */
const isPrivateStateKey = (key: string): boolean =>
  key !== INTERRUPT_KEY && (key.startsWith("_") || key.startsWith("lg_"));

/** Where a value stands that is being converted. */
interface Place {
  readonly threadId: string;
  /** The objects around it, outermost first. */
  readonly parents: readonly object[];
  /** Only media in messages is stored where its address leads. */
  readonly inMessage: boolean;
}

const rootOf = (threadId: string): Place => ({ threadId, parents: [], inMessage: false });

/** Any value as JSON. What has no JSON form is left out of objects and null in arrays; circles end in null. */
export const toJson = (value: unknown, threadId: string): JsonValue =>
  convert(value, rootOf(threadId)) ?? null;

/** As {@link toJson}, for a value that must be an object: anything else becomes `{}`. */
export function toJsonObject(value: unknown, threadId: string): JsonObject {
  const json = toJson(value, threadId);
  return isRecord(json) ? json : {};
}

function convert(value: unknown, place: Place): JsonValue | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value + 0 : null;
    case "bigint":
      return value.toString();
    case "object":
      return value === null ? null : convertObject(value, place);
    default:
      return undefined;
  }
}

function convertObject(value: object, place: Place): JsonValue {
  const { parents, threadId } = place;
  if (parents.length >= MAX_DEPTH || parents.includes(value)) return null;
  const inside = { ...place, parents: [...parents, value] };
  if (isBaseMessage(value)) return messageToWire(value, inside);
  const reference = place.inMessage ? toReference(value, threadId) : undefined;
  if (reference !== undefined) return convertEntries(Object.entries(reference), inside);
  if (Array.isArray(value)) return Array.from(value, (item) => convert(item, inside) ?? null);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Error) return { error: value.name, message: value.message };
  if (value instanceof Map) return convertEntries(value.entries(), inside);
  if (value instanceof Set) return Array.from(value, (item) => convert(item, inside) ?? null);
  if (ArrayBuffer.isView(value)) return bytesToBase64(value);
  if (hasToJson(value)) return convert(value.toJSON(), inside) ?? null;
  return convertEntries(Object.entries(value), inside);
}

const bytesToBase64 = (view: ArrayBufferView): string =>
  Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString("base64");

const hasToJson = (value: object): value is { toJSON(): unknown } =>
  "toJSON" in value && typeof value.toJSON === "function";

function convertEntries(entries: Iterable<[unknown, unknown]>, inside: Place): JsonObject {
  const pairs: [string, JsonValue][] = [];
  for (const [key, item] of entries) {
    if (typeof key === "object" || typeof key === "symbol") continue;
    const name = String(key);
    if (isEngineKey(name)) continue;
    const json = convert(item, inside);
    if (json !== undefined) pairs.push([name, json]);
  }
  // fromEntries defines own keys, so a key such as __proto__ stays data.
  return Object.fromEntries(pairs);
}

/** The fields of a message that clients read, by kind; `additional_kwargs` and the like are common to all. */
const MESSAGE_FIELDS = ["tool_call_id", "status", "artifact", "usage_metadata"] as const;

function messageToWire(message: BaseMessage, around: Place): JsonObject {
  const inside = { ...around, inMessage: true };
  // A message is a class with public fields; a record is the plainest way to look at those that only some have.
  const fields = message as unknown as Record<string, unknown>;
  const object = (value: unknown): JsonObject =>
    isRecord(value) ? convertEntries(Object.entries(value), inside) : {};
  const list = (value: unknown): JsonValue => (Array.isArray(value) ? (convert(value, inside) ?? []) : []);
  const wire: JsonObject = { type: message.getType(), content: convert(message.content, inside) ?? "" };
  if (message.id !== undefined) wire["id"] = message.id;
  if (message.name !== undefined) wire["name"] = message.name;
  // Some clients prefer the provider's raw calls in here to the parsed ones; they would show them unparsed.
  const { tool_calls: _raw, ...additional } = object(message.additional_kwargs);
  wire["additional_kwargs"] = additional;
  wire["response_metadata"] = object(message.response_metadata);
  if (message.getType() === "ai") {
    wire["tool_calls"] = list(fields["tool_calls"]);
    wire["invalid_tool_calls"] = list(fields["invalid_tool_calls"]);
  }
  for (const name of MESSAGE_FIELDS) {
    const json = convert(fields[name], inside);
    if (json !== undefined && json !== null) wire[name] = json;
  }
  return wire;
}

/** A message of a state or of the event log: flat, `type` is human, ai, system, tool or remove. */
export const toWireMessage = (message: BaseMessage, threadId: string): JsonObject =>
  messageToWire(message, rootOf(threadId));

/** A message, or a piece of one, in the stream: pieces say so in `type` and carry `tool_call_chunks`. */
export function toStreamedMessage(message: BaseMessage, threadId: string): JsonObject {
  const wire = toWireMessage(message, threadId);
  if (!isChunk(message)) return wire;
  const chunks = (message as unknown as Record<string, unknown>)["tool_call_chunks"]; // as above: only ai chunks have it
  return {
    ...wire,
    type: `${CHUNK_NAMES[message.getType()] ?? "ChatMessage"}Chunk`,
    ...(message.getType() === "ai" ? { tool_call_chunks: toJson(chunks ?? [], threadId) } : {}),
  };
}

const CHUNK_NAMES: Readonly<Record<string, string>> = {
  ai: "AIMessage",
  human: "HumanMessage",
  system: "SystemMessage",
  tool: "ToolMessage",
};

/** Whether this is a piece of a message that is still being written. */
export const isChunk = (message: BaseMessage): boolean => "concat" in message;

/** A state, a partial state or a task's input, without private keys; interrupts in both spellings. */
export function toStateValues(values: unknown, threadId: string): JsonValue {
  if (!isRecord(values) || isBaseMessage(values)) return toJson(values, threadId);
  const kept = Object.entries(values)
    .filter(([key]) => !isPrivateStateKey(key) && !isEngineKey(key))
    .map(([key, value]) => [key, key === INTERRUPT_KEY ? toInterrupts(value, threadId) : value] as const);
  return toJson(Object.fromEntries(kept), threadId);
}

/** `updates`: `{node: partial state}`; a node that changed nothing is null. */
export function toUpdates(chunk: unknown, threadId: string): JsonValue {
  if (!isRecord(chunk)) return toJson(chunk, threadId);
  return Object.fromEntries(
    Object.entries(chunk)
      .filter(([node]) => node === INTERRUPT_KEY || !node.startsWith("__"))
      .map(([node, update]) => [
        node,
        node === INTERRUPT_KEY
          ? toInterrupts(update, threadId)
          : Array.isArray(update)
            ? Array.from(update, (one) => toStateValues(one, threadId))
            : toStateValues(update ?? null, threadId),
      ]),
  );
}

/** Interrupts as clients know them: `{id, value}`. */
export function toInterrupts(interrupts: unknown, threadId: string): JsonValue[] {
  if (!Array.isArray(interrupts)) return [];
  return interrupts.filter(isRecord).map((interrupt) => ({
    ...(typeof interrupt["id"] === "string" ? { id: interrupt["id"] } : {}),
    value: bothSpellings(toJson(interrupt["value"], threadId)),
  }));
}

/** `messages`: `[message, metadata]`. Undefined for anything that is no such pair. */
export function toMessageTuple(chunk: unknown, threadId: string): [JsonObject, JsonObject] | undefined {
  if (!Array.isArray(chunk) || !isBaseMessage(chunk[0])) return undefined;
  const metadata = toJsonObject(toStateValues(chunk[1] ?? {}, threadId), threadId);
  return [toStreamedMessage(chunk[0], threadId), metadata];
}

/** What holds no message, such as ids. */
const plain = (value: unknown): JsonValue => toJson(value, "");

/** Where a configuration points to; null when it names no thread. */
export function toCheckpoint(config: unknown): JsonObject | null {
  const configurable =
    isRecord(config) && isRecord(config["configurable"]) ? config["configurable"] : undefined;
  if (configurable === undefined) return null;
  return {
    thread_id: plain(configurable["thread_id"]),
    checkpoint_ns: plain(configurable["checkpoint_ns"] ?? ""),
    checkpoint_id: plain(configurable["checkpoint_id"]),
    checkpoint_map: plain(configurable["checkpoint_map"]),
  };
}

/** A `StateSnapshot` as a state or a history item. */
export function toThreadState(snapshot: unknown, threadId: string): JsonObject {
  const { values, next, tasks, config, parentConfig, metadata, createdAt } = toRecord(snapshot);
  return {
    values: toJsonObject(toStateValues(values ?? {}, threadId), threadId),
    next: plain(next ?? []),
    tasks: Array.isArray(tasks) ? Array.from(tasks, (task) => toTask(task, threadId)) : [],
    checkpoint: toCheckpoint(config) ?? toCheckpoint({ configurable: {} }),
    parent_checkpoint: toCheckpoint(parentConfig),
    metadata: toJsonObject(toStateValues(metadata ?? {}, threadId), threadId),
    created_at: plain(createdAt),
  };
}

const toRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

/** A task of a snapshot; a subgraph's state is nested when it was asked for. */
function toTask(task: unknown, threadId: string): JsonObject {
  const { id, name, path, error, interrupts, state } = toRecord(task);
  const nested = isRecord(state) && "values" in state ? toThreadState(state, threadId) : null;
  return {
    id: plain(id),
    name: plain(name),
    path: plain(path ?? []),
    error: toTaskError(error),
    interrupts: toInterrupts(interrupts, threadId),
    checkpoint: nested === null ? toCheckpoint(state) : (nested["checkpoint"] ?? null),
    state: nested,
  };
}

/** Clients parse this text as JSON if they can, and show name and message. */
function toTaskError(error: unknown): string | null {
  if (error === undefined || error === null) return null;
  if (typeof error === "string") return error;
  return JSON.stringify(plain(error));
}

/** `checkpoints`: a snapshot as it is taken. */
export function toCheckpointEvent(chunk: unknown, threadId: string): JsonValue {
  const { config, parentConfig, values, metadata, next, tasks } = toRecord(chunk);
  return {
    ...toThreadState({ values, next, tasks, config, parentConfig, metadata }, threadId),
    config: { configurable: toCheckpoint(config) },
  };
}

/** `tasks`: a task that begins (with its input) or ends (with its result). */
export function toTaskEvent(chunk: unknown, threadId: string): JsonValue {
  const { input, result, interrupts, error, metadata, ...rest } = toRecord(chunk);
  return {
    ...toJsonObject(rest, threadId),
    ...(metadata === undefined ? {} : { metadata: toStateValues(metadata, threadId) }),
    ...(input === undefined ? {} : { input: toStateValues(input, threadId) }),
    ...(result === undefined ? {} : { result: toStateValues(result, threadId), error: toTaskError(error) }),
    interrupts: toInterrupts(interrupts, threadId),
  };
}

/** `debug`: tasks and checkpoints in an envelope. */
export function toDebugEvent(chunk: unknown, threadId: string): JsonValue {
  const { type, payload, ...rest } = toRecord(chunk);
  const content =
    type === "checkpoint" ? toCheckpointEvent(payload, threadId) : toTaskEvent(payload, threadId);
  return { ...toJsonObject(rest, threadId), type: plain(type), payload: content };
}
