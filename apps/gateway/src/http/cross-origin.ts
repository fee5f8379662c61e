/** Lets the pages of allowed origins call the server and read the headers that the LangGraph SDK needs. */
import { cors } from "hono/cors";
import type { AccessRules } from "../deps.js";
import { isAllowedOrigin } from "./browser-guard.js";

/** Without Content-Location a browser's client never learns the run's id: no stop, no rejoin. */
const EXPOSED = [
  "Content-Location",
  "Location",
  "X-Pagination-Total",
  "X-Pagination-Next",
  "X-Request-Id",
  "Content-Range",
  "ETag",
];

export const crossOrigin = (rules: AccessRules) =>
  cors({
    origin: (origin, context) => {
      const host = context.req.header("host") ?? new URL(context.req.url).host;
      return isAllowedOrigin(origin, host, rules) ? origin : null;
    },
    allowMethods: ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"],
    exposeHeaders: EXPOSED,
    maxAge: 600,
  });
