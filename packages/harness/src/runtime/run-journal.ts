/** What the runtime notes while a run goes on: new messages, the answer being written, the thread's summary. */
import { AIMessage, type BaseMessage, isAIMessage, isBaseMessage } from "@langchain/core/messages";
import type { JsonObject, JsonValue } from "../base/json.js";
import type { NewRunEvent } from "../persistence/contract.js";
import { toWireMessage } from "./serialization.js";
import { type GraphPart, joinPieces } from "./stream-frames.js";

/** A message that the model had not finished, and the node that asked for it. */
export interface UnfinishedMessage {
  readonly message: AIMessage;
  readonly node: string | undefined;
}

const RECORDED: ReadonlySet<string> = new Set(["human", "ai", "tool"]);
const SUMMARY_LENGTH = 500;

const messagesOf = (values: unknown): readonly BaseMessage[] => {
  if (typeof values !== "object" || values === null || !("messages" in values)) return [];
  return Array.isArray(values.messages) ? values.messages.filter(isBaseMessage) : [];
};

/** Notes the run `runId`; fed with every part of the graph's stream, in order. */
export class RunJournal {
  readonly #runId: string;
  readonly #threadId: string;
  readonly #caller: string;
  /** Ids of the messages that are part of the state. */
  readonly #stored: Set<string>;
  readonly #writing = new Map<string, { message: BaseMessage; node: string | undefined }>();
  #interrupted = false;
  #summary: JsonObject = {};

  /** @param options.values the state before the run: its messages are not new */
  constructor(options: {
    readonly runId: string;
    readonly threadId: string;
    readonly caller: string;
    readonly values: unknown;
  }) {
    this.#runId = options.runId;
    this.#threadId = options.threadId;
    this.#caller = options.caller;
    this.#stored = new Set(messagesOf(options.values).flatMap(({ id }) => (id === undefined ? [] : [id])));
  }

  /** Whether the last thing the graph said was that it waits for a person. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** `title`, and the first human and the first ai text: what thread lists show. */
  get summary(): JsonObject {
    return this.#summary;
  }

  /** Takes note of one part. @returns the events to append to the log */
  observe({ namespace, mode, chunk }: GraphPart): NewRunEvent[] {
    if (namespace.length > 0) return [];
    if (mode === "messages") this.#observePiece(chunk);
    return mode === "values" ? this.#observeValues(chunk) : [];
  }

  /** Answers that were begun and are not part of the state: their text so far, without half-written calls. */
  unfinished(): UnfinishedMessage[] {
    return [...this.#writing.values()].flatMap(({ message, node }) => {
      if (message.text.trim() === "") return [];
      const kept = new AIMessage({
        ...(message.id === undefined ? {} : { id: message.id }),
        content: message.content,
        additional_kwargs: withoutCalls(message.additional_kwargs),
        response_metadata: { ...message.response_metadata, stop_reason: "cancelled" },
      });
      return [{ message: kept, node }];
    });
  }

  /** The event for a message. */
  messageEvent(message: BaseMessage): NewRunEvent {
    return {
      runId: this.#runId,
      eventType: `message.${message.getType()}`,
      content: toWireMessage(message, this.#threadId),
      metadata: { caller: this.#caller },
    };
  }

  #observePiece(chunk: unknown): void {
    if (!Array.isArray(chunk) || !isBaseMessage(chunk[0]) || !isAIMessage(chunk[0])) return;
    const piece = chunk[0];
    if (piece.id === undefined || this.#stored.has(piece.id)) return;
    const message = joinPieces(this.#writing.get(piece.id)?.message, piece);
    this.#writing.set(piece.id, { message, node: nodeOf(chunk[1]) });
  }

  #observeValues(values: unknown): NewRunEvent[] {
    this.#interrupted = typeof values === "object" && values !== null && "__interrupt__" in values;
    if (this.#interrupted && Object.keys(values as object).length === 1) return []; // no state in it (checked above)
    const messages = messagesOf(values);
    const added = messages.filter(({ id }) => id !== undefined && !this.#stored.has(id));
    for (const { id } of added) {
      if (id === undefined) continue;
      this.#stored.add(id);
      this.#writing.delete(id);
    }
    this.#summary = summarise(values);
    return added
      .filter((message) => RECORDED.has(message.getType()))
      .map((message) => this.messageEvent(message));
  }
}

function nodeOf(metadata: unknown): string | undefined {
  if (typeof metadata !== "object" || metadata === null || !("langgraph_node" in metadata)) return undefined;
  return typeof metadata.langgraph_node === "string" ? metadata.langgraph_node : undefined;
}

function withoutCalls(additional: BaseMessage["additional_kwargs"]): BaseMessage["additional_kwargs"] {
  const { tool_calls: _calls, ...kept } = additional;
  return kept;
}

/** What thread lists show of a state. */
export function summarise(values: unknown): JsonObject {
  const messages = messagesOf(values);
  const shown = [
    messages.find((message) => message.getType() === "human" && !isHidden(message)),
    messages.find((message) => message.getType() === "ai" && message.text !== ""),
  ].filter((message) => message !== undefined);
  const title = titleOf(values);
  return {
    ...(title === undefined ? {} : { title }),
    messages: shown.map(
      (message): JsonValue => ({
        type: message.getType(),
        ...(message.id === undefined ? {} : { id: message.id }),
        content: message.text.slice(0, SUMMARY_LENGTH),
      }),
    ),
  };
}

const isHidden = (message: BaseMessage): boolean => message.additional_kwargs["hide_from_ui"] === true;

function titleOf(values: unknown): string | undefined {
  if (typeof values !== "object" || values === null || !("title" in values)) return undefined;
  return typeof values.title === "string" && values.title !== "" ? values.title : undefined;
}
