/** Digests of decoded values, equal for values that LangGraph cannot tell apart, whichever database they lay in. */
import { createHash } from "node:crypto";
import { BaseMessage } from "@langchain/core/messages";
import { type DeltaSnapshot, isDeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { sha256 } from "../../base/hash.js";

/** A message of a long list is met once for each step; it is written out once for each object. */
const digests = new WeakMap<BaseMessage, string>();

/** In hexadecimal. Keys are in order; a field without a value is the same as no field. */
export const digestOf = (value: unknown): string => sha256(canonicalText(value));

/** One digest of many, in the order given. */
export function digestOfLines(lines: Iterable<string>): string {
  const hash = createHash("sha256");
  for (const line of lines) hash.update(line).update("\n");
  return hash.digest("hex");
}

function canonicalText(value: unknown): string {
  if (value === undefined) return "undefined";
  if (typeof value === "bigint") return `bigint(${value})`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  // The row was found by its own test.
  return KINDS.find(([is]) => is(value))?.[1](value as never) ?? canonicalFields(value);
}

/** Objects that are more than their fields. Each row writes what its own test lets through. */
const KINDS: readonly (readonly [is: (value: object) => boolean, write: (value: never) => string])[] = [
  [
    (value) => BaseMessage.isInstance(value),
    (message: BaseMessage) => `message(${digestOfMessage(message)})`,
  ],
  [(value) => value instanceof Uint8Array, (bytes: Uint8Array) => `bytes(${sha256(bytes)})`],
  [(value) => value instanceof Map, (map: Map<unknown, unknown>) => `map${canonicalText([...map])}`],
  [(value) => value instanceof Set, (set: Set<unknown>) => `set${canonicalText([...set])}`],
  [(value) => value instanceof RegExp, (pattern: RegExp) => `pattern(${String(pattern)})`],
  [(value) => value instanceof Error, (error: Error) => `error(${JSON.stringify(error.message)})`],
  [isDeltaSnapshot, (snapshot: DeltaSnapshot) => `snapshot(${canonicalText(snapshot.value)})`],
  [
    (value) => "toJSON" in value && typeof value.toJSON === "function",
    (value: { toJSON(): unknown }) => canonicalText(value.toJSON()),
  ],
];

function canonicalFields(value: object): string {
  const fields = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonicalText(inner)}`);
  return `{${fields.join(",")}}`;
}

function digestOfMessage(message: BaseMessage): string {
  const known = digests.get(message);
  if (known !== undefined) return known;
  // RemoveMessage has no name of its own.
  const text = `${message.constructor.name}${canonicalFields(message)}`;
  const digest = sha256(text);
  digests.set(message, digest);
  return digest;
}
