/** The gateway as a function from request to answer. Opens no socket. */
import { silentLogger } from "@deerflow/harness";
import { Hono } from "hono";
import type { GatewayDeps, GatewayVariables } from "./deps.js";
import { authenticate } from "./http/authenticate.js";
import { limitBody } from "./http/body.js";
import { browserGuard } from "./http/browser-guard.js";
import { crossOrigin } from "./http/cross-origin.js";
import { onError, onNotFound } from "./http/errors.js";
import { requestId } from "./http/request-id.js";
import { administrationRoutes } from "./routes/administration.js";
import { artifactRoutes } from "./routes/artifacts.js";
import { assistantRoutes } from "./routes/assistants.js";
import { healthRoutes } from "./routes/health.js";
import { infoRoutes } from "./routes/info.js";
import { mediaRoutes } from "./routes/media.js";
import { messageRoutes } from "./routes/messages.js";
import { modelRoutes } from "./routes/models.js";
import { pageRoutes } from "./routes/pages.js";
import { runRoutes } from "./routes/runs.js";
import { statelessRunRoutes } from "./routes/stateless-runs.js";
import { threadStateRoutes } from "./routes/thread-state.js";
import { threadRoutes } from "./routes/threads.js";
import { uploadRoutes } from "./routes/uploads.js";
import { usageRoutes } from "./routes/usage.js";

/** @example createApp(deps).request("/api/info") */
export function createApp(deps: GatewayDeps): Hono<GatewayVariables> {
  const access = deps.access ?? {};
  const app = new Hono<GatewayVariables>();
  app.onError(onError(deps.logger ?? silentLogger));
  app.notFound(onNotFound);
  app.use(requestId());
  app.use("/api/*", crossOrigin(access));
  app.use(browserGuard(access));
  app.use("/api/*", authenticate(deps));
  const api = apiRoutes(deps);
  app.route("/api/langgraph", api);
  app.route("/api", api);
  app.route("/", healthRoutes(deps));
  if (deps.webRoot !== undefined) app.route("/", pageRoutes(deps.webRoot));
  return app;
}

/** The same routes under both prefixes: LangGraph's clients use one, DeerFlow's pages the other. */
function apiRoutes(deps: GatewayDeps): Hono<GatewayVariables> {
  const api = new Hono<GatewayVariables>();
  // Uploads have a limit of their own, so they come before the one for JSON.
  api.route("/threads", uploadRoutes(deps));
  api.use(limitBody());
  api.route("/", infoRoutes(deps));
  api.route("/", healthRoutes(deps));
  api.route("/", modelRoutes(deps));
  api.route("/assistants", assistantRoutes(deps));
  api.route("/threads", threadRoutes(deps));
  api.route("/threads", threadStateRoutes(deps));
  api.route("/threads", runRoutes(deps));
  api.route("/threads", messageRoutes(deps));
  api.route("/threads", artifactRoutes(deps));
  api.route("/threads", mediaRoutes(deps));
  if (deps.quota !== undefined) api.route("/threads", usageRoutes({ ...deps, quota: deps.quota }));
  api.route("/runs", statelessRunRoutes(deps));
  api.route("/admin", administrationRoutes(deps));
  return api;
}
