import { DEFAULT_MEDIA_LIMITS, type FileToolLimits } from "../limits.js";
import { DEFAULT_VIDEO_LIMITS } from "../video-frames.js";

/** The numbers that DeerFlow's skills and prompts count on. */
export const DEERFLOW_LIMITS: FileToolLimits = {
  maxReadCharacters: 50_000,
  defaultReadLines: Number.MAX_SAFE_INTEGER,
  rowCharacters: 5000,
  // Larger answers are known to be cut off by providers, which would leave half a file.
  maxWriteBytes: 80 * 1024,
  maxListCharacters: 20_000,
  maxSearchCharacters: 100_000,
  defaultGlobResults: 200,
  maxGlobResults: 1000,
  defaultGrepResults: 100,
  maxGrepResults: 500,
  defaultExecuteSeconds: 600,
  maxExecuteSeconds: 600,
  maxExecuteCharacters: 20_000,
  media: DEFAULT_MEDIA_LIMITS,
  video: DEFAULT_VIDEO_LIMITS,
};
