/** Runs without a thread of the client's: each gets a thread of its own, which goes when the run is over. */
import { randomUUID } from "node:crypto";
import { reasonOf, type RunJob, silentLogger } from "@deerflow/harness";
import { Hono } from "hono";
import type { GatewayVariables } from "../deps.js";
import { type RunRouteDeps, startRun, streamRun, waitForRun } from "./runs.js";

export const statelessRunRoutes = (deps: RunRouteDeps) => {
  const { runs, threads, logger = silentLogger } = deps;
  /** Removes the run's thread when the run is over, whether its client is still there or not. */
  const removeWhenOver = async (job: RunJob): Promise<void> => {
    try {
      await runs.join(job);
      await threads.remove(job.principal, job.threadId);
    } catch (error) {
      // The client has its answer, or has gone: a failure can only be noted.
      logger.warn("The thread of a stateless run was not removed.", { reason: reasonOf(error) });
    }
  };
  return new Hono<GatewayVariables>()
    .post("/stream", async (context) => {
      const run = await startRun(deps, context, randomUUID());
      const cancelOnDisconnect = run.onDisconnect === "cancel";
      try {
        return await streamRun(deps, context, { ...run, cancelOnDisconnect });
      } finally {
        void removeWhenOver({ principal: context.var.principal, ...run });
      }
    })
    .post("/wait", async (context) => {
      const run = await startRun(deps, context, randomUUID());
      const cancelOnDisconnect = run.onDisconnect === "cancel";
      try {
        return await waitForRun(deps, context, { ...run, cancelOnDisconnect });
      } finally {
        void removeWhenOver({ principal: context.var.principal, ...run });
      }
    });
};
