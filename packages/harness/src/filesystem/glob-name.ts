/** One name of a search pattern: `*`, `?`, classes and plain characters, matched without a regular expression. */
import { endOfClass } from "./glob-braces.js";

export type NameTest = (name: string) => boolean;

const STAR = "star";
/** One code point, or any number of any. */
type Token = typeof STAR | ((character: string) => boolean);

/**
 * A test for one name; undefined for a pattern that is malformed. Its cost grows with the product of both lengths at
 * most, whatever the pattern.
 */
export function nameTest(pattern: string): NameTest | undefined {
  const plain = /^(\*?)([^*?[\\]*)(\*?)$/.exec(pattern);
  if (plain !== null) return plainTest(plain[1] === "*", plain[2] ?? "", plain[3] === "*");
  const tokens = tokensOf(pattern);
  return tokens && ((name) => matches(tokens, Array.from(name)));
}

/** The usual ones, in the fast way. */
function plainTest(openStart: boolean, text: string, openEnd: boolean): NameTest {
  if (openStart && openEnd) return (name) => name.includes(text);
  if (openStart) return (name) => name.endsWith(text);
  return openEnd ? (name) => name.startsWith(text) : (name) => name === text;
}

function tokensOf(pattern: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; ) {
    const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    const end = character === "[" ? endOfClass(pattern, at) : at + character.length;
    if (end === undefined) return undefined;
    if (character === "\\") {
      const escaped = String.fromCodePoint(pattern.codePointAt(end) ?? 92);
      tokens.push((other) => other === escaped);
      at = end + escaped.length;
      continue;
    }
    if (character !== "*" || tokens.at(-1) !== STAR) tokens.push(tokenOf(character, pattern.slice(at, end)));
    at = end;
  }
  return tokens;
}

function tokenOf(character: string, text: string): Token {
  if (character === "*") return STAR;
  if (character === "?") return () => true;
  return character === "[" ? classTest(text.slice(1, -1)) : (other) => other === character;
}

function classTest(content: string): (character: string) => boolean {
  const isNegated = content.startsWith("!") || content.startsWith("^");
  const members = Array.from(isNegated ? content.slice(1) : content, (member) => member.codePointAt(0) ?? 0);
  const ranges: (readonly [number, number])[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] ?? 0;
    const isRange = members[at + 1] === HYPHEN && at + 2 < members.length;
    ranges.push([from, (isRange ? members[at + 2] : from) ?? from]);
    if (isRange) at += 2;
  }
  return (character) => {
    const code = character.codePointAt(0) ?? 0;
    return ranges.some(([from, to]) => from <= code && code <= to) !== isNegated;
  };
}

const HYPHEN = 0x2d;

/** Walks both once; at a difference it goes back to the last star only, which is enough. */
function matches(tokens: readonly Token[], characters: readonly string[]): boolean {
  let [token, at] = [0, 0];
  let resume: { readonly token: number; at: number } | undefined;
  while (at < characters.length) {
    const next = tokens[token];
    if (next === STAR) {
      token += 1;
      resume = { token, at };
    } else if (next?.(characters[at] ?? "") === true) {
      token += 1;
      at += 1;
    } else if (resume === undefined) {
      return false;
    } else {
      resume.at += 1;
      ({ token, at } = resume);
    }
  }
  return tokens.slice(token).every((rest) => rest === STAR);
}
