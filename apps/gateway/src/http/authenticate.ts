/** Says who sends a request, before any route sees it. */
import type { MiddlewareHandler } from "hono";
import type { GatewayDeps, GatewayVariables } from "../deps.js";

export const authenticate = ({
  principal,
}: Pick<GatewayDeps, "principal">): MiddlewareHandler<GatewayVariables> =>
  async function authenticate(context, next) {
    context.set("principal", await principal(context.req.raw));
    await next();
  };
