/** Takes the messages out of a value and leaves marks, so that each is stored once and the rest stays small. */
import { BaseMessage } from "@langchain/core/messages";
import { DeltaSnapshot, isDeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { isKnownMessage } from "./message-codec.js";
import { fromRanges, type Ranges, toRanges } from "./ranges.js";

/** The key that only marks have; a value of the user's that has it as well is wrapped. */
const MARK = "$deerflow";

type Mark =
  | { readonly [MARK]: "message"; readonly at: number }
  | { readonly [MARK]: "messages"; readonly at: Ranges }
  | { readonly [MARK]: "object"; readonly entries: readonly (readonly [string, unknown])[] };

export interface MarkedValue {
  readonly value: unknown;
  /** The messages, each instance once, in the order of their first appearance; marks count in this list. */
  readonly messages: readonly BaseMessage[];
  /** False when the value holds no mark, and so need not be walked when it is read. */
  readonly marked: boolean;
}

const isPlainObject = (value: object): value is Record<string, unknown> => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Objects that the serializer writes, and builds again, by itself. */
const isLeftToSerializer = (value: object): boolean =>
  ArrayBuffer.isView(value) || value instanceof RegExp || value instanceof Error || value instanceof Date;

const hasJson = (value: object): value is { toJSON(): unknown } =>
  "toJSON" in value && typeof value.toJSON === "function";

/** What LangChain's objects write of themselves: they are built again from it, and not looked into when read. */
const isReviver = (written: object): boolean => "lc" in written && written.lc === 1;

interface SendLike {
  readonly lg_name: "Send";
  readonly node: unknown;
  readonly args: unknown;
  readonly timeout?: unknown;
}

const isSend = (value: object): value is SendLike => "lg_name" in value && value.lg_name === "Send";

class Marker {
  readonly #places = new Map<BaseMessage, number>();
  readonly #around = new Set<object>();
  #wrapped = false;

  mark(value: unknown): MarkedValue {
    const marked = this.#walk(value);
    return {
      value: marked,
      messages: [...this.#places.keys()],
      marked: this.#places.size > 0 || this.#wrapped,
    };
  }

  #walk(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (this.#isOurs(value)) return { [MARK]: "message", at: this.#place(value) } satisfies Mark;
    // A circle goes to the serializer as it is, which knows what to do with one.
    if (this.#around.has(value)) return value;
    this.#around.add(value);
    const walked = this.#walkInto(value);
    this.#around.delete(value);
    return walked;
  }

  #walkInto(value: object): unknown {
    if (Array.isArray(value)) {
      const list: readonly unknown[] = value;
      if (list.length === 0 || !list.every((item) => this.#isOurs(item)))
        return list.map((item) => this.#walk(item));
      return { [MARK]: "messages", at: toRanges(list.map((item) => this.#place(item))) } satisfies Mark;
    }
    if (isDeltaSnapshot(value)) return new DeltaSnapshot(this.#walk(value.value));
    if (isSend(value)) {
      // The shape in which LangGraph's own serializer writes a Send.
      const { node, args, timeout } = value;
      return { node, args: this.#walk(args), ...(timeout === undefined ? {} : { timeout }) };
    }
    if (value instanceof Map)
      return new Map([...value].map(([key, inner]) => [this.#walk(key), this.#walk(inner)]));
    if (value instanceof Set) return new Set([...value].map((inner) => this.#walk(inner)));
    if (!isPlainObject(value) && isLeftToSerializer(value)) return value;
    // What the serializer would write of an object of any other class; a key like that of a mark must not get past.
    if (hasJson(value)) {
      const written = value.toJSON();
      if (typeof written !== "object" || written === null || isReviver(written)) return value;
      if (written !== value) return this.#walk(written);
    }
    return this.#walkEntries(value);
  }

  #walkEntries(value: object): unknown {
    const entries = Object.entries(value).map(([key, inner]) => [key, this.#walk(inner)] as const);
    // The serializer would build an object of what looks like its own writing.
    const isEnvelope = Object.hasOwn(value, "lc") && isPlainObject(value);
    if (!Object.hasOwn(value, MARK) && !isEnvelope) return Object.fromEntries(entries);
    this.#wrapped = true;
    return { [MARK]: "object", entries } satisfies Mark;
  }

  #isOurs(value: unknown): value is BaseMessage {
    return BaseMessage.isInstance(value) && isKnownMessage(value);
  }

  #place(message: BaseMessage): number {
    const known = this.#places.get(message);
    if (known !== undefined) return known;
    this.#places.set(message, this.#places.size);
    return this.#places.size - 1;
  }
}

/** Replaces every message in plain objects, lists, Sends and delta snapshots by a mark. The value is not changed. */
export const markMessages = (value: unknown): MarkedValue => new Marker().mark(value);

/** Puts the messages back where their marks are. */
export function unmarkMessages(value: unknown, messages: readonly BaseMessage[]): unknown {
  const unmark = (inner: unknown): unknown => {
    if (typeof inner !== "object" || inner === null) return inner;
    if (Array.isArray(inner)) return inner.map(unmark);
    if (isDeltaSnapshot(inner)) return new DeltaSnapshot(unmark(inner.value));
    if (inner instanceof Map) return new Map([...inner].map(([key, held]) => [unmark(key), unmark(held)]));
    if (inner instanceof Set) return new Set([...inner].map(unmark));
    if (!isPlainObject(inner)) return inner;
    if (!Object.hasOwn(inner, MARK)) {
      return Object.fromEntries(Object.entries(inner).map(([key, held]) => [key, unmark(held)]));
    }
    // The marker gives this key to marks only.
    const mark = inner as unknown as Mark;
    if (mark[MARK] === "message") return messages[mark.at];
    if (mark[MARK] === "messages") return fromRanges(mark.at).map((at) => messages[at]);
    return Object.fromEntries(mark.entries.map(([key, held]) => [key, unmark(held)]));
  };
  return unmark(value);
}
