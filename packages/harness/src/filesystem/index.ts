/** Public names of this room; nothing is defined here. */
export { CompositeBackend, type CompositeOptions } from "./composite-backend.js";
export type { CompositeRoute } from "./composite-routes.js";
export * from "./contract.js";
export type { FileData } from "./file-data.js";
export { filesChannel, type FilesState, type FilesUpdate } from "./files-channel.js";
export { FilesystemBackend, type FilesystemOptions } from "./filesystem-backend.js";
export { glob, type GlobQuery, type GlobResult, type SearchStop } from "./glob.js";
export { grep } from "./grep.js";
export type { GrepMatch, GrepQuery, GrepResult } from "./line-search.js";
export { LocalShellBackend, type LocalShellOptions } from "./local-shell-backend.js";
export { MountedDiskBackend, type MountedDiskOptions } from "./mounted-disk-backend.js";
export {
  fromSandboxBackendProtocolV2,
  type FromSandboxProtocolOptions,
} from "./protocol/from-sandbox-protocol.js";
export type * from "./protocol/sandbox-protocol.js";
export {
  type OwnSandboxProtocol,
  toSandboxBackendProtocolV2,
  type ToSandboxProtocolOptions,
} from "./protocol/to-sandbox-protocol.js";
export { SandboxBackend, type SandboxBackendOptions } from "./sandbox-backend.js";
export { StateBackend, type StateBackendOptions } from "./state-backend.js";
export { StoreBackend, type StoreBackendOptions, type StoreNamespace } from "./store-backend.js";
export { withShell } from "./with-shell.js";
