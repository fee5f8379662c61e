/** Runs of a thread: start, watch, wait for, stop. */
import { parseRunRequest, silentLogger } from "@deerflow/harness";
import type { RunRecord } from "@deerflow/harness/persistence";
import { cancelQuery } from "@deerflow/protocol";
import { type Context, Hono } from "hono";
import type { GatewayDeps, GatewayVariables } from "../deps.js";
import { count, flag, readJson } from "../http/body.js";
import { eventStream } from "../sse/event-stream.js";
import { runLocations, toWireRun } from "../wire/run.js";
import { requireAssistant } from "./assistants.js";
import { requireModel } from "./models.js";

type RequestContext = Context<GatewayVariables>;
export type RunRouteDeps = Pick<
  GatewayDeps,
  "runs" | "threads" | "models" | "assistants" | "heartbeatMilliseconds" | "logger"
>;

/** Starts the run that the body asks for. Whatever is wrong with it is said before a run exists. */
export async function startRun(
  deps: RunRouteDeps,
  context: RequestContext,
  threadId: string,
): Promise<RunRecord> {
  const request = parseRunRequest(await readJson(context), deps.runs.limits);
  requireAssistant(deps, request.assistantId);
  await requireModel(deps, request.context["model_name"]);
  return deps.runs.start(context.var.principal, threadId, request);
}

const jobOf = (context: RequestContext, run: Pick<RunRecord, "threadId" | "runId">) => ({
  principal: context.var.principal,
  threadId: run.threadId,
  runId: run.runId,
});

/** Sends a run's frames; stops the run when the client goes away, if that is asked for. */
export function streamRun(
  deps: RunRouteDeps,
  context: RequestContext,
  run: { threadId: string; runId: string; after?: string; cancelOnDisconnect: boolean },
): Promise<Response> {
  const job = jobOf(context, run);
  return eventStream({
    open: (signal) =>
      deps.runs.stream(job, { signal, ...(run.after === undefined ? {} : { after: run.after }) }),
    heartbeatMilliseconds: deps.heartbeatMilliseconds ?? 10_000,
    headers: runLocations(run),
    logger: deps.logger ?? silentLogger,
    ...(run.cancelOnDisconnect ? { onDisconnect: () => deps.runs.cancel(job) } : {}),
  });
}

/** Waits for a run and gives what it has come to. */
export async function waitForRun(
  deps: RunRouteDeps,
  context: RequestContext,
  run: { threadId: string; runId: string; cancelOnDisconnect: boolean },
): Promise<Response> {
  const job = jobOf(context, run);
  const { signal } = context.req.raw;
  const ended = await deps.runs.join(job, signal);
  if (signal.aborted && run.cancelOnDisconnect) await deps.runs.cancel(job);
  return context.json(await deps.threads.result(job.principal, ended), 200, runLocations(run));
}

export const runRoutes = (deps: RunRouteDeps) =>
  new Hono<GatewayVariables>()
    .post("/:thread_id/runs", async (context) => {
      const run = await startRun(deps, context, context.req.param("thread_id"));
      return context.json(toWireRun(run), 200, runLocations(run));
    })
    .post("/:thread_id/runs/stream", async (context) => {
      const run = await startRun(deps, context, context.req.param("thread_id"));
      return streamRun(deps, context, { ...run, cancelOnDisconnect: run.onDisconnect === "cancel" });
    })
    .post("/:thread_id/runs/wait", async (context) => {
      const run = await startRun(deps, context, context.req.param("thread_id"));
      return waitForRun(deps, context, { ...run, cancelOnDisconnect: run.onDisconnect === "cancel" });
    })
    .get("/:thread_id/runs", async (context) => {
      const id = context.req.param("thread_id");
      await deps.threads.find(context.var.principal, id);
      const limit = count(context.req.query("limit"), { fallback: 10, minimum: 1, maximum: 1000 });
      const offset = count(context.req.query("offset"), { fallback: 0, minimum: 0, maximum: 1_000_000 });
      const runs = await deps.runs.list(context.var.principal, id, { limit, offset });
      return context.json(runs.map(toWireRun));
    })
    .get("/:thread_id/runs/:run_id", async (context) => {
      const { thread_id, run_id } = context.req.param();
      return context.json(toWireRun(await deps.runs.find(context.var.principal, thread_id, run_id)));
    })
    .get("/:thread_id/runs/:run_id/join", async (context) => {
      const { thread_id: threadId, run_id: runId } = context.req.param();
      const cancelOnDisconnect = flag(context.req.query("cancel_on_disconnect"));
      return waitForRun(deps, context, { threadId, runId, cancelOnDisconnect });
    })
    .get("/:thread_id/runs/:run_id/stream", async (context) => {
      const { thread_id: threadId, run_id: runId } = context.req.param();
      const after = context.req.header("last-event-id");
      const cancelOnDisconnect = flag(context.req.query("cancel_on_disconnect"));
      const cursor = after === undefined ? {} : { after };
      return streamRun(deps, context, { threadId, runId, cancelOnDisconnect, ...cursor });
    })
    .post("/:thread_id/runs/:run_id/cancel", async (context) => {
      const { thread_id: threadId, run_id: runId } = context.req.param();
      const { action, wait } = cancelQuery.parse(context.req.query());
      await deps.runs.cancel(jobOf(context, { threadId, runId }), { action, wait: flag(wait) });
      return context.body(null, 204);
    });
