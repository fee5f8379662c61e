/** Puts the pieces of an answer together while it is being written. */
import { listOf, numberOf, recordOf, textOf, type JsonRecord } from "./json.js";
import { parsePartialObject } from "./partial-json.js";
import { contentText, reasoningText, type RequestedCall, type ViewMessage } from "./view-message.js";

interface DraftCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  /** The JSON of the arguments, as far as it came. */
  readonly args: string;
}

/** An answer so far. */
export interface Draft {
  readonly id: string;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly DraftCall[];
}

const addCallChunk = (calls: readonly DraftCall[], raw: unknown): readonly DraftCall[] => {
  const chunk = recordOf(raw);
  const id = textOf(chunk["id"]) ?? "";
  const index = numberOf(chunk["index"]) ?? calls.find((call) => call.id === id)?.index ?? calls.length;
  const known = calls.find((call) => call.index === index);
  const next: DraftCall = {
    index,
    id: known?.id || id,
    name: known?.name || (textOf(chunk["name"]) ?? ""),
    args: (known?.args ?? "") + (textOf(chunk["args"]) ?? ""),
  };
  return known ? calls.map((call) => (call === known ? next : call)) : [...calls, next];
};

/** The draft with one more piece; a new draft when there was none. */
export function addChunk(draft: Draft | undefined, id: string, chunk: JsonRecord): Draft {
  const { text, reasoning, calls } = draft ?? { text: "", reasoning: "", calls: [] };
  return {
    id,
    text: text + contentText(chunk["content"]),
    reasoning: reasoning + reasoningText(chunk),
    calls: listOf(chunk["tool_call_chunks"]).reduce<readonly DraftCall[]>(addCallChunk, calls),
  };
}

const callOf = (call: DraftCall): RequestedCall => ({
  id: call.id,
  name: call.name,
  args: parsePartialObject(call.args),
});

/** What to show of a draft. */
export const draftMessage = (draft: Draft): ViewMessage => ({
  id: draft.id,
  role: "ai",
  text: draft.text,
  reasoning: draft.reasoning,
  calls: draft.calls.filter((call) => call.id !== "" && call.name !== "").map(callOf),
  files: [],
  streaming: true,
});
