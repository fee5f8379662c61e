/** Leads every call that concerns a thread to the database that holds it now. */
import { DeerflowError } from "../../base/errors.js";
import type { Principal } from "../../context/principal.js";
import type { DatabaseSide, ThreadKey } from "./contract.js";
import { InFlight } from "./in-flight.js";
import { keyOf, PendingThreads } from "./pending-threads.js";

/**
 * `read` may still be under way when its thread moves: the old database keeps what it had. A `write` holds the thread
 * where it is. `start` is the write that begins a run: it waits for nothing, and is refused where the thread is
 * still held by the old database.
 */
export type CallKind = "read" | "write" | "start";

/** Calls of one process. While nothing is switched they pass without waiting. */
export class ThreadRouter {
  #current: DatabaseSide;
  #pending: PendingThreads | undefined;
  #paused: Promise<void> | undefined;
  #changed: Map<string, ThreadKey> | undefined;
  readonly #writes = new InFlight<string>();
  /** Reads of threads and calls on the store, by the side that they are on. */
  readonly #reads = new InFlight<DatabaseSide>();
  readonly #storeCalls = new InFlight<DatabaseSide>();

  constructor(current: DatabaseSide) {
    this.#current = current;
  }

  /** Where everything is that the old database does not hold. */
  get current(): DatabaseSide {
    return this.#current;
  }

  /** What the old database still holds; undefined while there is one only. */
  get pending(): PendingThreads | undefined {
    return this.#pending;
  }

  /** The one in use, and the one that it replaces while there is one. */
  get sides(): readonly DatabaseSide[] {
    return this.#pending === undefined ? [this.#current] : [this.#current, this.#pending.old];
  }

  /**
   * @throws DeerflowError `thread_moving` for a `start`; what `work` throws
   */
  async use<T>(thread: ThreadKey, kind: CallKind, work: (side: DatabaseSide) => Promise<T>): Promise<T> {
    const key = keyOf(thread);
    for (;;) {
      const waiting = kind === "read" ? undefined : this.#paused;
      const holder = this.#pending?.holder(key) ?? "new";
      if (waiting !== undefined) await waiting;
      else if (typeof holder !== "string") await holder;
      else {
        const side = holder === "old" ? (this.#pending?.old ?? this.#current) : this.#current;
        if (kind === "start" && this.#pending?.isBusy(key) === true) throw this.#moving(thread);
        return await this.#counted(thread, kind, { side, work });
      }
    }
  }

  /** A read that gives one thing after the other. What a thread's move leaves behind on the old one is still whole. */
  async *iterate<T>(thread: ThreadKey, work: (side: DatabaseSide) => AsyncIterable<T>): AsyncGenerator<T> {
    const { side, leave } = await this.use(thread, "read", async (held) => ({
      side: held,
      leave: this.#reads.enter(held),
    }));
    try {
      yield* work(side);
    } finally {
      leave();
    }
  }

  /** A call on the store, which is in one place at any time. */
  async useStore<T>(work: (side: DatabaseSide) => Promise<T>): Promise<T> {
    while (this.#paused !== undefined) await this.#paused;
    const side = this.#current;
    const leave = this.#storeCalls.enter(side);
    try {
      return await work(side);
    } finally {
      leave();
    }
  }

  /** From now on notes which threads are written to. @returns those, as long as it is called */
  watchChanges(): () => readonly ThreadKey[] {
    const changed = new Map<string, ThreadKey>();
    this.#changed = changed;
    return () => [...changed.values()];
  }

  stopWatching(): void {
    this.#changed = undefined;
  }

  /** Runs `work` while no write and no call on the store is under way; those that come wait for its end. */
  async whilePaused<T>(work: () => Promise<T>): Promise<T> {
    let resume = (): void => undefined;
    this.#paused = new Promise<void>((resolve) => {
      resume = resolve;
    });
    try {
      await Promise.all([this.#writes.none(), this.#storeCalls.none()]);
      return await work();
    } finally {
      this.#paused = undefined;
      resume();
    }
  }

  /** From now on `next` is in use, and the old one holds these threads until each can be moved. */
  begin(next: DatabaseSide, threads: Iterable<ThreadKey>, move: (thread: ThreadKey) => Promise<void>): void {
    const old = this.#current;
    const quiet = (key: string): Promise<void> => this.#writes.none(key);
    this.#pending = new PendingThreads(threads, { old, quiet, move });
    this.#current = next;
  }

  /** The old one holds nothing any more. Resolves when nobody reads from it either. */
  async end(): Promise<void> {
    const old = this.#pending?.old;
    this.#pending = undefined;
    if (old !== undefined) await this.#reads.none(old);
  }

  /** A run of the thread is over. */
  poke(principal: Principal, threadId: string): void {
    this.#pending?.poke(keyOf({ principal, threadId }));
  }

  /** Resolves with true once the database in use holds the thread, with false after so many milliseconds. */
  async moved(principal: Principal, threadId: string, patience: number): Promise<boolean> {
    return (await this.#pending?.moved(keyOf({ principal, threadId }), patience)) ?? true;
  }

  async #counted<T>(
    thread: ThreadKey,
    kind: CallKind,
    { side, work }: { side: DatabaseSide; work: (side: DatabaseSide) => Promise<T> },
  ): Promise<T> {
    const key = keyOf(thread);
    if (kind !== "read") this.#changed?.set(key, thread);
    const leave = kind === "read" ? this.#reads.enter(side) : this.#writes.enter(key);
    try {
      return await work(side);
    } finally {
      leave();
    }
  }

  #moving({ threadId }: ThreadKey): DeerflowError {
    return new DeerflowError("thread_moving", { threadId, to: this.#current.name });
  }
}
