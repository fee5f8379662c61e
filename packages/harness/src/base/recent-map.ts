/** A map that forgets what rested longest. */
export class RecentMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #limit: number;
  readonly #weigh: (value: V) => number;
  #weight = 0;

  /**
   * @param limit - the weight that all entries together may have
   * @param weigh - what one of them weighs; 1 each by default, so that the limit is their number
   */
  constructor(limit: number, weigh: (value: V) => number = () => 1) {
    this.#limit = limit;
    this.#weigh = weigh;
  }

  /** Reading makes an entry recent. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    // Re-inserted, so that the first key is the one that rested longest.
    this.delete(key);
    this.#entries.set(key, value);
    this.#weight += this.#weigh(value);
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#limit) return;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weigh(value);
  }
}
