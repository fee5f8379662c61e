/** Whether the server is there, and what it is. */
import { Hono } from "hono";
import type { GatewayDeps, GatewayVariables } from "../deps.js";

export const infoRoutes = ({ version }: Pick<GatewayDeps, "version">) =>
  new Hono<GatewayVariables>()
    .get("/ok", (context) => context.json({ ok: true }))
    .get("/info", (context) =>
      context.json({ version, flags: { assistants: true, crons: false, langsmith: false }, metadata: {} }),
    );
