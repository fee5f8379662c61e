/** The state of a thread and how it came about. */
import { checkpointReference, historyRequest, stateUpdate } from "@deerflow/protocol";
import { Hono } from "hono";
import { z } from "zod";
import type { GatewayDeps, GatewayVariables } from "../deps.js";
import { flag, readBody } from "../http/body.js";

const stateAt = z.object({ checkpoint: checkpointReference.nullish(), subgraphs: z.boolean().nullish() });
const historyQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(10),
  before: z.string().optional(),
});

/** A checkpoint's id out of the forms in which clients name one. */
export function checkpointIdOf(reference: unknown): string | undefined {
  if (typeof reference === "string") return reference === "" ? undefined : reference;
  if (typeof reference !== "object" || reference === null) return undefined;
  if ("checkpoint_id" in reference) return checkpointIdOf(reference.checkpoint_id);
  return "configurable" in reference ? checkpointIdOf(reference.configurable) : undefined;
}

export const threadStateRoutes = ({ threads }: Pick<GatewayDeps, "threads">) =>
  new Hono<GatewayVariables>()
    .get("/:thread_id/state", async (context) => {
      const subgraphs = flag(context.req.query("subgraphs"));
      return context.json(
        await threads.state(context.var.principal, context.req.param("thread_id"), { subgraphs }),
      );
    })
    .post("/:thread_id/state/checkpoint", async (context) => {
      const body = await readBody(context, stateAt);
      const state = await threads.state(context.var.principal, context.req.param("thread_id"), {
        checkpointId: checkpointIdOf(body.checkpoint),
        subgraphs: body.subgraphs ?? false,
      });
      return context.json(state);
    })
    .get("/:thread_id/state/:checkpoint_id", async (context) => {
      const { thread_id, checkpoint_id } = context.req.param();
      const subgraphs = flag(context.req.query("subgraphs"));
      const at = { checkpointId: checkpoint_id, subgraphs };
      return context.json(await threads.state(context.var.principal, thread_id, at));
    })
    .post("/:thread_id/state", async (context) => {
      const body = await readBody(context, stateUpdate);
      const checkpoint = await threads.updateState(context.var.principal, context.req.param("thread_id"), {
        values: body.values ?? null,
        asNode: body.as_node ?? undefined,
        checkpointId: checkpointIdOf(body.checkpoint ?? body.checkpoint_id),
      });
      return context.json({ checkpoint, configurable: checkpoint });
    })
    .post("/:thread_id/history", async (context) => {
      const body = await readBody(context, historyRequest);
      const history = await threads.history(context.var.principal, context.req.param("thread_id"), {
        limit: body.limit,
        before: checkpointIdOf(body.before),
        metadata: body.metadata ?? undefined,
        checkpointNs: body.checkpoint?.checkpoint_ns ?? undefined,
      });
      return context.json(history);
    })
    .get("/:thread_id/history", async (context) => {
      const { limit, before } = historyQuery.parse(context.req.query());
      const query = { limit, before };
      return context.json(
        await threads.history(context.var.principal, context.req.param("thread_id"), query),
      );
    });
