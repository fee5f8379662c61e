/** Says in a few lines what a long text is, so that a model can choose what of it to read. */
import { counted } from "../base/counted.js";
import { countLines, headLinesOf } from "./offload-text.js";
import { codeSynopsis } from "./synopsis-code.js";
import { jsonLinesSynopsis, jsonSynopsis } from "./synopsis-json.js";
import { logSynopsis } from "./synopsis-log.js";
import { tableSynopsis } from "./synopsis-table.js";

export type TextKind = "json" | "json-lines" | "table" | "log" | "code" | "text";

export interface Synopsis {
  readonly kind: TextKind;
  /** At most {@link MAX_SYNOPSIS_CHARACTERS} characters. Holds pieces of the text, so it is as little trusted. */
  readonly text: string;
}

export const MAX_SYNOPSIS_CHARACTERS = 1500;
const COUNTED_CHARACTERS = 1_000_000;
/** The code of the space; line ends and tabs are below it. */
const SPACE = 32;

interface Recogniser {
  readonly kind: TextKind;
  /** Undefined when the text is of another kind. */
  readonly describe: (text: string) => string | undefined;
}

/** The first that knows the text describes it. A table of log lines is a table, so tables come first. */
const RECOGNISERS: readonly Recogniser[] = [
  { kind: "json", describe: jsonSynopsis },
  { kind: "json-lines", describe: jsonLinesSynopsis },
  { kind: "table", describe: tableSynopsis },
  { kind: "log", describe: logSynopsis },
  { kind: "code", describe: codeSynopsis },
];

/** Pure. Takes time in proportion to the text up to a fixed length, and no longer beyond it. */
export function synopsisOf(text: string): Synopsis {
  for (const { kind, describe } of RECOGNISERS) {
    const description = describe(text);
    if (description !== undefined) return { kind, text: cut(description) };
  }
  return { kind: "text", text: `Text. ${counted(countLines(text), "line")}, ${wordsOf(text)}.` };
}

function cut(description: string): string {
  if (description.length <= MAX_SYNOPSIS_CHARACTERS) return description;
  return `${headLinesOf(description, MAX_SYNOPSIS_CHARACTERS - 2).trimEnd()}\n…`;
}

function wordsOf(text: string): string {
  const end = Math.min(text.length, COUNTED_CHARACTERS);
  let words = 0;
  let isInWord = false;
  for (let at = 0; at < end; at += 1) {
    const isSpace = text.charCodeAt(at) <= SPACE;
    if (!isSpace && !isInWord) words += 1;
    isInWord = !isSpace;
  }
  return end < text.length
    ? `${words} words in the first ${COUNTED_CHARACTERS} characters`
    : `${words} words`;
}
