/** The brace groups of a search pattern, written out. */

/** More alternatives than this are refused. */
export const MAX_ALTERNATIVES = 1000;

/** Thrown by {@link expandBraces}. */
export class TooManyAlternatives extends Error {}

/**
 * Every pattern that `pattern` stands for; itself when it has no group. Groups may be nested and may be ranges
 * (`{1..9}`, `{a..e}`). A group without a choice and a lone `}` are plain text, as in a shell; a group that does not
 * close gives nothing.
 * @throws TooManyAlternatives
 */
export function expandBraces(pattern: string): readonly string[] {
  return pattern.includes("{") ? [...new Set(new Reader(pattern).sequence(false) ?? [])] : [pattern];
}

/** Where the class that opens at `start` ends: after its `]`. Undefined when it does not close in its name. */
export function endOfClass(pattern: string, start: number): number | undefined {
  const isNegated = pattern[start + 1] === "!" || pattern[start + 1] === "^";
  // A "]" in the first place is a member.
  const end = pattern.indexOf("]", start + (isNegated ? 3 : 2));
  return end === -1 || pattern.slice(start, end).includes("/") ? undefined : end + 1;
}

/** Undefined stands for a pattern with an open group. */
class Reader {
  #at = 0;
  readonly #pattern: string;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  /** Reads to the end, or inside a group to the next "," or "}" of that group, which stays unread. */
  sequence(inGroup: boolean): readonly string[] | undefined {
    let heads: readonly string[] = [""];
    for (;;) {
      const character = this.#pattern[this.#at];
      if (character === undefined) return inGroup ? undefined : heads;
      if (inGroup && (character === "," || character === "}")) return heads;
      const tails = character === "{" ? this.#group() : [this.#plain(character)];
      if (tails === undefined) return undefined;
      assertFew(heads.length * tails.length);
      heads = heads.flatMap((head) => tails.map((tail) => head + tail));
    }
  }

  #plain(character: string): string {
    const start = this.#at;
    const classEnd = character === "[" ? endOfClass(this.#pattern, start) : undefined;
    this.#at = classEnd ?? start + (character === "\\" ? 2 : 1);
    return this.#pattern.slice(start, this.#at);
  }

  #group(): readonly string[] | undefined {
    const start = this.#at;
    const choices: string[] = [];
    let groups = 0;
    do {
      this.#at += 1;
      const choice = this.sequence(true);
      if (choice === undefined) return undefined;
      choices.push(...choice);
      groups += 1;
      assertFew(choices.length);
    } while (this.#pattern[this.#at] === ",");
    this.#at += 1;
    if (groups > 1) return choices;
    return range(this.#pattern.slice(start + 1, this.#at - 1)) ?? choices.map((text) => `\\{${text}\\}`);
  }
}

/** What `1..9` or `a..e` stands for; undefined for any other text. */
function range(text: string): readonly string[] | undefined {
  const [, from = "", to = ""] = /^(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])$/.exec(text) ?? [];
  if (from === "" || /[A-Za-z]/.test(from) !== /[A-Za-z]/.test(to)) return undefined;
  const isLetter = /[A-Za-z]/.test(from);
  const [first, last] = isLetter ? [from.charCodeAt(0), to.charCodeAt(0)] : [Number(from), Number(to)];
  assertFew(Math.abs(last - first) + 1);
  const width = /^-?0\d|^-?\d+\.\.-?0\d/.test(text) ? Math.max(from.length, to.length) : 0;
  const step = last < first ? -1 : 1;
  return Array.from({ length: Math.abs(last - first) + 1 }, (_, index) => {
    const value = first + index * step;
    return isLetter ? String.fromCharCode(value) : padded(value, width);
  });
}

const padded = (value: number, width: number): string =>
  value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");

function assertFew(count: number): void {
  if (count > MAX_ALTERNATIVES) throw new TooManyAlternatives();
}
