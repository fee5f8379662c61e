/** Replacing text in a file. Matching ignores the difference between CRLF and LF; what is not replaced stays as it is. */
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";
import { withPlainLineEndings } from "./text.js";

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

export interface EditResult {
  /** The whole new text, with the line endings of the file. */
  readonly text: string;
  readonly replacements: number;
}

const LISTED_LINES = 10;
/** Above this size a near match is not worth the search. */
const MAX_LOOSE_CHARACTERS = 1_000_000;

/**
 * Applies one edit to a text as it lies on disk. New lines take the ending of the lines that they replace.
 * The new text is literal: `$&` and its like mean nothing.
 * @param path only for messages
 * @throws DeerflowError `edit_empty`, `edit_unchanged`, `edit_not_found` (with the likely cause), `edit_ambiguous`
 */
export function applyEdit(path: string, text: string, edit: Edit): EditResult {
  const shown = shownPath(path);
  const wanted = withPlainLineEndings(edit.oldText);
  const given = withPlainLineEndings(edit.newText);
  if (wanted === given) throw new DeerflowError("edit_unchanged", { path: shown });
  if (wanted === "") {
    if (text !== "") throw new DeerflowError("edit_empty", { path: shown });
    return { text: given, replacements: 1 };
  }
  const plain = withPlainLineEndings(text);
  const hits = occurrences(plain, wanted);
  if (hits.length === 0) {
    throw new DeerflowError("edit_not_found", { path: shown, hint: explainMiss(plain, wanted) });
  }
  if (hits.length > 1 && !edit.replaceAll) {
    throw new DeerflowError("edit_ambiguous", {
      path: shown,
      count: hits.length,
      lines: lineList(plain, hits),
    });
  }
  return { text: splice(text, hits, wanted.length, given), replacements: hits.length };
}

/** Where `part` begins in `whole`, without overlaps. */
function occurrences(whole: string, part: string): number[] {
  const found: number[] = [];
  for (let at = whole.indexOf(part); at !== -1; at = whole.indexOf(part, at + part.length)) found.push(at);
  return found;
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

function lineList(text: string, hits: readonly number[]): string {
  const lines = hits.slice(0, LISTED_LINES).map((hit) => String(lineAt(text, hit)));
  return hits.length > LISTED_LINES ? `${lines.join(", ")}, …` : lines.join(", ");
}

/** Puts `given` in place of each hit. Positions count in the text with plain endings; the pieces come from `text`. */
function splice(text: string, hits: readonly number[], length: number, given: string): string {
  const toDisk = diskPositions(text);
  const pieces: string[] = [];
  let done = 0;
  for (const hit of hits) {
    const [start, end] = [toDisk(hit), toDisk(hit + length)];
    pieces.push(text.slice(done, start), withEndings(given, endingsAt(text, start, end)));
    done = end;
  }
  return [...pieces, text.slice(done)].join("");
}

/** Maps a position in the text with plain endings to one in the text itself; call with rising positions. */
function diskPositions(text: string): (position: number) => number {
  let [plain, disk] = [0, 0];
  return (position) => {
    for (; plain < position; plain += 1) disk += text.startsWith("\r\n", disk) ? 2 : 1;
    return disk;
  };
}

/** The endings inside the replaced range; where there are none, the ending of the line it lies in. */
function endingsAt(text: string, start: number, end: number): readonly string[] {
  const inside = text.slice(start, end).match(/\r?\n/g);
  if (inside !== null) return inside;
  const next = text.indexOf("\n", end);
  const nearest = next === -1 ? text.lastIndexOf("\n", start) : next;
  return [text[nearest - 1] === "\r" ? "\r\n" : "\n"];
}

function withEndings(text: string, endings: readonly string[]): string {
  const lines = text.split("\n");
  return lines
    .map((line, index) =>
      index === lines.length - 1 ? line : line + (endings[index] ?? endings.at(-1) ?? "\n"),
    )
    .join("");
}

interface Miss {
  readonly looksLike: (text: string, wanted: string) => number;
  readonly say: (line: number) => string;
}

const squeezed = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
const firstLineOf = (text: string): string =>
  text
    .split("\n")
    .find((line) => line.trim() !== "")
    ?.trim() ?? "";

/** The line (from 1) at which the squeezed `wanted` begins, or 0. Compares windows of as many lines as it has. */
function looseLine(text: string, wanted: string): number {
  const lines = text.split("\n");
  const size = wanted.trim().split("\n").length;
  const target = squeezed(wanted);
  if (target === "" || text.length > MAX_LOOSE_CHARACTERS) return 0;
  return (
    1 + lines.findIndex((_, index) => squeezed(lines.slice(index, index + size).join("\n")).includes(target))
  );
}

const lineOf = (text: string, part: string): number => {
  const at = part === "" ? -1 : text.indexOf(part);
  return at === -1 ? 0 : lineAt(text, at);
};

/** Why a text was not found, likeliest first; each looks for the line where a near match begins. */
const MISSES: readonly Miss[] = [
  {
    looksLike: (text, wanted) => (wanted.endsWith("\n") ? lineOf(text, wanted.slice(0, -1)) : 0),
    say: (line) =>
      `Without its final newline it occurs (line ${line}): the file does not go on there. Leave that newline out.`,
  },
  {
    looksLike: (text, wanted) => looseLine(text, wanted),
    say: (line) => `Line ${line} differs only in white space. Copy the indentation and spaces exactly.`,
  },
  {
    looksLike: (text, wanted) => lineOf(text.toLowerCase(), wanted.toLowerCase()),
    say: (line) => `Line ${line} differs only in upper and lower case.`,
  },
  {
    looksLike: (text, wanted) => lineOf(text, firstLineOf(wanted)),
    say: (line) => `Its first line occurs at line ${line}, but what follows there is different.`,
  },
];

/** One sentence on why `wanted` was not found in `text` (both with plain endings). */
export function explainMiss(text: string, wanted: string): string {
  if (text === "") return "The file is empty.";
  for (const miss of MISSES) {
    const line = miss.looksLike(text, wanted);
    if (line > 0) return miss.say(line);
  }
  return "Read the file again and copy the text exactly.";
}
