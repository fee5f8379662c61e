/** Counts what is going on by key, and tells when nothing is. */
export class InFlight<Key> {
  readonly #counts = new Map<Key, number>();
  readonly #waiting = new Set<() => void>();

  /** @returns what to call once it is over */
  enter(key: Key): () => void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#counts.get(key) ?? 0) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
      for (const look of this.#waiting) look();
    };
  }

  /** Resolves when nothing goes on under the key, or under any where it is absent. */
  none(key?: Key): Promise<void> {
    const isQuiet = (): boolean => (key === undefined ? this.#counts.size === 0 : !this.#counts.has(key));
    if (isQuiet()) return Promise.resolve();
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isQuiet()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
    });
  }
}
