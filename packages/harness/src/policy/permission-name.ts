/** One name of a path rule: `*`, `?`, classes and plain characters, matched without a regular expression. */
import { endOfClass } from "./permission-braces.js";

/** Why a pattern cannot be read, as a phrase. */
export class NameError extends Error {}

/** How characters are compared. The name that is tested must have been folded in the same way. */
export interface Reading {
  readonly fold: (text: string) => string;
  /** The characters that a folded one may have been; a class has a character when it has any of them. */
  readonly variantsOf: (character: string) => readonly string[];
}

/** `test` sees one code point; `star` stands for any number of them. */
type Token =
  | { readonly kind: "star" }
  | { readonly kind: "one"; readonly test: (character: string) => boolean };

export type NameTest = (name: string) => boolean;

interface RawToken {
  readonly text?: string;
  readonly token?: Token;
}

const ESCAPABLE = new Set("*?[]{},!^-()~\\");
const STAR: Token = { kind: "star" };
const ANY: Token = { kind: "one", test: () => true };

export const ANY_NAME: NameTest = () => true;

/**
 * A test for one name. Its cost grows with the product of both lengths at most, whatever the pattern.
 * @throws NameError for a class that does not close and other things that would silently match nothing
 */
export function nameTest(pattern: string, reading: Reading): NameTest {
  const raw = rawTokens(pattern, reading);
  if (raw.every(({ text }) => text !== undefined)) {
    const literal = reading.fold(raw.map(({ text }) => text).join(""));
    return (name) => name === literal;
  }
  const tokens = joined(raw, reading.fold);
  return (name) => matches(tokens, Array.from(name));
}

/** Plain characters side by side are folded together, because they may compose. */
function joined(raw: readonly RawToken[], fold: Reading["fold"]): readonly Token[] {
  const tokens: Token[] = [];
  let text = "";
  const flush = () => {
    for (const character of fold(text)) tokens.push({ kind: "one", test: (other) => other === character });
    text = "";
  };
  for (const next of raw) {
    text += next.text ?? "";
    if (next.token === undefined) continue;
    flush();
    tokens.push(next.token);
  }
  flush();
  return tokens;
}

function rawTokens(pattern: string, reading: Reading): readonly RawToken[] {
  const tokens: RawToken[] = [];
  for (let at = 0; at < pattern.length; ) {
    const [token, length] = tokenAt(pattern, at, reading);
    tokens.push(token);
    at += length;
  }
  return tokens;
}

function tokenAt(pattern: string, at: number, reading: Reading): readonly [RawToken, number] {
  const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
  if ("!+@?*".includes(character) && pattern[at + 1] === "(") {
    throw new NameError(
      `${character}( would be an extended glob, which has no meaning here; write [(] for the character`,
    );
  }
  if (character === "*") return [{ token: STAR }, 1];
  if (character === "?") return [{ token: ANY }, 1];
  if (character === "[") return classAt(pattern, at, reading);
  return character === "\\" ? escapeAt(pattern, at) : [{ text: character }, character.length];
}

function escapeAt(pattern: string, at: number): readonly [RawToken, number] {
  const escaped = pattern[at + 1] ?? "";
  if (!ESCAPABLE.has(escaped)) {
    throw new NameError(
      String.raw`a backslash stands only before one of * ? [ ] { } , ! ^ - ( ) ~ \ `.trim(),
    );
  }
  return [{ text: escaped }, 2];
}

function classAt(pattern: string, at: number, reading: Reading): readonly [RawToken, number] {
  const end = endOfClass(pattern, at);
  if (end === undefined) throw new NameError(String.raw`it has a [ without a ]; write \[ for the character`);
  const content = pattern.slice(at + 1, end - 1);
  if (content.includes("[:")) throw new NameError("named classes such as [[:alpha:]] have no meaning here");
  if (content.includes("\\")) throw new NameError("a backslash has no meaning in […]");
  const isNegated = content.startsWith("!") || content.startsWith("^");
  const has = membership(Array.from(isNegated ? content.slice(1) : content), reading.fold);
  const test = (character: string) => reading.variantsOf(character).some(has) !== isNegated;
  return [{ token: { kind: "one", test } }, end - at];
}

function membership(members: readonly string[], fold: Reading["fold"]): (character: string) => boolean {
  const ranges: (readonly [number, number])[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const isRange = members[at + 1] === "-" && at + 2 < members.length;
    const from = codeOf(members[at]);
    const to = isRange ? codeOf(members[at + 2]) : from;
    if (from > to) throw new NameError("a range in […] runs backwards");
    ranges.push([from, to]);
    const folded = Array.from(fold(members[at] ?? ""));
    if (folded.length === 1) ranges.push([codeOf(folded[0]), codeOf(folded[0])]);
    if (isRange) at += 2;
  }
  return (character) => {
    const code = codeOf(character);
    return ranges.some(([from, to]) => from <= code && code <= to);
  };
}

const codeOf = (character: string | undefined): number => character?.codePointAt(0) ?? 0;

/** Walks both once; at a difference it goes back to the last star only, which is enough. */
function matches(tokens: readonly Token[], characters: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let resume: { token: number; at: number } | undefined;
  while (at < characters.length) {
    const next = tokens[token];
    if (next?.kind === "star") {
      token += 1;
      resume = { token, at };
    } else if (next?.test(characters[at] ?? "") === true) {
      token += 1;
      at += 1;
    } else if (resume === undefined) {
      return false;
    } else {
      resume = { token: resume.token, at: resume.at + 1 };
      ({ token, at } = resume);
    }
  }
  return tokens.slice(token).every(({ kind }) => kind === "star");
}
