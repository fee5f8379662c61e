/** Replaces host paths by what the model may see, also where a path is torn between two pieces of output. */
export interface PathReplacement {
  readonly from: string;
  readonly to: string;
}

/** One output stream's mask. */
export class PathMask {
  readonly #replacements: readonly PathReplacement[];
  #held = "";

  /** Longer paths go first, so that a folder never hides a path inside it. */
  constructor(replacements: readonly PathReplacement[]) {
    this.#replacements = replacements
      .filter(({ from }) => from.length > 1)
      .toSorted((a, b) => b.from.length - a.from.length);
  }

  /** The masked text that is certain by now; the rest waits for the next piece. */
  add(text: string): string {
    const whole = this.#held + text;
    const held = this.#uncertain(whole);
    this.#held = whole.slice(whole.length - held);
    return this.#masked(whole.slice(0, whole.length - held));
  }

  /** What still waited. */
  end(): string {
    const rest = this.#masked(this.#held);
    this.#held = "";
    return rest;
  }

  #masked(text: string): string {
    return this.#replacements.reduce((masked, { from, to }) => masked.replaceAll(from, to), text);
  }

  /** Length of the longest end of `text` that could be the beginning of a path. */
  #uncertain(text: string): number {
    const lengths = this.#replacements.map(({ from }) => {
      let length = Math.min(from.length - 1, text.length);
      while (length > 0 && !text.endsWith(from.slice(0, length))) length -= 1;
      return length;
    });
    return Math.max(0, ...lengths);
  }
}

/** The whole of a text that will not go on. */
export const maskPaths = (replacements: readonly PathReplacement[], text: string): string => {
  const mask = new PathMask(replacements);
  return mask.add(text) + mask.end();
};
