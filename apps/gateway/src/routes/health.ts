/** What works and what does not, for a person and for a supervisor. */
import type { Health } from "@deerflow/protocol";
import { Hono } from "hono";
import type { GatewayDeps, GatewayVariables } from "../deps.js";

export const healthRoutes = ({ health, version }: Pick<GatewayDeps, "health" | "version">) =>
  new Hono<GatewayVariables>().get("/health", async (context) => {
    const parts = await health();
    const body: Health = {
      status: parts.sandbox.available ? "healthy" : "degraded",
      service: "deerflow",
      version,
      ...parts,
    };
    return context.json(body);
  });
