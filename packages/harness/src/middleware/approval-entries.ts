/** Checks what a host says about approval, when the agent is built: a slip in it must not leave out a protection. Pure. */
import { isRecord } from "../base/json.js";
import { optionInvalid } from "../filesystem/assert-backend.js";
import { DECISION_TYPES } from "./approval-decisions.js";

/** What an entry may hold, and what is wrong with a value there; undefined when nothing is. */
const ENTRY_KEYS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  allowedDecisions: problemOfDecisions,
  allowed_decisions: problemOfDecisions,
  description: (value) =>
    typeof value === "string" || typeof value === "function"
      ? undefined
      : "it must be a text or a function that gives one",
  when: (value) => (typeof value === "function" ? undefined : "it must be a function"),
};

/** @throws DeerflowError `filesystem_options_invalid`, naming the tool and the key */
export function checkInterruptOn(interruptOn: unknown): void {
  if (!isRecord(interruptOn))
    throw optionInvalid("interruptOn", "it must be an object of entries by tool name");
  for (const [tool, entry] of Object.entries(interruptOn)) checkEntry(`interruptOn.${tool}`, entry);
}

function checkEntry(place: string, entry: unknown): void {
  if (typeof entry === "boolean") return;
  if (!isRecord(entry)) throw optionInvalid(place, "it must be true, false or an object");
  const keys = Object.keys(entry);
  const unknown = keys.find((key) => !Object.hasOwn(ENTRY_KEYS, key));
  if (unknown !== undefined) {
    throw optionInvalid(
      `${place}.${unknown}`,
      `there is no such key; known are ${Object.keys(ENTRY_KEYS).join(", ")}`,
    );
  }
  if (entry["allowedDecisions"] !== undefined && entry["allowed_decisions"] !== undefined)
    throw optionInvalid(`${place}.allowed_decisions`, "it stands beside allowedDecisions; give one of them");
  for (const key of keys) {
    const problem = entry[key] === undefined ? undefined : ENTRY_KEYS[key]?.(entry[key]);
    if (problem !== undefined) throw optionInvalid(`${place}.${key}`, problem);
  }
}

function problemOfDecisions(value: unknown): string | undefined {
  const known = `known decisions are ${DECISION_TYPES.join(", ")}`;
  if (!Array.isArray(value)) return `it must be a list; ${known}`;
  if (value.length === 0) return `it allows no decision; ${known}`;
  const types: readonly unknown[] = DECISION_TYPES;
  const unknown: unknown = value.find((type) => !types.includes(type));
  return unknown === undefined && !value.includes(undefined)
    ? undefined
    : `${String(unknown)} is not a decision; ${known}`;
}
