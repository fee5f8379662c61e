/** Gives each message of a thread one number, by its content, and stores it the first time it is met. */
import { createHash } from "node:crypto";
import type { BaseMessage } from "@langchain/core/messages";
import type { CheckpointRows, ThreadRow } from "./checkpoint-rows.js";
import type { GroupTransaction } from "./group-commit.js";
import { messageToText } from "./message-codec.js";
import { packPayload } from "./payload.js";

interface Described {
  readonly hash: Uint8Array;
  readonly data: Uint8Array;
}

/** What is remembered of a message object, as long as it lives and looks as it did. */
interface Known {
  readonly look: readonly unknown[];
  readonly described?: Promise<Described>;
  readonly place?: { readonly threadKey: number; readonly seq: number };
}

/** How many threads keep numbers for the answers of their tool calls; one that is forgotten only loses order. */
const THREADS_WITH_RESERVATIONS = 500;

/** Fields whose change makes another message. Reducers stamp ids in place, hence not the object alone. */
const LOOKED_AT = [
  "id",
  "name",
  "content",
  "tool_calls",
  "additional_kwargs",
  "response_metadata",
  "usage_metadata",
  "status",
  "artifact",
] as const;

const lookOf = (message: BaseMessage): readonly unknown[] =>
  // Which of the fields a message has depends on its class.
  LOOKED_AT.map((field) => (message as unknown as Record<string, unknown>)[field]);

const looksTheSame = (known: Known, message: BaseMessage): boolean =>
  lookOf(message).every((value, index) => value === known.look[index]);

async function describe(message: BaseMessage): Promise<Described> {
  const bytes = Buffer.from(messageToText(message));
  return {
    hash: createHash("sha256").update(bytes).digest(),
    data: await packPayload({ type: "json", bytes, marked: false }),
  };
}

/** The ids of the calls that an AI message makes. */
function callIdsOf(message: BaseMessage): readonly string[] {
  const calls: unknown = "tool_calls" in message ? message.tool_calls : undefined;
  if (!Array.isArray(calls)) return [];
  return calls.map((call: { id?: unknown }) => call.id).filter((id) => typeof id === "string");
}

const answeredCallOf = (message: BaseMessage): string | undefined =>
  "tool_call_id" in message && typeof message.tool_call_id === "string" ? message.tool_call_id : undefined;

const isFree = async (rows: CheckpointRows, threadKey: number, seq: number): Promise<boolean> =>
  (await rows.findMessages(threadKey, seq, seq)).length === 0;

/**
 * Numbers run in the order in which messages are met. Answers of parallel tool calls are met in the order in which
 * they finish, so an AI message reserves the next numbers for the answers to its calls: a conversation stays one
 * range of numbers.
 */
export class MessageInterner {
  readonly #known = new WeakMap<BaseMessage, Known>();
  readonly #learned = new WeakMap<GroupTransaction, Map<BaseMessage, Known>>();
  /** By thread key: the number kept for the answer to a call. */
  readonly #reserved = new Map<number, Map<string, number>>();

  /** Does the slow part (writing, hashing, deflating) before a transaction is open. */
  async prepare(messages: Iterable<BaseMessage>): Promise<void> {
    for (const message of messages) {
      const known = this.#recall(message);
      if (known?.place === undefined) await this.#describe(message, known);
    }
  }

  /** Remembers a message that was read from the database. */
  remember(message: BaseMessage, threadKey: number, seq: number): void {
    this.#known.set(message, { look: lookOf(message), place: { threadKey, seq } });
  }

  /** The numbers of `messages` in the thread; those that it does not have yet are stored. */
  async intern(
    messages: Iterable<BaseMessage>,
    thread: ThreadRow,
    transaction: GroupTransaction,
  ): Promise<ReadonlyMap<BaseMessage, number>> {
    const learned = this.#learnedIn(transaction);
    const numbers = new Map<BaseMessage, number>();
    let next = thread.nextMessage;
    for (const message of messages) {
      const known = this.#recall(message, learned);
      if (known?.place?.threadKey === thread.key) {
        numbers.set(message, known.place.seq);
        continue;
      }
      const described = await this.#describe(message, known);
      const found = await transaction.rows.findMessageByHash(thread.key, described.hash);
      const added =
        found === undefined ? await this.#add(message, described, { thread, next, transaction }) : undefined;
      const seq = found ?? added?.seq ?? next;
      next = added?.next ?? next;
      learned.set(message, { look: lookOf(message), place: { threadKey: thread.key, seq } });
      numbers.set(message, seq);
    }
    if (next !== thread.nextMessage) await transaction.rows.setNextMessage(thread.key, next);
    return numbers;
  }

  /** Stores a message under the number kept for it, or the next one, and keeps numbers for its answers. */
  async #add(
    message: BaseMessage,
    { hash, data }: Described,
    at: { readonly thread: ThreadRow; readonly next: number; readonly transaction: GroupTransaction },
  ): Promise<{ seq: number; next: number }> {
    const { rows } = at.transaction;
    const threadKey = at.thread.key;
    const reserved = this.#takeReserved(threadKey, answeredCallOf(message));
    const free = reserved !== undefined && reserved < at.next && (await isFree(rows, threadKey, reserved));
    const seq = free ? reserved : at.next;
    let next = free ? at.next : at.next + 1;
    await rows.addMessage(threadKey, { seq, hash, data });
    for (const callId of callIdsOf(message)) this.#reserve(threadKey, callId, next++);
    return { seq, next };
  }

  /** What this transaction found out; remembered for good when it is on disk. */
  #learnedIn(transaction: GroupTransaction): Map<BaseMessage, Known> {
    const before = this.#learned.get(transaction);
    if (before !== undefined) return before;
    const learned = new Map<BaseMessage, Known>();
    this.#learned.set(transaction, learned);
    transaction.afterCommit(() => {
      for (const [message, known] of learned) this.#known.set(message, known);
    });
    return learned;
  }

  #recall(message: BaseMessage, learned?: ReadonlyMap<BaseMessage, Known>): Known | undefined {
    const known = learned?.get(message) ?? this.#known.get(message);
    return known !== undefined && looksTheSame(known, message) ? known : undefined;
  }

  #describe(message: BaseMessage, known: Known | undefined): Promise<Described> {
    if (known?.described !== undefined) return known.described;
    const described = describe(message);
    this.#known.set(message, { ...known, look: lookOf(message), described });
    return described;
  }

  /**
   * Kept at once, because an answer may come in the same transaction. If that is undone, the number may go to
   * another message: whoever uses it looks first.
   */
  #reserve(threadKey: number, callId: string, seq: number): void {
    const ofThread = this.#reserved.get(threadKey) ?? new Map<string, number>();
    ofThread.set(callId, seq);
    this.#reserved.delete(threadKey);
    this.#reserved.set(threadKey, ofThread);
    if (this.#reserved.size <= THREADS_WITH_RESERVATIONS) return;
    const [oldest] = this.#reserved.keys();
    if (oldest !== undefined) this.#reserved.delete(oldest);
  }

  /** Whoever comes second for one call gets another number. */
  #takeReserved(threadKey: number, callId: string | undefined): number | undefined {
    if (callId === undefined) return undefined;
    const ofThread = this.#reserved.get(threadKey);
    const seq = ofThread?.get(callId);
    ofThread?.delete(callId);
    return seq;
  }
}
