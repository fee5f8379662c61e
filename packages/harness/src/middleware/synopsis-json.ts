/** What a JSON text is made of: keys and types, lengths of lists, three levels deep. */
import { linesWithin, oneLine } from "./offload-text.js";

const MAX_PARSED_CHARACTERS = 2_000_000;
/** Parsing takes its time with texts that do nothing but nest. */
const MAX_NESTING = 200;
const MAX_DEPTH = 3;
const MAX_KEYS = 20;
const KEY_CHARACTERS = 60;
const SAMPLED_LINES = 5;
const SAMPLED_CHARACTERS = 200_000;
const BEGINNING = /^\s*[[{]/;

/** Undefined when the text is no JSON document, or one too long to parse in passing. */
export function jsonSynopsis(text: string): string | undefined {
  if (text.length > MAX_PARSED_CHARACTERS || !BEGINNING.test(text.slice(0, 200)) || nestsDeeply(text)) {
    return undefined;
  }
  const value = parsed(text);
  return value === undefined ? undefined : `JSON: ${shapeOf(value.json, MAX_DEPTH)}`;
}

/** Undefined unless the first lines are JSON objects or lists, one a line. */
export function jsonLinesSynopsis(text: string): string | undefined {
  if (!BEGINNING.test(text.slice(0, 200))) return undefined;
  const sample: unknown[] = [];
  for (const line of linesWithin(text, SAMPLED_CHARACTERS)) {
    if (line.text.trim() === "") continue;
    const value =
      BEGINNING.test(line.text.slice(0, 200)) && !nestsDeeply(line.text) ? parsed(line.text) : undefined;
    if (value === undefined) return undefined;
    sample.push(value.json);
    if (sample.length === SAMPLED_LINES) break;
  }
  return sample.length < 2
    ? undefined
    : `JSON, one value a line, the first: ${shapeOf(sample[0], MAX_DEPTH)}`;
}

function nestsDeeply(text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === "\\") at += 1;
    else if (sign === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (sign === "[" || sign === "{") depth += 1;
    else if (sign === "]" || sign === "}") depth -= 1;
    if (depth > MAX_NESTING) return true;
  }
  return false;
}

function parsed(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    // No JSON, so another kind of text.
    return undefined;
  }
}

function shapeOf(value: unknown, depth: number): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return listShape(value, depth);
  return typeof value === "object" ? objectShape(value, depth) : typeof value;
}

function listShape(list: readonly unknown[], depth: number): string {
  const length = `list of ${list.length}`;
  if (list.length === 0 || depth <= 1) return length;
  return `${length}, the first: ${shapeOf(list[0], depth - 1)}`;
}

function objectShape(object: object, depth: number): string {
  const entries = Object.entries(object);
  if (depth <= 0) return `object with ${entries.length} keys`;
  const shown = entries
    .slice(0, MAX_KEYS)
    .map(([key, value]) => `${oneLine(key, KEY_CHARACTERS)}: ${shapeOf(value, depth - 1)}`);
  if (entries.length > MAX_KEYS) shown.push(`and ${entries.length - MAX_KEYS} more keys`);
  return `{ ${shown.join("; ")} }`;
}
