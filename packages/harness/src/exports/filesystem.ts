/** Public names of `@deerflow/harness/filesystem`: the file tools on their own, for any LangChain agent. */

/** The middleware, and what it is made of for agents that need only a part. */
export { type ApprovalMiddlewareOptions, createApprovalMiddleware } from "../middleware/approval.js";
export { createFilesystemMiddleware, FILESYSTEM_MIDDLEWARE } from "../middleware/filesystem.js";
export { createReadBeforeWriteMiddleware } from "../middleware/read-before-write.js";
export { createFileTools, type FileToolsOptions } from "../tools/file-tools.js";

/** Where files are. */
export { CompositeBackend, type CompositeOptions } from "../filesystem/composite-backend.js";
export { FilesystemBackend, type FilesystemOptions } from "../filesystem/filesystem-backend.js";
export { LocalShellBackend, type LocalShellOptions } from "../filesystem/local-shell-backend.js";
export { MountedDiskBackend, type MountedDiskOptions } from "../filesystem/mounted-disk-backend.js";
export { SandboxBackend, type SandboxBackendOptions } from "../filesystem/sandbox-backend.js";
export { StateBackend, type StateBackendOptions } from "../filesystem/state-backend.js";
export { StoreBackend, type StoreBackendOptions, type StoreNamespace } from "../filesystem/store-backend.js";

/** Archives. */
export {
  type ArchiveLimits,
  DEFAULT_ARCHIVE_LIMITS,
  type ExtractedFile,
  extractArchive,
  type ExtractOptions,
} from "../filesystem/extract-archive.js";

/** Between these backends and those of deepagents. */
export {
  fromSandboxBackendProtocolV2,
  type FromSandboxProtocolOptions,
} from "../filesystem/protocol/from-sandbox-protocol.js";
export type * from "../sandbox/remote/sandbox-protocol.js";
export {
  type OwnSandboxProtocol,
  toSandboxBackendProtocolV2,
  type ToSandboxProtocolOptions,
} from "../filesystem/protocol/to-sandbox-protocol.js";

/** What may be read and changed, and what a person must allow first. */
export { assertEnforceable } from "../filesystem/assert-enforceable.js";
export { guardFiles } from "../filesystem/guarded-backend.js";
export type { DecisionType } from "../middleware/approval-decisions.js";
export type { InterruptOn, ToolApproval } from "../middleware/approval-pauses.js";
export type { ActionRequest, ApprovalRequest, ReviewConfig } from "../middleware/approval-request.js";
export type {
  ApprovalDecision,
  ApprovalResponse,
  DecisionsById,
  EditedAction,
} from "../middleware/approval-response.js";
export type {
  FilesystemPermission,
  PermissionMode,
  PermissionOperation,
} from "../policy/file-permission.js";
export { PermissionRules, type PermissionRulesOptions } from "../policy/permission-rules.js";

/** For backends of your own: the contract, and what one can do beyond it. */
export {
  isByteReadable,
  isHostSearchable,
  isLinkFollowing,
  isStreamWritable,
  shellOf,
} from "../filesystem/capabilities.js";
export type * from "../filesystem/contract.js";
export { filesChannel, type FilesState, type FilesUpdate } from "../filesystem/files-channel.js";
export type { FileData } from "../filesystem/file-data.js";
export { withShell } from "../filesystem/with-shell.js";

/** Where commands run. */
export { BubblewrapProvider, type BubblewrapOptions } from "../sandbox/bubblewrap/bubblewrap-provider.js";
export type * from "../sandbox/contract.js";
export type { CommandLimits } from "../sandbox/limits.js";

/** The options of the middleware, and what they are made of. */
export { DeerflowError, type ErrorCode } from "../base/errors.js";
export { lineLogger, type Logger } from "../base/logger.js";
export type { FilesystemMiddlewareOptions } from "../middleware/filesystem-options.js";
export { type Dialect, DIALECTS } from "../tools/dialects.js";
export { TOOL_KINDS, type ToolKind } from "../tools/face.js";
export type { FileToolLimits, MediaLimits } from "../tools/limits.js";
export type { FrameRequest, FrameSet, VideoFrame, VideoFrames, VideoLimits } from "../tools/video-frames.js";
