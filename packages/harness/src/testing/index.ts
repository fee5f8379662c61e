/** Public names of this room; nothing is defined here. */
export { ScriptedModel, type ScriptedCall, type ScriptedTurn } from "./scripted-model.js";
export { streamBridgeSuite, type StreamBridgeHarness } from "./stream-bridge-suite.js";
export { fileBackendSuite, type OpenedBackend } from "./file-backend-suite.js";
