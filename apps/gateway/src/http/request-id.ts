/** Names each request, so that an answer with status 500 can be found in the log. */
import { randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import type { GatewayVariables } from "../deps.js";

export const requestId = (): MiddlewareHandler<GatewayVariables> =>
  async function requestId(context, next) {
    const id = randomUUID();
    context.set("requestId", id);
    await next();
    context.res.headers.set("X-Request-Id", id);
  };
