/** Runs without a thread of the client's: each gets a thread of its own, which goes when the run is over. */
import { randomUUID } from "node:crypto";
import { type Logger, reasonOf, silentLogger } from "@deerflow/harness";
import { Hono } from "hono";
import type { GatewayDeps, GatewayVariables } from "../deps.js";
import { startRun, streamRun, waitForRun } from "./runs.js";

type StatelessDeps = Pick<
  GatewayDeps,
  "runs" | "threads" | "assistants" | "heartbeatMilliseconds" | "logger"
>;

export const statelessRunRoutes = (deps: StatelessDeps) => {
  const { runs, threads, logger = silentLogger } = deps;
  return new Hono<GatewayVariables>()
    .post("/stream", async (context) => {
      const run = await startRun(deps, context, randomUUID());
      const { principal } = context.var;
      const over = runs.join({ principal, ...run });
      const answer = await streamRun(deps, context, {
        ...run,
        cancelOnDisconnect: run.onDisconnect === "cancel",
      });
      void discard(
        logger,
        over.then(() => threads.remove(principal, run.threadId)),
      );
      return answer;
    })
    .post("/wait", async (context) => {
      const run = await startRun(deps, context, randomUUID());
      const answer = await waitForRun(deps, context, {
        ...run,
        cancelOnDisconnect: run.onDisconnect === "cancel",
      });
      await threads.remove(context.var.principal, run.threadId);
      return answer;
    });
};

/** Nobody waits for this any more, so a failure can only be noted. */
async function discard(logger: Logger, removal: Promise<unknown>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    logger.warn("The thread of a stateless run was not removed.", { reason: reasonOf(error) });
  }
}
