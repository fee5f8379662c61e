/** A run store in memory, for tests. */
import type { Clock } from "../base/clock.js";
import type { Principal } from "../context/principal.js";
import {
  FINAL_RUN_STATUSES,
  type NewRun,
  type RunOutcome,
  type RunRecord,
  type RunStore,
} from "../persistence/contract.js";
import { memoryKey } from "./memory-thread-store.js";

export class MemoryRunStore implements RunStore {
  readonly #clock: Clock;
  readonly #runs = new Map<string, { principal: Principal; run: RunRecord }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async create(principal: Principal, run: NewRun): Promise<RunRecord> {
    const now = this.#clock.now();
    return this.#put(principal, { ...run, status: "pending", epoch: 0, createdAt: now, updatedAt: now });
  }

  async find(principal: Principal, threadId: string, runId: string): Promise<RunRecord | undefined> {
    return this.#runs.get(memoryKey(principal, threadId, runId))?.run;
  }

  async list(principal: Principal, threadId: string, { limit, offset }: { limit: number; offset: number }) {
    return [...this.#runs.entries()]
      .filter(([key, { run }]) => key === memoryKey(principal, threadId, run.runId))
      .map(([, { run }]) => run)
      .reverse()
      .slice(offset, offset + limit);
  }

  async claim(principal: Principal, threadId: string, runId: string): Promise<RunRecord | undefined> {
    const run = await this.find(principal, threadId, runId);
    if (run?.status !== "pending") return undefined;
    return this.#put(principal, {
      ...run,
      status: "running",
      epoch: run.epoch + 1,
      updatedAt: this.#clock.now(),
    });
  }

  async finish(
    principal: Principal,
    { threadId, runId, epoch }: { threadId: string; runId: string; epoch: number },
    outcome: RunOutcome,
  ): Promise<boolean> {
    const run = await this.find(principal, threadId, runId);
    if (run === undefined || run.epoch !== epoch || FINAL_RUN_STATUSES.has(run.status)) return false;
    this.#put(principal, { ...run, ...outcome, updatedAt: this.#clock.now() });
    return true;
  }

  async reconcile(outcome: RunOutcome) {
    const lost = [...this.#runs.values()].filter(({ run }) => !FINAL_RUN_STATUSES.has(run.status));
    return lost.map(({ principal, run }) => ({
      principal,
      run: this.#put(principal, { ...run, ...outcome }),
    }));
  }

  #put(principal: Principal, run: RunRecord): RunRecord {
    this.#runs.set(memoryKey(principal, run.threadId, run.runId), { principal, run });
    return run;
  }
}
