/** Public names of this room; nothing is defined here. */
export { ScriptedModel, type ScriptedCall, type ScriptedTurn } from "./scripted-model.js";
export { streamBridgeSuite, type StreamBridgeHarness } from "./stream-bridge-suite.js";
export { openSandbox, type FreshSandbox } from "./open-sandbox.js";
export { baseStoreSuite, type BaseStoreSuiteOptions, type OpenedStore } from "./base-store-suite.js";
export { runEventStoreSuite } from "./run-event-store-suite.js";
export { runStoreSuite } from "./run-store-suite.js";
export { sandboxSuite, type OpenSandbox } from "./sandbox-suite.js";
export { threadStoreSuite } from "./thread-store-suite.js";
export { fileBackendSuite, type OpenedBackend } from "./file-backend-suite.js";
export { sandboxProtocolSuite } from "./sandbox-protocol/index.js";
export type { ProtocolSuiteOptions } from "./sandbox-protocol/protocol-world.js";
