/** The messages of one reading: each is fetched and built once, and shared by all the checkpoints that hold it. */
import type { BaseMessage } from "@langchain/core/messages";
import { DeerflowError } from "../../base/errors.js";
import type { CheckpointRows } from "./checkpoint-rows.js";
import { messageFromText } from "./message-codec.js";
import type { MessageInterner } from "./message-interner.js";
import { unpackPayload } from "./payload.js";
import { toRanges } from "./ranges.js";
import { refsFromText } from "./value-codec.js";

export class MessageShelf {
  readonly #threadKey: number;
  readonly #interner: MessageInterner;
  readonly #stored = new Map<number, Uint8Array>();
  readonly #built = new Map<number, BaseMessage>();

  constructor(threadKey: number, interner: MessageInterner) {
    this.#threadKey = threadKey;
    this.#interner = interner;
  }

  /** Fetches what these refs name and is not here yet. */
  async fetch(rows: CheckpointRows, refs: Iterable<string>): Promise<void> {
    const missing = new Set<number>();
    for (const text of refs) {
      for (const seq of refsFromText(text)) if (!this.#stored.has(seq)) missing.add(seq);
    }
    const ranges = toRanges([...missing].sort((a, b) => a - b));
    for (let at = 0; at < ranges.length; at += 2) {
      const found = await rows.findMessages(this.#threadKey, ranges[at] ?? 0, ranges[at + 1] ?? 0);
      for (const { seq, data } of found) this.#stored.set(seq, data);
    }
  }

  /**
   * The messages that the refs name, in their order.
   *
   * @throws DeerflowError `internal` when one was not found
   */
  async take(refs: string): Promise<readonly BaseMessage[]> {
    const messages: BaseMessage[] = [];
    for (const seq of refsFromText(refs)) messages.push(this.#built.get(seq) ?? (await this.#build(seq)));
    return messages;
  }

  async #build(seq: number): Promise<BaseMessage> {
    const data = this.#stored.get(seq);
    if (data === undefined) {
      throw new DeerflowError("internal", { reason: `message ${seq} of a stored conversation is missing` });
    }
    const { bytes } = await unpackPayload(data);
    const built = this.#built.get(seq);
    if (built !== undefined) return built;
    const message = messageFromText(Buffer.from(bytes).toString());
    this.#built.set(seq, message);
    this.#interner.remember(message, this.#threadKey, seq);
    return message;
  }
}
