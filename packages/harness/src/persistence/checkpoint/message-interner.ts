/** Gives each message of a thread one number, by its content, and stores it the first time it is met. */
import type { BaseMessage } from "@langchain/core/messages";
import { messageToText } from "./message-codec.js";
import { hashToText, mediaPart, type NewPart, sha256 } from "./part.js";
import { packPayload } from "./payload.js";
import { toRanges } from "./ranges.js";
import { NO_REFS, refsToText } from "./refs.js";
import type { ThreadBatch } from "./thread-batch.js";

interface Described {
  readonly hash: Uint8Array;
  readonly data: Uint8Array;
  readonly media: readonly NewPart[];
}

/** Where a message is stored. Holds for one generation of the thread: later ones may have removed it. */
interface Place {
  readonly threadKey: number;
  readonly generation: number;
  readonly number: number;
}

/** What is remembered of a message object, as long as it lives and looks as it did. */
interface Known {
  readonly look: readonly unknown[];
  readonly described?: Promise<Described>;
  readonly place?: Place;
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

/** Asked for every message of a conversation at every step, so it makes no lists. */
const looksTheSame = (known: Known, message: BaseMessage): boolean =>
  LOOKED_AT.every(
    (field, index) => (message as unknown as Record<string, unknown>)[field] === known.look[index],
  );

async function describe(message: BaseMessage): Promise<Described> {
  const { text, media } = messageToText(message);
  const bytes = Buffer.from(text);
  return {
    hash: sha256(bytes),
    data: await packPayload({ type: "json", bytes, marked: false }),
    media: await Promise.all(
      [...media.values()].map(({ base64, mediaType }) => mediaPart(base64, mediaType)),
    ),
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

/** What one transaction found out; remembered for good when it is on disk. */
class Learned {
  readonly places = new Map<BaseMessage, Known>();
  /** The numbers that this transaction keeps for the answers to calls, and those that it has used. */
  readonly reserved = new Map<string, number>();
  readonly used = new Set<string>();
}

/**
 * Numbers run in the order in which messages are met. Answers of parallel tool calls are met in the order in which
 * they finish, so an AI message reserves the next numbers for the answers to its calls: a conversation stays one
 * range of numbers.
 */
export class MessageInterner {
  readonly #known = new WeakMap<BaseMessage, Known>();
  readonly #learned = new WeakMap<ThreadBatch, Learned>();
  /** By thread key: the number kept for the answer to a call. All of them are on disk, as numbers that are given. */
  readonly #reserved = new Map<number, Map<string, number>>();

  /** Does the slow part (writing, hashing, deflating) before a transaction is open. */
  async prepare(messages: Iterable<BaseMessage>): Promise<void> {
    for (const message of messages) {
      const known = this.#recall(message);
      if (known?.place === undefined) await this.#describe(message, known);
    }
  }

  /** Remembers a message that was read from the database. */
  remember(message: BaseMessage, place: Place): void {
    this.#known.set(message, { look: lookOf(message), place });
  }

  /** The numbers of `messages` in the thread; those that it does not have yet are stored. */
  async intern(
    messages: Iterable<BaseMessage>,
    batch: ThreadBatch,
  ): Promise<ReadonlyMap<BaseMessage, number>> {
    const learned = this.#learnedIn(batch);
    const numbers = new Map<BaseMessage, number>();
    const unknown: { message: BaseMessage; described: Described }[] = [];
    for (const message of messages) {
      const known = this.#recall(message, learned);
      if (known?.place !== undefined && holds(known.place, batch)) numbers.set(message, known.place.number);
      else unknown.push({ message, described: await this.#describe(message, known) });
    }
    // A commit whose answer was lost may have used a number that is still kept here, so those are looked up too.
    const stored = await batch.findHashes(
      "messages",
      unknown.map(({ described }) => described.hash),
      unknown.flatMap(({ message }) => this.#keptFor(batch, answeredCallOf(message)) ?? []),
    );
    const taken = new Set(stored.values());
    for (const { message, described } of unknown) {
      const number =
        stored.get(hashToText(described.hash)) ?? (await this.#add(message, described, { batch, taken }));
      const { key: threadKey, generation } = batch.thread;
      learned.places.set(message, { look: lookOf(message), place: { threadKey, generation, number } });
      numbers.set(message, number);
    }
    return numbers;
  }

  /** Stores a message under the number kept for it, or the next one, and keeps numbers for its answers. */
  async #add(
    message: BaseMessage,
    { hash, data, media }: Described,
    { batch, taken }: { readonly batch: ThreadBatch; readonly taken: ReadonlySet<number> },
  ): Promise<number> {
    const kept = this.#takeReserved(batch, answeredCallOf(message));
    const number = kept === undefined || taken.has(kept) ? batch.reserveMessages(1) : kept;
    const parts = await batch.addParts(media);
    const fitted = await batch.fit(data);
    const refs = refsToText({ ...NO_REFS, parts: [...toRanges(parts), ...fitted.slices] });
    batch.addMessage({ number, hash, refs, data: fitted.data });
    const { reserved } = this.#learnedIn(batch);
    for (const callId of callIdsOf(message)) reserved.set(callId, batch.reserveMessages(1));
    return number;
  }

  #learnedIn(batch: ThreadBatch): Learned {
    const before = this.#learned.get(batch);
    if (before !== undefined) return before;
    const learned = new Learned();
    this.#learned.set(batch, learned);
    batch.afterCommit(() => {
      for (const [message, known] of learned.places) this.#known.set(message, known);
      this.#keepReserved(batch.thread.key, learned);
    });
    return learned;
  }

  #recall(message: BaseMessage, learned?: Learned): Known | undefined {
    const known = learned?.places.get(message) ?? this.#known.get(message);
    return known !== undefined && looksTheSame(known, message) ? known : undefined;
  }

  #describe(message: BaseMessage, known: Known | undefined): Promise<Described> {
    if (known?.described !== undefined) return known.described;
    const described = describe(message);
    this.#known.set(message, { ...known, look: lookOf(message), described });
    return described;
  }

  #keptFor(batch: ThreadBatch, callId: string | undefined): number | undefined {
    if (callId === undefined) return undefined;
    return this.#learnedIn(batch).reserved.get(callId) ?? this.#reserved.get(batch.thread.key)?.get(callId);
  }

  /** Whoever comes second for one call gets another number. */
  #takeReserved(batch: ThreadBatch, callId: string | undefined): number | undefined {
    const learned = this.#learnedIn(batch);
    if (callId === undefined || learned.used.has(callId)) return undefined;
    const number = this.#keptFor(batch, callId);
    if (number !== undefined) learned.used.add(callId);
    return number;
  }

  #keepReserved(threadKey: number, { reserved, used }: Learned): void {
    const ofThread = this.#reserved.get(threadKey) ?? new Map<string, number>();
    for (const [callId, number] of reserved) ofThread.set(callId, number);
    for (const callId of used) ofThread.delete(callId);
    this.#reserved.delete(threadKey);
    if (ofThread.size > 0) this.#reserved.set(threadKey, ofThread);
    if (this.#reserved.size <= THREADS_WITH_RESERVATIONS) return;
    const [oldest] = this.#reserved.keys();
    if (oldest !== undefined) this.#reserved.delete(oldest);
  }
}

const holds = (place: Place, { thread }: ThreadBatch): boolean =>
  place.threadKey === thread.key && place.generation === thread.generation;
