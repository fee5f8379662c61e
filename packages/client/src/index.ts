/** Public names of this package; nothing is defined here. */
export { systemClock, type Clock } from "./clock.js";
export {
  RETRY_PAUSES_MS,
  SILENCE_LIMIT_MS,
  streamFrames,
  type FrameSource,
  type StreamFrame,
  type StreamOptions,
} from "./event-source.js";
export { GatewayError, sentenceFor, type GatewayErrorKind } from "./gateway-error.js";
export { GatewayClient, type GatewayOptions } from "./http.js";
export { listOf, numberOf, recordOf, textOf, type JsonRecord } from "./json.js";
export type { LiveOutput } from "./live-output.js";
export { newId } from "./new-id.js";
export { ThreadObserver, type ObserverOptions, type Outgoing } from "./thread-observer.js";
export {
  emptyThreadView,
  isBusy,
  threadView,
  type RunPhase,
  type ThreadAction,
  type ThreadView,
  type Todo,
} from "./thread-view.js";
export type { ToolCallState, ToolCallView } from "./tool-call-view.js";
export { uploadFile, type UploadOptions } from "./upload.js";
export type {
  AttachedFile,
  RequestedCall,
  ShownImage,
  ToolResult,
  ViewMessage,
  ViewRole,
} from "./view-message.js";
