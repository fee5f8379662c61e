/** Why a text that was to be replaced is not there. Says where, never what stands there. */
import { firstOccurrence, occurrences } from "./text-occurrences.js";

/** Above this size of the file a near match is not worth the search. Characters. */
const MAX_NEAR_CHARACTERS = 1_000_000;
/** What is compared of a line when looking for the most similar one. */
const COMPARED_CHARACTERS = 200;
/** A shorter line says nothing about the place. */
const MIN_TELLING_CHARACTERS = 4;
/** Two lines are similar from here on: twice the shared pairs of characters over all pairs. */
const MIN_SIMILARITY = 0.6;

/** Says why, or undefined when that is not why. Both texts have plain line endings. */
type Explanation = (text: string, wanted: string) => string | undefined;

/** One sentence on why `wanted` was not found in `text` (both with plain endings). Takes time linear in both. */
export function explainMiss(text: string, wanted: string): string {
  if (text === "") return "The file is empty.";
  for (const explain of EXPLANATIONS) {
    const reason = explain(text, wanted);
    if (reason !== undefined) return reason;
  }
  return "Read the file again and copy the text exactly.";
}

/** The line (from 1) of a position. */
function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < position; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

function finalNewline(text: string, wanted: string): string | undefined {
  const bare = wanted.slice(0, -1);
  if (!wanted.endsWith("\n") || bare.trim() === "") return undefined;
  const found = occurrences(text, bare);
  const [first] = found;
  if (first === undefined) return undefined;
  const where =
    found.length === 1
      ? `occurs once (line ${lineAt(text, first)})`
      : `occurs ${found.length} times (first in line ${lineAt(text, first)})`;
  const why = text.endsWith(bare) ? "the file ends there without one" : "the line goes on there";
  const advice =
    found.length === 1
      ? "Leave that newline out."
      : "Leave that newline out and add text around it so that it occurs once.";
  return `Without its final newline it ${where}: ${why}. ${advice}`;
}

function lineEndings(text: string, wanted: string): string | undefined {
  if (!text.includes("\r") && !wanted.includes("\r")) return undefined;
  const at = firstOccurrence(text.replaceAll("\r", "\n"), wanted.replaceAll("\r", "\n"));
  if (at === -1) return undefined;
  const line = lineAt(text, at);
  return `Line ${line} differs only in line endings: a carriage return (\\r) stands alone there or in your text. Work on shorter pieces without a line break.`;
}

function whiteSpace(text: string, wanted: string): string | undefined {
  const target = wanted.replaceAll(/\s+/g, "");
  if (target === "") return undefined;
  const lines = text.split("\n").map((line) => line.replaceAll(/\s+/g, ""));
  const at = firstOccurrence(lines.join(""), target);
  if (at === -1) return undefined;
  let done = 0;
  const index = lines.findIndex((line) => {
    done += line.length;
    return done > at;
  });
  return `Line ${index + 1} differs only in white space. Copy the indentation and spaces exactly.`;
}

function letterCase(text: string, wanted: string): string | undefined {
  const lower = text.toLowerCase();
  const at = firstOccurrence(lower, wanted.toLowerCase());
  return at === -1 ? undefined : `Line ${lineAt(lower, at)} differs only in upper and lower case.`;
}

/** How many lines of a place fit before one does not. */
function firstLines(text: string, wanted: string): string | undefined {
  const lines = wanted.split("\n").map((line) => line.trim());
  const begin = lines.findIndex((line) => line !== "");
  const first = lines[begin] ?? "";
  const at = first === "" ? -1 : firstOccurrence(text, first);
  if (at === -1 || lines.slice(begin + 1).every((line) => line === "")) return undefined;
  const line = lineAt(text, at);
  const there = text.slice(at, at + 2 * wanted.length + 1000).split("\n");
  let fitting = 1;
  while (lines[begin + fitting] !== undefined && lines[begin + fitting] === there[fitting]?.trim())
    fitting += 1;
  // A brace alone stands everywhere.
  if (fitting === 1 && first.length < MIN_TELLING_CHARACTERS) return undefined;
  const found =
    fitting === 1
      ? `Its first line occurs at line ${line}`
      : `Its first ${fitting} lines occur from line ${line} on`;
  return `${found}, but what follows there is different. Read from line ${line + fitting - 1} on.`;
}

/** The line that shares most pairs of characters with the first line of what is wanted. */
function nearestLine(text: string, wanted: string): string | undefined {
  const first = wanted.split("\n").find((line) => line.trim() !== "");
  const target = comparable(first ?? "");
  const pairs = pairsOf(target);
  let best = { line: 0, similarity: 0 };
  let line = 0;
  for (const other of text.split("\n")) {
    line += 1;
    const similarity = similarityOf(pairs, target.length, comparable(other));
    if (similarity > best.similarity) best = { line, similarity };
  }
  if (best.similarity < MIN_SIMILARITY) return undefined;
  return `The line most like its first one is line ${best.line}, and is different. Read the file again around it.`;
}

const comparable = (line: string): string => line.trim().slice(0, COMPARED_CHARACTERS).toLowerCase();

function pairsOf(line: string): ReadonlyMap<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at < line.length - 1; at += 1) {
    const pair = line.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** From 0 to 1, as `MIN_SIMILARITY` says. */
function similarityOf(pairs: ReadonlyMap<string, number>, length: number, other: string): number {
  const all = Math.max(1, length + other.length - 2);
  // Not even if all of the shorter line were shared.
  if ((2 * (Math.min(length, other.length) - 1)) / all < MIN_SIMILARITY) return 0;
  const left = new Map(pairs);
  let shared = 0;
  for (let at = 0; at < other.length - 1; at += 1) {
    const pair = other.slice(at, at + 2);
    const count = left.get(pair) ?? 0;
    if (count === 0) continue;
    left.set(pair, count - 1);
    shared += 1;
  }
  return (2 * shared) / all;
}

const inSmallFiles =
  (explain: Explanation): Explanation =>
  (text, wanted) =>
    text.length > MAX_NEAR_CHARACTERS ? undefined : explain(text, wanted);

/** Likeliest first: each is a weaker kind of match than the one before. */
const EXPLANATIONS: readonly Explanation[] = [
  finalNewline,
  lineEndings,
  inSmallFiles(whiteSpace),
  inSmallFiles(letterCase),
  firstLines,
  inSmallFiles(nearestLine),
];
