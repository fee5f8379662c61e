/** Public names of this room; nothing is defined here. */
export { DeerflowError, type ErrorCode } from "./base/errors.js";
export { LOCAL_PRINCIPAL, type Principal } from "./context/principal.js";
export { ConfigSource } from "./config/config-source.js";
export { withConfig } from "./config/config-scope.js";
export { exampleConfig } from "./config/example-config.js";
export { loadConfig, type ConfigPlace, type LoadedConfig } from "./config/load-config.js";
export { parseConfig, type ParsedConfig } from "./config/parse-config.js";
export { redactConfig } from "./config/redact-config.js";
export { RESTART_REQUIRED, restartNeeded } from "./config/restart-required.js";
export { type DeerflowConfig } from "./config/schema.js";
export { addedMounts } from "./agent/added-mounts.js";
export { LEAD_AGENT, makeLeadAgent, threadFiles } from "./agent/lead-agent.js";
export { createDeerflowAgent, type DeerflowAgentOptions } from "./agent/create-deerflow-agent.js";
export { reasonOf } from "./base/errors.js";
export { resolveHome, threadDirectories, threadHome } from "./context/home-paths.js";
export { DEMO_MODEL_NAME } from "./models/demo/demo-chat-model.js";
export { assertProvidersKnown, resolveModels } from "./models/registry.js";
export { type Host, type HostOptions, openHost } from "./runtime/host.js";
export { type DatabaseFinding, inspectDatabases } from "./runtime/inspect-database.js";
export { type OpenCheckpoints, openCheckpoints } from "./runtime/open-checkpoints.js";
export {
  type DatabaseFolders,
  databaseFolders,
  databaseLocations,
  keepsThreads,
} from "./runtime/database-location.js";
export type { InstalledDatabases } from "./runtime/database-switch/contract.js";
export { configLine } from "./runtime/database-switch/start-plan.js";
export { type OfflineSwitch, switchOffline } from "./runtime/database-switch/switch-offline.js";
export { readSwitchTarget } from "./runtime/database-switch/switch-target.js";
export { findDatabaseServer } from "./runtime/database-switch/find-server.js";
export { checkSandboxConfig } from "./runtime/check-sandbox-config.js";
export { probeSandbox } from "./runtime/sandbox-choice.js";
export type { SandboxHealth } from "./sandbox/contract.js";
export type { Persistence, RunRecord, ThreadRecord } from "./persistence/contract.js";
export {
  type AgentFactory,
  type AgentGraph,
  type AgentRequest,
  type PreparedAgent,
} from "./agent/contract.js";
export { type JsonObject, type JsonValue } from "./base/json.js";
export { lineLogger, type Logger, silentLogger } from "./base/logger.js";
export { assertThreadId, VIRTUAL_OUTPUTS, VIRTUAL_UPLOADS, VIRTUAL_USER_DATA } from "./context/home-paths.js";
export {
  type ChatModelOptions,
  type ModelCatalogue,
  type ModelInfo,
  type ModelSource,
} from "./models/contract.js";
export { type StreamBridge, type StreamFrame } from "./runtime/bridge/contract.js";
export { MemoryStreamBridge } from "./runtime/bridge/memory-stream-bridge.js";
export {
  type QuotaLimits,
  type QuotaNumbers,
  quotaExceeded,
  StorageQuota,
  type StorageQuotaOptions,
} from "./runtime/quota/storage-quota.js";
export type { ThreadUsage } from "./runtime/quota/thread-usage.js";
export { type CancelOptions, RunManager, type RunManagerOptions } from "./runtime/run-manager.js";
export { type RunJob, type RunQueue } from "./runtime/run-queue/contract.js";
export { InProcessRunQueue } from "./runtime/run-queue/in-process-run-queue.js";
export {
  DEFAULT_RUN_LIMITS,
  parseRunRequest,
  type RunLimits,
  type RunRequest,
} from "./runtime/run-request.js";
export { STREAM_MODES, type StreamMode } from "./runtime/stream-modes.js";
export { ThreadService, type ThreadServiceOptions } from "./runtime/thread-service.js";
