/** The refs column: which messages and parts of its thread a row refers to, as ranges of numbers. */
import type { NumberRanges } from "./checkpoint-rows.js";

export interface Refs {
  /** In the order in which the row's marks count them; those of `lists` come before. */
  readonly messages: NumberRanges;
  /** Media blocks and slices, in no order. */
  readonly parts: NumberRanges;
  /** Parts that hold the first ranges of a long list of messages, in their order (`list-folding.ts`). */
  readonly lists: NumberRanges;
}

const NONE: NumberRanges = [];
export const NO_REFS: Refs = { messages: NONE, parts: NONE, lists: NONE };

/** Empty text for no refs, one list where there are messages only: most rows have one of these two. */
export function refsToText({ messages, parts, lists }: Refs): string {
  if (parts.length === 0 && lists.length === 0) return messages.length === 0 ? "" : JSON.stringify(messages);
  return JSON.stringify(lists.length === 0 ? [messages, parts] : [messages, parts, lists]);
}

/** Reads what `refsToText` wrote. */
export function refsFromText(text: string): Refs {
  if (text === "") return NO_REFS;
  // Only this file writes the column.
  const stored = JSON.parse(text) as readonly (number | readonly number[])[];
  if (!Array.isArray(stored[0])) return { ...NO_REFS, messages: stored as readonly number[] };
  const [messages = NONE, parts = NONE, lists = NONE] = stored as readonly (readonly number[])[];
  return { messages, parts, lists };
}
