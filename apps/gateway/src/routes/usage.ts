/** What a thread keeps, and what it and its user may keep. */
import type { ThreadUsage } from "@deerflow/protocol";
import { Hono } from "hono";
import type { GatewayDeps, GatewayVariables } from "../deps.js";

/** Zero stands for no limit in the configuration only. */
const limitOf = (bytes: number): number | null => (bytes === 0 ? null : bytes);

export const usageRoutes = ({
  threads,
  quota,
}: Pick<GatewayDeps, "threads"> & Required<Pick<GatewayDeps, "quota">>) =>
  new Hono<GatewayVariables>().get("/:thread_id/usage", async (context) => {
    const { principal } = context.var;
    const threadId = context.req.param("thread_id");
    await threads.find(principal, threadId);
    const { isWhole, ...bytes } = await quota.usage(principal, threadId);
    const { threadBytes, userBytes } = quota.limits;
    const body: ThreadUsage = {
      thread: { ...bytes, complete: isWhole, limit: limitOf(threadBytes) },
      // Counting a user's threads takes long where there are many, so it is done only where it matters.
      user: userBytes === 0 ? null : { total: await quota.userBytes(principal), limit: userBytes },
    };
    return context.json(body);
  });
