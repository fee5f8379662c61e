/** The threads that the old database still holds while another takes its place. */
import { reasonOf } from "../../base/errors.js";
import type { RunRecord } from "../../persistence/contract.js";
import type { DatabaseSide, ThreadKey } from "./contract.js";

export const keyOf = ({ principal, threadId }: ThreadKey): string =>
  JSON.stringify([principal.tenantId, threadId]);

/**
 * `unknown`: nobody has looked yet. `busy`: a run of it is not over. `stuck`: it could not be carried over; the old
 * database goes on holding it, and it is tried again.
 */
type PendingState = "unknown" | "busy" | "stuck";

interface Pending {
  readonly thread: ThreadKey;
  state: PendingState;
  runs: number;
  problem: string | undefined;
  /** The look or the move that is under way. */
  work: Promise<void> | undefined;
  readonly whenSettled: Set<() => void>;
}

export interface PendingOptions {
  readonly old: DatabaseSide;
  /** Resolves when nobody writes to the thread. */
  quiet(key: string): Promise<void>;
  /** Carries the thread over, durably; after it the new database holds it. */
  move(thread: ThreadKey): Promise<void>;
}

/** Each thread has one holder at any time: while it is looked at or moved, whoever wants it waits. */
export class PendingThreads {
  readonly old: DatabaseSide;
  readonly #options: PendingOptions;
  readonly #threads = new Map<string, Pending>();

  constructor(threads: Iterable<ThreadKey>, options: PendingOptions) {
    this.old = options.old;
    this.#options = options;
    this.add(threads);
  }

  /** Those that it knows already stay as they are. */
  add(threads: Iterable<ThreadKey>): void {
    for (const thread of threads) {
      const key = keyOf(thread);
      if (this.#threads.has(key)) continue;
      this.#threads.set(key, {
        thread,
        state: "unknown",
        runs: 0,
        problem: undefined,
        work: undefined,
        whenSettled: new Set(),
      });
    }
  }

  get size(): number {
    return this.#threads.size;
  }

  get runs(): number {
    return [...this.#threads.values()].reduce((sum, { runs }) => sum + runs, 0);
  }

  /** Why threads cannot be carried over; empty when nothing is in the way. */
  get problems(): readonly string[] {
    return [...this.#threads.values()].flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  }

  get threads(): readonly ThreadKey[] {
    return [...this.#threads.values()].map(({ thread }) => thread);
  }

  has(key: string): boolean {
    return this.#threads.has(key);
  }

  /** Who holds the thread; a promise while that is being found out, after which it must be asked again. */
  holder(key: string): "old" | "new" | Promise<void> {
    const pending = this.#threads.get(key);
    if (pending === undefined) return "new";
    if (pending.work !== undefined || pending.state === "unknown") return this.#settle(pending);
    return "old";
  }

  isBusy(key: string): boolean {
    return this.#threads.get(key)?.state === "busy";
  }

  /** Something of the thread ended: it has to be looked at again. */
  poke(key: string): void {
    const pending = this.#threads.get(key);
    if (pending !== undefined && pending.work === undefined) pending.state = "unknown";
  }

  /** Looks at every thread that is not held by a run of this process, and moves those that are free. */
  async moveAll(signal: AbortSignal): Promise<void> {
    for (const pending of this.#threads.values()) {
      if (signal.aborted) return;
      if (pending.work === undefined) pending.state = "unknown";
      await this.#settle(pending);
    }
  }

  /** Resolves with true once the new database holds the thread, with false after so many milliseconds. */
  async moved(key: string, patience: number): Promise<boolean> {
    const deadline = performance.now() + patience;
    for (;;) {
      const holder = this.holder(key);
      if (holder === "new") return true;
      if (holder !== "old") await holder;
      else if (!(await this.#change(key, deadline - performance.now()))) return false;
    }
  }

  /** Resolves with false when nothing about the thread changed in time. */
  #change(key: string, milliseconds: number): Promise<boolean> {
    const pending = this.#threads.get(key);
    if (pending === undefined) return Promise.resolve(true);
    if (milliseconds <= 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      const done = (changed: boolean) => (): void => {
        clearTimeout(timer);
        pending.whenSettled.delete(settled);
        resolve(changed);
      };
      const settled = done(true);
      const timer = setTimeout(done(false), milliseconds);
      pending.whenSettled.add(settled);
    });
  }

  #settle(pending: Pending): Promise<void> {
    pending.work ??= this.#look(pending).finally(() => {
      pending.work = undefined;
      for (const settled of pending.whenSettled) settled();
    });
    return pending.work;
  }

  async #look(pending: Pending): Promise<void> {
    const { thread } = pending;
    const key = keyOf(thread);
    try {
      await this.#options.quiet(key);
      const unfinished = await this.#unfinished(thread);
      pending.runs = unfinished.length;
      if (unfinished.length > 0) {
        pending.state = "busy";
        pending.problem = undefined;
        return;
      }
      await this.#options.move(thread);
      this.#threads.delete(key);
    } catch (error) {
      pending.state = "stuck";
      pending.problem = `${thread.threadId}: ${reasonOf(error)}`;
    }
  }

  #unfinished({ principal, threadId }: ThreadKey): Promise<readonly RunRecord[]> {
    return this.old.persistence.runs.unfinished(principal, threadId);
  }
}
