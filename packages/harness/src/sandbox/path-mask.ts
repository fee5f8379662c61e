/** Replaces what a model may not see in output, also where it is torn between two pieces: host paths and secrets. */
export interface PathReplacement {
  readonly from: string;
  readonly to: string;
  /**
   * Where it counts: a `path` only where its last name ends there, so that `/a/b` is not found in `/a/bc`; a `text`
   * anywhere. A path when absent.
   */
  readonly kind?: "path" | "text";
}

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;
/** What goes on with a name. A dot does only before more of it, for a path may end a sentence. */
const NAME_GOES_ON = String.raw`(?!\.?[\p{L}\p{N}_-])`;

/** One output stream's mask. */
export class PathMask {
  readonly #replacements: readonly PathReplacement[];
  readonly #targets: ReadonlyMap<string, string>;
  readonly #pattern: RegExp | undefined;
  #held = "";

  /** Longer ones go first, so that a folder never hides a path inside it, nor a secret a longer one. */
  constructor(replacements: readonly PathReplacement[]) {
    this.#replacements = replacements
      .filter(({ from }) => from.length > 1)
      .toSorted((a, b) => b.from.length - a.from.length);
    this.#targets = new Map(this.#replacements.toReversed().map(({ from, to }) => [from, to]));
    const alternatives = this.#replacements.map(
      ({ from, kind }) => from.replaceAll(SYNTAX, String.raw`\$&`) + (kind === "text" ? "" : NAME_GOES_ON),
    );
    this.#pattern = alternatives.length === 0 ? undefined : new RegExp(alternatives.join("|"), "gu");
  }

  /** The masked text that is certain by now; the rest waits for the next piece. */
  add(text: string): string {
    const whole = this.#held + text;
    const { masked, rest } = this.#masked(whole, whole.length - this.#uncertain(whole));
    this.#held = rest;
    return masked;
  }

  /** What still waited. */
  end(): string {
    const { masked } = this.#masked(this.#held, this.#held.length);
    this.#held = "";
    return masked;
  }

  /** Masks what begins before `certain`, and gives the rest as it is. */
  #masked(text: string, certain: number): { readonly masked: string; readonly rest: string } {
    let masked = "";
    let at = 0;
    for (const match of this.#pattern === undefined ? [] : text.matchAll(this.#pattern)) {
      if (match.index >= certain) break;
      masked += text.slice(at, match.index) + (this.#targets.get(match[0]) ?? "");
      at = match.index + match[0].length;
    }
    // What was found may reach into what looks like the beginning of another.
    const end = Math.max(at, certain);
    return { masked: masked + text.slice(at, end), rest: text.slice(end) };
  }

  /** Length of the longest end of `text` that the next piece may make one of those that are looked for. */
  #uncertain(text: string): number {
    return Math.max(0, ...this.#replacements.map((replacement) => uncertainEnd(text, replacement)));
  }
}

function uncertainEnd(text: string, { from, kind }: PathReplacement): number {
  if (kind !== "text") {
    const ending = [`${from}.`, from].find((end) => text.endsWith(end));
    // It is there whole, and the next character says whether its name ends.
    if (ending !== undefined) return ending.length;
  }
  const first = from.charAt(0);
  const least = Math.max(0, text.length - from.length + 1);
  for (let start = text.indexOf(first, least); start !== -1; start = text.indexOf(first, start + 1)) {
    if (from.startsWith(text.slice(start))) return text.length - start;
  }
  return 0;
}

/** The whole of a text that will not go on. */
export const maskPaths = (replacements: readonly PathReplacement[], text: string): string => {
  const mask = new PathMask(replacements);
  return mask.add(text) + mask.end();
};
