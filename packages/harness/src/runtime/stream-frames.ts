/** From what the graph streams to the frames that a client asked for. */
import { AIMessageChunk, type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import type { JsonValue } from "../base/json.js";
import {
  isChunk,
  toCheckpointEvent,
  toDebugEvent,
  toJson,
  toMessageTuple,
  toStateValues,
  toTaskEvent,
  toUpdates,
  toWireMessage,
} from "./serialization.js";
import type { StreamMode } from "./stream-modes.js";

/** One item of the graph's stream; `namespace` is empty at the root. */
export interface GraphPart {
  readonly namespace: readonly string[];
  readonly mode: string;
  readonly chunk: unknown;
}

/** A frame before it has an id. */
export interface DraftFrame {
  readonly event: string;
  readonly data: JsonValue;
}

/** Reads `[mode, chunk]`, or `[namespace, mode, chunk]` as streamed with subgraphs. */
export function parseGraphPart(item: unknown): GraphPart {
  const [first, second, third] = Array.isArray(item) ? item : [];
  if (Array.isArray(first)) return { namespace: first.map(String), mode: String(second), chunk: third };
  return { namespace: [], mode: String(first), chunk: second };
}

const CONVERSIONS: Readonly<Record<string, (chunk: unknown, threadId: string) => JsonValue>> = {
  values: toStateValues,
  updates: toUpdates,
  custom: toJson,
  tools: toJson,
  checkpoints: toCheckpointEvent,
  tasks: toTaskEvent,
  debug: toDebugEvent,
};

/** Turns the parts of one run into frames. Remembers messages that are still being written. */
export class StreamFramer {
  readonly #modes: ReadonlySet<StreamMode>;
  readonly #subgraphs: boolean;
  readonly #threadId: string;
  readonly #written = new Map<string, BaseMessage>();

  constructor(options: {
    readonly threadId: string;
    readonly modes: readonly StreamMode[];
    readonly subgraphs: boolean;
  }) {
    this.#threadId = options.threadId;
    this.#modes = new Set(options.modes);
    this.#subgraphs = options.subgraphs;
  }

  frames({ namespace, mode, chunk }: GraphPart): DraftFrame[] {
    if (namespace.length > 0 && !this.#subgraphs) return [];
    const drafts = mode === "messages" ? this.#messageFrames(chunk) : this.#plainFrames(mode, chunk);
    return drafts.map(({ event, data }) => ({ event: [event, ...namespace].join("|"), data }));
  }

  #plainFrames(mode: string, chunk: unknown): DraftFrame[] {
    const convert = CONVERSIONS[mode];
    // The runtime streams more than was asked for, for its own use.
    if (convert === undefined || !(this.#modes as ReadonlySet<string>).has(mode)) return [];
    return [{ event: mode, data: convert(chunk, this.#threadId) }];
  }

  #messageFrames(chunk: unknown): DraftFrame[] {
    const tuple = toMessageTuple(chunk, this.#threadId);
    if (tuple === undefined) return [];
    return [
      ...(this.#modes.has("messages-tuple") ? [{ event: "messages", data: tuple }] : []),
      ...(this.#modes.has("messages") && Array.isArray(chunk) ? this.#legacyFrames(chunk[0], tuple[1]) : []),
    ];
  }

  /** The older form: the whole message so far with each piece, its metadata once. */
  #legacyFrames(message: unknown, metadata: JsonValue): DraftFrame[] {
    if (!isBaseMessage(message)) return [];
    const id = message.id ?? "";
    const before = this.#written.get(id);
    const partial = isChunk(message);
    const whole = partial ? joinPieces(before, message) : message;
    this.#written.set(id, whole);
    return [
      ...(before === undefined ? [{ event: "messages/metadata", data: { [id]: { metadata } } }] : []),
      {
        event: partial ? "messages/partial" : "messages/complete",
        data: [toWireMessage(whole, this.#threadId)],
      },
    ];
  }
}

/** The message so far with one piece more. */
export function joinPieces(before: BaseMessage | undefined, piece: BaseMessage): BaseMessage {
  if (before instanceof AIMessageChunk && piece instanceof AIMessageChunk) return before.concat(piece);
  return piece;
}
