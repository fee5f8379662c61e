/** Decodes what LangGraph's own savers stored, each message once: they store all of them again at every step. */
import type { BaseMessage } from "@langchain/core/messages";
import { JsonPlusSerializer, type SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { DeerflowError } from "../../../base/errors.js";
import { sha256 } from "../../../base/hash.js";
import { isRecord } from "../../../base/json.js";
import type { StoredValue } from "./contract.js";

/** Messages with more text than this, together, are decoded again when they are met again. */
const REMEMBERED_CHARACTERS = 64 * 1024 * 1024;

interface Remembered {
  readonly message: BaseMessage;
  readonly characters: number;
}

/** @returns true for the record of a LangChain message as LangChain's serializer writes it */
function isMessageRecord(record: Readonly<Record<string, unknown>>): boolean {
  const { lc, type, id } = record;
  return lc === 1 && type === "constructor" && Array.isArray(id) && id.at(-2) === "messages";
}

export class ValueDecoder {
  readonly #serde: SerializerProtocol = new JsonPlusSerializer();
  readonly #messages = new Map<string, Remembered>();
  #characters = 0;

  /** @throws when the serializer does not know what it reads */
  async decode(value: StoredValue): Promise<unknown> {
    return value.type === "bytes" ? value.bytes : this.#revive(value.json);
  }

  /** As the serializer would, but with remembered messages. */
  async #revive(json: unknown): Promise<unknown> {
    if (typeof json !== "object" || json === null) return json;
    if (Array.isArray(json)) {
      const items: unknown[] = [];
      for (const item of json) items.push(await this.#revive(item));
      return items;
    }
    if (!isRecord(json) || "lc" in json || "__proto__" in json) return this.#load(json);
    const fields: [string, unknown][] = [];
    for (const [key, inner] of Object.entries(json)) fields.push([key, await this.#revive(inner)]);
    return Object.fromEntries(fields);
  }

  async #load(json: object): Promise<unknown> {
    const text = JSON.stringify(json);
    if (!isRecord(json) || !isMessageRecord(json)) return this.#serde.loadsTyped("json", text);
    const key = sha256(text);
    const known = this.#messages.get(key);
    if (known !== undefined) {
      // Re-inserted, so that the first one is the one that rested longest.
      this.#messages.delete(key);
      this.#messages.set(key, known);
      return known.message;
    }
    // The record is that of a message.
    const message = (await this.#serde.loadsTyped("json", text)) as BaseMessage;
    this.#remember(key, { message, characters: text.length });
    return message;
  }

  #remember(key: string, remembered: Remembered): void {
    this.#messages.set(key, remembered);
    this.#characters += remembered.characters;
    for (const [oldest, { characters }] of this.#messages) {
      if (this.#characters <= REMEMBERED_CHARACTERS) return;
      this.#messages.delete(oldest);
      this.#characters -= characters;
    }
  }
}

const textOf = (data: Uint8Array | string): string =>
  typeof data === "string" ? data : Buffer.from(data.buffer, data.byteOffset, data.length).toString();

/**
 * A value from its columns.
 *
 * @param type - what LangGraph's serializer called it; the oldest rows have none, and are JSON
 * @throws DeerflowError `migration_value_unknown` for what only another program's LangGraph writes, such as Python's
 */
export function storedValue(type: unknown, data: unknown): StoredValue {
  if (!(data instanceof Uint8Array) && typeof data !== "string") {
    throw new DeerflowError("migration_value_unknown", { reason: "a row has no data" });
  }
  if (type === "bytes") return { type, bytes: typeof data === "string" ? Buffer.from(data) : data };
  if (type !== "json" && type !== null) {
    throw new DeerflowError("migration_value_unknown", { reason: `a row is of the type ${String(type)}` });
  }
  return { type: "json", json: JSON.parse(textOf(data)) };
}
