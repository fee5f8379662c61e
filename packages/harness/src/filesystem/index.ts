/** Public names of this room; nothing is defined here. */
export * from "./contract.js";
export { glob, type GlobQuery, type GlobResult, type SearchStop } from "./glob.js";
export { grep } from "./grep.js";
export type { GrepMatch, GrepQuery, GrepResult } from "./line-search.js";
export { MountedDiskBackend, type MountedDiskOptions } from "./mounted-disk-backend.js";
