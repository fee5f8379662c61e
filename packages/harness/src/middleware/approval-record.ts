/**
 * What a person agreed to, call by call, on the AI message that made the calls: what runs is held against it, also in
 * another process. Several middleware of an agent may ask; each is a gate that reads and writes only its own entries.
 */
import type { AIMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { sha256 } from "../base/hash.js";
import { isRecord } from "../base/json.js";

/** The key in `additional_kwargs` of the calls that a person approved or edited. */
export const DECIDED_CALLS_KEY = "deerflow_decided_calls";

/** The key in `additional_kwargs` that keeps where the paths of calls led when the model had just made them. */
export const MADE_CALLS_KEY = "deerflow_made_calls";

export interface DecidedCall {
  readonly id: string;
  readonly hash: string;
  readonly gate: string;
}

export interface MadeCall {
  /** Of name and arguments. */
  readonly call: string;
  /** Of these and the places. */
  readonly hash: string;
  readonly gate: string;
}

/** Where one path of a call really lies; null where that does not matter. */
export type Place = string | { readonly unknown: true } | null;

type Named = Pick<ToolCall, "name" | "args">;
type Entries = readonly Readonly<Record<string, unknown>>[];

const HASH_CHARACTERS = 32;

/** One for calls that do the same to the same files, however their arguments are ordered. Pure. */
export const hashOf = ({ name, args }: Named, places: readonly Place[] = []): string =>
  sha256(JSON.stringify([name, canonical(args), places])).slice(0, HASH_CHARACTERS);

export const canonical = (args: ToolCall["args"]): string =>
  JSON.stringify(args, (_, value: unknown) =>
    isRecord(value)
      ? Object.fromEntries(
          Object.keys(value)
            .toSorted()
            .map((key) => [key, value[key]]),
        )
      : value,
  );

/** The hashes that the gate wrote for the call. */
export const decidedHashes = (
  message: AIMessage | undefined,
  gate: string,
  id: unknown,
): readonly unknown[] =>
  entriesOf(message, DECIDED_CALLS_KEY)
    .filter((entry) => entry["gate"] === gate && entry["id"] === id)
    .map((entry) => entry["hash"]);

/** What the call was when the model made it; undefined where nobody noted it. */
export function madeHash(message: AIMessage, gate: string, call: Named): string | undefined {
  const own = hashOf(call);
  const found = entriesOf(message, MADE_CALLS_KEY).find(
    (entry) => entry["gate"] === gate && entry["call"] === own,
  );
  return typeof found?.["hash"] === "string" ? found["hash"] : undefined;
}

export const hasEntries = (message: AIMessage, key: string, gate: string): boolean =>
  entriesOf(message, key).some((entry) => entry["gate"] === gate);

/** The key for `additional_kwargs` with these in place of all that the gate, or somebody in its name, wrote before. */
export function withEntries(
  message: AIMessage,
  key: string,
  { gate, entries }: { readonly gate: string; readonly entries: readonly (DecidedCall | MadeCall)[] },
): Readonly<Record<string, unknown>> {
  const all = [...entriesOf(message, key).filter((entry) => entry["gate"] !== gate), ...entries];
  return { [key]: all.length === 0 ? undefined : all };
}

function entriesOf(message: AIMessage | undefined, key: string): Entries {
  const found: unknown = message?.additional_kwargs[key];
  return Array.isArray(found) ? found.filter(isRecord) : [];
}
