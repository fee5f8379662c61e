/** Keeps the end of a text of any length. */
export class TextTail {
  readonly #limit: number;
  #text = "";
  #leftOut = 0;

  /** @param limit characters (UTF-16 units) that are kept at most */
  constructor(limit: number) {
    this.#limit = Math.max(1, limit);
  }

  add(text: string): void {
    this.#text += text;
    // Cutting only at twice the limit keeps the work linear in the text.
    if (this.#text.length > 2 * this.#limit) this.#cut();
  }

  get text(): string {
    this.#cut();
    return this.#text;
  }

  /** Characters that are no longer there. */
  get leftOut(): number {
    this.#cut();
    return this.#leftOut;
  }

  #cut(): void {
    const excess = this.#text.length - this.#limit;
    if (excess <= 0) return;
    this.#leftOut += excess;
    this.#text = this.#text.slice(excess);
  }
}
