/** One holder per key at a time; the others wait their turn. A key that nobody waits for is forgotten. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` while holding `key`; resolves or rejects as `work` does. Not re-entrant. */
  async hold<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const tail = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#tails.set(key, tail);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }

  /** How many keys are held or waited for. */
  get size(): number {
    return this.#tails.size;
  }
}
