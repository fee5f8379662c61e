/** The run queue of a single process. */
import type { Principal } from "../../context/principal.js";
import type { RunJob, RunQueue } from "./contract.js";

export interface InProcessRunQueueOptions {
  /** How many runs may go on at once, over all threads. Default 32. */
  readonly concurrency?: number;
}

/** One thread of one user: the unit in which runs take turns. */
export const threadKey = (principal: Principal, threadId: string): string =>
  JSON.stringify([principal.tenantId, principal.userId, threadId]);

export class InProcessRunQueue implements RunQueue {
  readonly #concurrency: number;
  readonly #waiting: RunJob[] = [];
  readonly #running = new Map<string, Promise<void>>();
  #execute: ((job: RunJob) => Promise<void>) | undefined;
  #closed = false;

  constructor(options: InProcessRunQueueOptions = {}) {
    this.#concurrency = options.concurrency ?? 32;
  }

  start(execute: (job: RunJob) => Promise<void>): void {
    this.#execute = execute;
    this.#pump();
  }

  async add(job: RunJob): Promise<void> {
    if (this.#closed) return;
    this.#waiting.push(job);
    this.#pump();
  }

  async remove(runId: string): Promise<boolean> {
    const index = this.#waiting.findIndex((job) => job.runId === runId);
    if (index === -1) return false;
    this.#waiting.splice(index, 1);
    return true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.length = 0;
    await Promise.all(this.#running.values());
  }

  #pump(): void {
    const execute = this.#execute;
    if (execute === undefined) return;
    while (this.#running.size < this.#concurrency) {
      const index = this.#waiting.findIndex(
        (job) => !this.#running.has(threadKey(job.principal, job.threadId)),
      );
      const [job] = index === -1 ? [] : this.#waiting.splice(index, 1);
      if (job === undefined) return;
      this.#begin(job, execute);
    }
  }

  #begin(job: RunJob, execute: (job: RunJob) => Promise<void>): void {
    const key = threadKey(job.principal, job.threadId);
    const done = execute(job).finally(() => {
      this.#running.delete(key);
      this.#pump();
    });
    this.#running.set(key, done);
  }
}
