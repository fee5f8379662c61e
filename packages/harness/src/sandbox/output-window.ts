/**
 * Keeps the first and the last half of a text of any length, so that a flood of output costs no memory and
 * the reader still sees how it began and how it ended.
 */
export class OutputWindow {
  readonly #half: number;
  #head = "";
  #tail = "";
  #leftOut = 0;

  /** @param limit characters (UTF-16 units) that are kept at most; the mark between the halves comes on top. */
  constructor(limit: number) {
    this.#half = Math.max(1, Math.floor(limit / 2));
  }

  get truncated(): boolean {
    return this.#leftOut > 0;
  }

  add(text: string): void {
    const room = this.#half - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    // Cutting only at twice the half keeps the work linear in the output.
    if (this.#tail.length > 2 * this.#half) this.#cut();
  }

  /** What was kept, with a line that says how much is missing where something is. */
  text(): string {
    this.#cut();
    if (!this.truncated) return this.#head + this.#tail;
    return `${this.#head}\n[… ${this.#leftOut} characters left out …]\n${this.#tail}`;
  }

  #cut(): void {
    const excess = this.#tail.length - this.#half;
    if (excess <= 0) return;
    this.#leftOut += excess;
    this.#tail = this.#tail.slice(excess);
  }
}
