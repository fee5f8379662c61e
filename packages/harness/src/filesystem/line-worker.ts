/** The owner's side of the searching thread: start, feed, terminate, and share at most two of them. */
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { orAborted } from "../base/abort.js";
import type { FoundLine, FromWorker, Search, ToWorker } from "./line-protocol.js";
import { invalidPattern } from "./search-pattern.js";

const SOURCE = new URL("./line-worker.mjs", import.meta.url);
const MAX_WORKERS = 2;
const IDLE_MILLISECONDS = 30_000;
const DRAIN_MILLISECONDS = 50;
/** How many pieces may be on their way to the thread. */
const MAX_IN_FLIGHT = 8;
/** The whole memory of a thread: with it a pattern cannot take the process down. MiB. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

const REASON = "regular expressions are RE2: no look-around, no back-references";

/** A promise with its handles. */
class Pending<T> {
  resolve: (value: T) => void = () => {};
  reject: (error: Error) => void = () => {};
  readonly promise = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor() {
    // A search that was stopped no longer waits for the rest; that is no unhandled rejection.
    this.promise.catch(() => {});
  }
}

/** One thread. Serves one search at a time. */
export class LineWorker {
  readonly #worker = new Worker(SOURCE, { env: {}, execArgv: [], resourceLimits: RESOURCE_LIMITS });
  #failure: Error | undefined;
  #ready: Pending<string | undefined> | undefined;
  #files: Pending<readonly FoundLine[]>[] = [];
  #taken: Pending<void> | undefined;
  #inFlight = 0;
  #enough = false;

  constructor() {
    this.#worker.on("message", (message: FromWorker) => this.#receive(message));
    this.#worker.on("error", (error: Error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("The searching thread has ended.")));
  }

  get isUsable(): boolean {
    return this.#failure === undefined && this.#files.length === 0 && this.#inFlight === 0;
  }

  /** Waits for what it was given last, but not for long: at the limit of matches it only skims the rest. */
  async drain(): Promise<void> {
    const files = this.#files.map((file) => file.promise);
    await Promise.race([Promise.allSettled(files), sleep(DRAIN_MILLISECONDS, undefined, { ref: false })]);
  }

  /** A thread in use keeps the process alive, an idle one does not. */
  keepAlive(inUse: boolean): void {
    if (inUse) this.#worker.ref();
    else this.#worker.unref();
  }

  /** @throws DeerflowError `pattern_invalid` */
  async begin(search: Search): Promise<void> {
    this.#ready = new Pending();
    this.#send({ type: "search", search });
    const reason = await this.#ready.promise;
    if (reason === undefined) return;
    throw invalidPattern(search.pattern, `${reason} (${REASON}; set literal to search for plain text)`);
  }

  /**
   * Hands a file over. Resolves when all of it is on its way, so that the next file can be fetched meanwhile.
   * @param pieces may be left before its end
   */
  async send(
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<{ readonly found: Promise<readonly FoundLine[]> }> {
    const file = new Pending<readonly FoundLine[]>();
    this.#files.push(file);
    this.#enough = false;
    let held: Uint8Array = new Uint8Array();
    for await (const piece of pieces) {
      if (held.length > 0) await this.#sendPiece(held, false);
      held = piece;
      if (this.#enough) break;
    }
    await this.#sendPiece(held, true);
    return { found: file.promise };
  }

  /** Ends the thread, and with it whatever it does. What still waits for it is rejected. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  async #sendPiece(piece: Uint8Array, last: boolean): Promise<void> {
    while (this.#inFlight >= MAX_IN_FLIGHT && this.#failure === undefined) {
      this.#taken = new Pending();
      await this.#taken.promise;
    }
    // A copy of its own: the backend may keep what it gave.
    const bytes = new Uint8Array(piece);
    this.#inFlight += 1;
    this.#send({ type: "piece", bytes, last }, [bytes.buffer]);
  }

  #send(message: ToWorker, transfer: readonly ArrayBuffer[] = []): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#worker.postMessage(message, transfer);
  }

  #receive(message: FromWorker): void {
    if (message.type === "file") this.#files.shift()?.resolve(message.found);
    else if (message.type === "taken") this.#onTaken(message.enough);
    else this.#ready?.resolve(message.type === "ready" ? undefined : message.reason);
  }

  #onTaken(enough: boolean): void {
    this.#inFlight -= 1;
    // Only while one file is on its way is it certain which one is meant.
    if (enough && this.#files.length === 1) this.#enough = true;
    this.#taken?.resolve();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const each of [this.#ready, this.#taken, ...this.#files]) each?.reject(this.#failure);
  }
}

/** Threads are slow to start, so that they are kept for a while. */
class WorkerPool {
  #idle: { readonly worker: LineWorker; readonly timer: NodeJS.Timeout }[] = [];
  #count = 0;
  #waiting: (() => void)[] = [];

  /** Runs `work` with a thread of its own, or gives undefined when the signal was faster. */
  async use<T>(signal: AbortSignal, work: (worker: LineWorker) => Promise<T>): Promise<T | undefined> {
    while (this.#count >= MAX_WORKERS && this.#idle.length === 0) {
      const turn = new Promise<void>((resolve) => this.#waiting.push(resolve));
      await orAborted(turn, signal);
      if (signal.aborted) return undefined;
    }
    const worker = this.#take();
    const stop = () => void worker.terminate();
    signal.addEventListener("abort", stop, { once: true });
    try {
      if (signal.aborted) return undefined;
      return await work(worker);
    } finally {
      signal.removeEventListener("abort", stop);
      if (signal.aborted) await this.#discard(worker);
      else void this.#giveBack(worker);
    }
  }

  #take(): LineWorker {
    const idle = this.#idle.pop();
    clearTimeout(idle?.timer);
    if (idle === undefined) this.#count += 1;
    const worker = idle?.worker.isUsable === true ? idle.worker : new LineWorker();
    worker.keepAlive(true);
    return worker;
  }

  /** One that is still at work is of no more use. */
  async #giveBack(worker: LineWorker): Promise<void> {
    await worker.drain();
    if (!worker.isUsable) return this.#discard(worker);
    worker.keepAlive(false);
    const timer = setTimeout(() => void this.#retire(worker), IDLE_MILLISECONDS).unref();
    this.#idle.push({ worker, timer });
    this.#wakeAll();
  }

  async #discard(worker: LineWorker): Promise<void> {
    await worker.terminate();
    this.#count -= 1;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #retire(worker: LineWorker): Promise<void> {
    this.#idle = this.#idle.filter((each) => each.worker !== worker);
    this.#count -= 1;
    await worker.terminate();
  }
}

export const LINE_WORKERS = new WorkerPool();
