import { DEFAULT_MEDIA_LIMITS, type FileToolLimits } from "../limits.js";
import { DEFAULT_VIDEO_LIMITS } from "../video-frames.js";

/** The numbers of deepagents, as far as it has them. */
export const DEEPAGENTS_LIMITS: FileToolLimits = {
  // Below the size at which an answer is put aside as a file, or reading that file would make another.
  maxReadCharacters: 50_000,
  defaultReadLines: 100,
  rowCharacters: 5000,
  maxWriteBytes: 0,
  maxListCharacters: 80_000,
  maxSearchCharacters: 80_000,
  defaultGlobResults: 10_000,
  maxGlobResults: 10_000,
  defaultGrepResults: 1000,
  maxGrepResults: 100_000,
  defaultExecuteSeconds: 120,
  maxExecuteSeconds: 3600,
  maxExecuteCharacters: 100_000,
  media: DEFAULT_MEDIA_LIMITS,
  video: DEFAULT_VIDEO_LIMITS,
};
