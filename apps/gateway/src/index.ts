/** Public names of this package; nothing is defined here. */
export type { DatabaseStatus } from "@deerflow/protocol";
export { createApp } from "./app.js";
export {
  type AccessRules,
  type AssistantDescription,
  type DatabaseAdministration,
  DEFAULT_UPLOAD_LIMITS,
  type GatewayDeps,
  LEAD_ASSISTANT,
  type UploadLimits,
} from "./deps.js";
export { type GatewayAddress, type RunningGateway, startGateway } from "./serve.js";
export { gatewayDeps, serveHost, type ServeHostOptions } from "./serve-host.js";
