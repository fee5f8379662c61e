/** Replacing text in a file. Matching ignores the difference between CRLF and LF; what is not replaced stays as it is. */
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";
import { explainMiss } from "./edit-miss.js";
import { withPlainLineEndings } from "./text.js";
import { occurrences } from "./text-occurrences.js";

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
/** An edit runs on the thread that serves others, so what it may cost is bounded. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
const MAX_REPLACEMENTS = 100_000;
/** A small edit at many places must not make a file that fits nowhere. */
const MAX_RESULT_CHARACTERS = 64 * 1024 * 1024;

/**
 * Applies one edit to a text as it lies on disk. New lines take the ending of the lines that they replace.
 * The new text is literal: `$&` and its like mean nothing.
 * @param path only for messages
 * @throws DeerflowError `edit_empty`, `edit_unchanged`, `edit_not_found` (with the likely cause), `edit_ambiguous`,
 *   `edit_too_large` above 16 Mi characters, 64 Mi afterwards, or 100,000 replacements
 */
export function applyEdit(path: string, text: string, edit: Edit): EditResult {
  const shown = shownPath(path);
  if (text.length > MAX_CHARACTERS)
    throw tooLarge(shown, `it has ${text.length} characters; at most ${MAX_CHARACTERS} can be edited`);
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
  if (hits.length > MAX_REPLACEMENTS) {
    throw tooLarge(
      shown,
      `the text occurs ${hits.length} times; at most ${MAX_REPLACEMENTS} can be replaced`,
    );
  }
  const size = text.length + hits.length * (given.length - wanted.length);
  if (size > MAX_RESULT_CHARACTERS) {
    throw tooLarge(shown, `it would have ${size} characters; at most ${MAX_RESULT_CHARACTERS} are possible`);
  }
  return { text: splice(text, hits, wanted.length, given), replacements: hits.length };
}

const tooLarge = (path: string, reason: string): DeerflowError =>
  new DeerflowError("edit_too_large", { path, reason });

/** The lines (from 1) in which the first hits begin. */
function lineList(text: string, hits: readonly number[]): string {
  let [line, done] = [1, 0];
  const lines = hits.slice(0, LISTED_LINES).map((hit) => {
    line += text.slice(done, hit).split("\n").length - 1;
    done = hit;
    return line;
  });
  return hits.length > LISTED_LINES ? `${lines.join(", ")}, …` : lines.join(", ");
}

/** Puts `given` in place of each hit. Positions count in the text with plain endings; the pieces come from `text`. */
function splice(text: string, hits: readonly number[], length: number, given: string): string {
  const toDisk = diskPositions(text);
  const endingsAt = endingsIn(text);
  const lines = given.split("\n");
  const pieces: string[] = [];
  let done = 0;
  for (const hit of hits) {
    const [start, end] = [toDisk(hit), toDisk(hit + length)];
    pieces.push(
      text.slice(done, start),
      lines.length === 1 ? given : withEndings(lines, endingsAt(start, end)),
    );
    done = end;
  }
  pieces.push(text.slice(done));
  return pieces.join("");
}

/** Maps a position in the text with plain endings to one in the text itself; call with rising positions. */
function diskPositions(text: string): (position: number) => number {
  let passed = 0;
  let next = text.indexOf("\r\n");
  return (position) => {
    for (; next !== -1 && next - passed < position; next = text.indexOf("\r\n", next + 2)) passed += 1;
    return position + passed;
  };
}

/**
 * The endings inside a replaced range; where there are none, the ending of the line it lies in. Call with rising
 * positions.
 */
function endingsIn(text: string): (start: number, end: number) => readonly string[] {
  const last = text.lastIndexOf("\n");
  let next = 0;
  return (start, end) => {
    const inside = text.slice(start, end).match(/\r?\n/g);
    if (inside !== null) return inside;
    if (next < end && next !== -1) next = text.indexOf("\n", end);
    return [text[(next === -1 ? last : next) - 1] === "\r" ? "\r\n" : "\n"];
  };
}

function withEndings(lines: readonly string[], endings: readonly string[]): string {
  const [only = "\n"] = endings;
  if (endings.length === 1) return lines.join(only);
  return lines
    .map((line, index) =>
      index === lines.length - 1 ? line : line + (endings[index] ?? endings.at(-1) ?? "\n"),
    )
    .join("");
}
