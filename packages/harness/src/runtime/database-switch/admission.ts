/** Lets a run begin when its thread has moved to the database in use. */
import { DeerflowError } from "../../base/errors.js";
import type { Principal } from "../../context/principal.js";
import type { ThreadRouter } from "./thread-router.js";

/** Runs `start`, which begins a run of the thread. */
export type Admission = <T>(principal: Principal, threadId: string, start: () => Promise<T>) => Promise<T>;

/** A client that waits for longer takes the server for dead. */
const PATIENCE_MS = 30_000;

/**
 * Waits while the old database holds the thread because of a run that is not over: outside of whatever `start`
 * holds, so that this run can be watched and stopped meanwhile.
 *
 * @param patience milliseconds after which the refusal is passed on
 */
export const admissionOf =
  (router: ThreadRouter, patience: number = PATIENCE_MS): Admission =>
  async (principal, threadId, start) => {
    const deadline = performance.now() + patience;
    for (;;) {
      try {
        return await start();
      } catch (error) {
        if (!DeerflowError.is(error) || error.code !== "thread_moving") throw error;
        if (!(await router.moved(principal, threadId, deadline - performance.now()))) throw error;
      }
    }
  };
