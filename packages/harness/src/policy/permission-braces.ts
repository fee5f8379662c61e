/** The brace groups of a path rule, written out. */

/** More alternatives than this are refused. */
export const MAX_ALTERNATIVES = 1000;

/** Why a pattern cannot be written out, as a phrase. */
export class BraceError extends Error {}

/**
 * Every pattern that `pattern` stands for; itself when it has no group. Groups may be nested; what a backslash
 * escapes and what stands in `[…]` is left as it is.
 * @throws BraceError for a group that does not close or offers no choice, and for too many alternatives
 */
export function expandBraces(pattern: string): readonly string[] {
  const reader = new Reader(pattern);
  const alternatives = reader.sequence(false);
  return [...new Set(alternatives)];
}

/** Where the class that opens at `start` ends: after its `]`. Undefined when it does not close in its name. */
export function endOfClass(pattern: string, start: number): number | undefined {
  const negation = pattern[start + 1] === "!" || pattern[start + 1] === "^" ? 1 : 0;
  // A "]" in the first place is a member.
  for (let at = start + negation + 2; at < pattern.length; at += 1) {
    if (pattern[at] === "/") return undefined;
    if (pattern[at] === "]") return at + 1;
  }
  return undefined;
}

class Reader {
  #at = 0;

  constructor(readonly pattern: string) {}

  /** Reads to the end, or inside a group to the next "," or "}" of that group, which stays unread. */
  sequence(inGroup: boolean): readonly string[] {
    let heads: readonly string[] = [""];
    for (let part = this.#part(inGroup); part !== undefined; part = this.#part(inGroup)) {
      const tails = part;
      if (heads.length * tails.length > MAX_ALTERNATIVES) {
        throw new BraceError(`its braces stand for more than ${MAX_ALTERNATIVES} patterns`);
      }
      heads = heads.flatMap((head) => tails.map((tail) => head + tail));
    }
    return heads;
  }

  #part(inGroup: boolean): readonly string[] | undefined {
    const character = this.pattern[this.#at];
    if (character === undefined) return undefined;
    if (inGroup && (character === "," || character === "}")) return undefined;
    if (character === "{") return this.#group();
    if (character === "}")
      throw new BraceError(String.raw`it has a } without a {; write \} for the character`);
    return [this.#plain(character)];
  }

  #plain(character: string): string {
    const start = this.#at;
    const classEnd = character === "[" ? endOfClass(this.pattern, start) : undefined;
    this.#at = classEnd ?? start + (character === "\\" ? 2 : 1);
    return this.pattern.slice(start, this.#at);
  }

  #group(): readonly string[] {
    const choices: (readonly string[])[] = [];
    do {
      this.#at += 1;
      choices.push(this.sequence(true));
    } while (this.pattern[this.#at] === ",");
    if (this.pattern[this.#at] !== "}") {
      throw new BraceError(String.raw`it has a { without a }; write \{ for the character`);
    }
    this.#at += 1;
    if (choices.length === 1) {
      throw new BraceError(String.raw`a brace group needs a choice, as in {a,b}; write \{ for the character`);
    }
    const all = choices.flat();
    if (all.length > MAX_ALTERNATIVES) {
      throw new BraceError(`its braces stand for more than ${MAX_ALTERNATIVES} patterns`);
    }
    return all;
  }
}
