/** Holds a program back while whoever listens to its output is busy with what it was told. */
import type { Readable } from "node:stream";
import { orAborted, withTimeLimit } from "../base/abort.js";

type Holdable = Pick<Readable, "pause" | "resume">;
type Listener = (chunk: string) => void | Promise<void>;

export class OutputGate {
  readonly #stream: Holdable | null;
  readonly #listener: Listener | undefined;
  readonly #onFailure: () => void;
  readonly #busy = new Set<Promise<void>>();
  #failure: { readonly reason: unknown } | undefined;

  /** @param onFailure called once, when the listener fails; it is told nothing more then */
  constructor(stream: Holdable | null, listener: Listener | undefined, onFailure: () => void) {
    this.#stream = stream;
    this.#listener = listener;
    this.#onFailure = onFailure;
  }

  /** Whether the listener is busy, and the program's output stays in its pipe. */
  get isClosed(): boolean {
    return this.#busy.size > 0;
  }

  tell(text: string): void {
    if (this.#failure !== undefined) return;
    try {
      const answer = this.#listener?.(text);
      if (answer instanceof Promise) this.#hold(answer);
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Resolves when the listener is done with all that it was told, or after that long: one that never ends must not
   * keep a command for ever.
   * @throws what the listener threw
   */
  async settled(mostMilliseconds: number): Promise<void> {
    await withTimeLimit(mostMilliseconds / 1000, undefined, (limit) =>
      orAborted(Promise.all(this.#busy), limit),
    );
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  #hold(answer: Promise<void>): void {
    this.#stream?.pause();
    const waiting = this.#wait(answer);
    this.#busy.add(waiting);
    void this.#openAfter(waiting);
  }

  async #wait(answer: Promise<void>): Promise<void> {
    try {
      await answer;
    } catch (error) {
      this.#fail(error);
    }
  }

  async #openAfter(waiting: Promise<void>): Promise<void> {
    await waiting;
    this.#busy.delete(waiting);
    if (!this.isClosed) this.#stream?.resume();
  }

  #fail(reason: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { reason };
    this.#onFailure();
  }
}
