/** Patterns for the parts of a command, as `git *`: what they may be, and what fits them. Pure. */
import { HOLE } from "./shell/values.js";

/** Fits any text, or one character; everything else stands for itself. */
const ANY = Symbol("any");
const ONE = Symbol("one");
type Token = string | typeof ANY | typeof ONE;

export class CommandGlob {
  /** As a person wrote it. */
  readonly text: string;
  /** `git *` is two: `git` alone, and with anything behind it. */
  readonly #patterns: readonly (readonly Token[])[];
  readonly #prefix: string;

  /** @param text one in which {@link problemOfGlob} finds nothing */
  constructor(text: string) {
    this.text = text;
    const tokens = tokensOf(text);
    const bare = tokens.at(-1) === ANY && tokens.at(-2) === " " && tokens.length > 2;
    this.#patterns = bare ? [tokens.slice(0, -2), tokens] : [tokens];
    const first = tokens.findIndex((token) => typeof token !== "string");
    const end = bare && first === tokens.length - 1 ? first - 1 : first;
    this.#prefix = tokens.slice(0, end < 0 ? tokens.length : end).join("");
  }

  /** Whether the words fit for certain. A piece of them that is not known fits only `*`. */
  fits(words: string): boolean {
    return words.startsWith(this.#prefix) && this.#patterns.some((tokens) => fits(tokens, words));
  }

  /** Whether the words could fit, depending on what is not known of them. */
  mayFit(words: string): boolean {
    const hole = words.indexOf(HOLE);
    if (hole < 0) return this.fits(words);
    const known = words.slice(0, hole);
    return this.#prefix.startsWith(known) || known.startsWith(this.#prefix)
      ? this.#patterns.some((tokens) => mayFit(tokens, words))
      : false;
  }
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    const next = text[at + 1];
    if (character === "\\" && next !== undefined) {
      tokens.push(next);
      at += 1;
    } else if (character === "*") {
      if (tokens.at(-1) !== ANY) tokens.push(ANY);
    } else {
      tokens.push(character === "?" ? ONE : character);
    }
  }
  return tokens;
}

const isOne = (token: Token | undefined, character: string | undefined): boolean =>
  token === ONE ? character !== HOLE : token === character;

/** Goes back to the last `*` only, so the time is the product of both lengths at worst. */
function fits(tokens: readonly Token[], words: string): boolean {
  let token = 0;
  let at = 0;
  let lastAny = -1;
  let resumeAt = 0;
  while (at < words.length) {
    if (tokens[token] === ANY) {
      lastAny = token;
      resumeAt = at;
      token += 1;
    } else if (token < tokens.length && isOne(tokens[token], words[at])) {
      token += 1;
      at += 1;
    } else if (lastAny >= 0) {
      token = lastAny + 1;
      resumeAt += 1;
      at = resumeAt;
    } else {
      return false;
    }
  }
  while (tokens[token] === ANY) token += 1;
  return token === tokens.length;
}

/** Larger comparisons are not made: what is not known is then taken to fit. */
const COMPARISONS = 200_000;

/** Both sides have pieces that can be anything. */
function mayFit(tokens: readonly Token[], words: string): boolean {
  if (tokens.length * words.length > COMPARISONS) return true;
  let reached = [true, ...tokens.map(() => false)];
  tokens.forEach((token, index) => {
    if (token === ANY && reached[index] === true) reached[index + 1] = true;
  });
  for (const character of words) {
    // A hole stays where it was, takes any number of tokens, or any number of characters of a `*`.
    const next = character === HOLE ? [...reached] : reached.map(() => false);
    tokens.forEach((token, index) => {
      const before = character === HOLE ? next[index] === true : reached[index] === true;
      if (before && (character === HOLE || isOne(token, character))) next[index + 1] = true;
      if (token !== ANY) return;
      if (reached[index + 1] === true || next[index] === true) next[index + 1] = true;
    });
    reached = next;
  }
  return reached[tokens.length] === true;
}
