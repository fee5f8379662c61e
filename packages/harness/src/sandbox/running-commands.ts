/** Which commands of which sandbox are running, so that letting a sandbox go ends them. */
import { DeerflowError } from "../base/errors.js";

interface Running {
  readonly stop: AbortController;
  readonly done: Promise<unknown>;
}

export class RunningCommands {
  readonly #bySandbox = new Map<string, Set<Running>>();

  /** Runs `work` with a signal that aborts when `signal` does or when the sandbox is let go. */
  async track<T>(
    id: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const stop = new AbortController();
    const done = work(signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]));
    const running = { stop, done };
    const mine = this.#bySandbox.get(id) ?? new Set();
    this.#bySandbox.set(id, mine.add(running));
    try {
      return await done;
    } finally {
      mine.delete(running);
      if (mine.size === 0) this.#bySandbox.delete(id);
    }
  }

  /** Ends the commands of one sandbox; they reject with `sandbox_released`. */
  async stop(id: string): Promise<void> {
    const running = [...(this.#bySandbox.get(id) ?? [])];
    for (const { stop } of running) stop.abort(new DeerflowError("sandbox_released", { id }));
    await Promise.allSettled(running.map(({ done }) => done));
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#bySandbox.keys()].map((id) => this.stop(id)));
  }
}
