/** The web workspace: built files, and its first page for every address that is a page of it. */
import { join } from "node:path";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono, type MiddlewareHandler } from "hono";
import type { GatewayVariables } from "../deps.js";

/** Pictures come from the thread's own files only: one from elsewhere could carry what the model knows away. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self' blob:",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const pageHeaders: MiddlewareHandler<GatewayVariables> = async function pageHeaders(context, next) {
  await next();
  const { headers } = context.res;
  headers.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  // Built files carry a hash of their content in their name; pages must be asked for anew.
  headers.set(
    "Cache-Control",
    context.req.path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
  );
};

export function pageRoutes(webRoot: string) {
  const firstPage = serveStatic<GatewayVariables>({ path: join(webRoot, "index.html") });
  return new Hono<GatewayVariables>()
    .use(pageHeaders)
    .get("*", serveStatic({ root: webRoot }))
    .get("*", async (context, next) => {
      const wantsPage = context.req.header("accept")?.includes("text/html") === true;
      const isPage = wantsPage && !context.req.path.startsWith("/api/");
      return isPage ? firstPage(context, next) : next();
    });
}
