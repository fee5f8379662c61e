/**
 * What is dear to begin and is kept for the next use: containers, remote sandboxes. At most so many exist at once;
 * one that rests goes when a place is needed, or after its idle time.
 */
import { DeerflowError, reasonOf } from "../base/errors.js";

export interface WarmPoolOptions<T> {
  /** For errors. */
  readonly provider: string;
  readonly most: number;
  /** Seconds that a resting one is kept; 0 keeps it to the end. */
  readonly idleSeconds: number;
  /** Ends one; what it throws is nobody's. */
  end(value: T): Promise<void>;
}

interface Place<T> {
  readonly value: Promise<T>;
  /** What it was begun with; another needs another. */
  readonly made: string;
  rests: boolean;
  timer?: NodeJS.Timeout;
}

export class WarmPool<T> {
  readonly #options: WarmPoolOptions<T>;
  /** In the order of their last use. */
  readonly #places = new Map<string, Place<T>>();

  constructor(options: WarmPoolOptions<T>) {
    this.#options = options;
  }

  /**
   * The one of this id, begun anew where there is none, or none that was `made` of the same.
   * @throws DeerflowError `sandbox_failed` when all places are in use, or what `begin` throws
   */
  async take(id: string, made: string, begin: () => Promise<T>): Promise<T> {
    const present = this.#places.get(id);
    if (present !== undefined && present.made !== made) await this.drop(id);
    const kept = this.#places.get(id);
    if (kept !== undefined) return await this.#use(id, kept);
    const leaving = this.#makeRoom();
    const value = leaving.then(begin);
    const place: Place<T> = { value, made, rests: false };
    this.#places.set(id, place);
    try {
      return await value;
    } catch (error) {
      if (this.#places.get(id) === place) this.#places.delete(id);
      throw error;
    }
  }

  /** No longer in use. It may be taken again until its time is over. */
  rest(id: string): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    place.rests = true;
    clearTimeout(place.timer);
    if (this.#options.idleSeconds === 0) return;
    place.timer = setTimeout(() => void this.drop(id), this.#options.idleSeconds * 1000);
    // A resting sandbox keeps no process alive; whoever closes the provider ends it.
    place.timer.unref();
  }

  async drop(id: string): Promise<void> {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#places.delete(id);
    clearTimeout(place.timer);
    await place.value.then((value) => this.#options.end(value)).catch(() => undefined);
  }

  async dropAll(): Promise<void> {
    await Promise.all([...this.#places.keys()].map((id) => this.drop(id)));
  }

  #use(id: string, place: Place<T>): Promise<T> {
    clearTimeout(place.timer);
    place.rests = false;
    this.#places.delete(id);
    this.#places.set(id, place);
    return place.value;
  }

  /** Takes a place away at once; what lay there may end later. */
  async #makeRoom(): Promise<void> {
    const { most, provider } = this.#options;
    if (this.#places.size < most) return;
    const oldest = [...this.#places].find(([, place]) => place.rests)?.[0];
    if (oldest === undefined) {
      const reason = `all of its ${most} places are in use (sandbox.replicas)`;
      throw new DeerflowError("sandbox_failed", { provider, reason });
    }
    await this.drop(oldest);
  }
}

export const providerFailed = (provider: string, thrown: unknown): DeerflowError =>
  DeerflowError.is(thrown)
    ? thrown
    : new DeerflowError("sandbox_failed", { provider, reason: reasonOf(thrown) }, thrown);
