/**
 * Who works on which run next. At most one run of a thread is worked on at a time; the others of that thread wait
 * in the order in which they came. The queue holds ids only: what must be done lies in the run's row.
 */
import type { Principal } from "../../context/principal.js";

export interface RunJob {
  readonly principal: Principal;
  readonly threadId: string;
  readonly runId: string;
}

export interface RunQueue {
  /** Begins to hand out jobs. `execute` resolves when the run is over and does not reject. Call once. */
  start(execute: (job: RunJob) => Promise<void>): void;
  add(job: RunJob): Promise<void>;
  /** Takes a job out that has not begun. False when it has begun, is done or never was. */
  remove(runId: string): Promise<boolean>;
  /** Hands out no more jobs and resolves when those that have begun are done. Waiting jobs are dropped. */
  close(): Promise<void>;
}
