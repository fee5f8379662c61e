/** The numbers of the file tools. Each dialect has its own defaults; all can be set. */
import type { VideoLimits } from "./video-frames.js";

export interface FileToolLimits {
  /** The most of a file that one answer shows, in characters, notices included. */
  readonly maxReadCharacters: number;
  /** How many lines a read shows that names no number. */
  readonly defaultReadLines: number;
  /** A longer line is shown in rows of so many characters, where the dialect has rows. */
  readonly rowCharacters: number;
  /** The most that one write without `append` may take, in bytes; 0 for no limit. */
  readonly maxWriteBytes: number;
  /** The most of a listing that one answer shows, in characters. */
  readonly maxListCharacters: number;
  /** The most of a search's finds that one answer shows, in characters. */
  readonly maxSearchCharacters: number;
  readonly defaultGlobResults: number;
  readonly maxGlobResults: number;
  readonly defaultGrepResults: number;
  readonly maxGrepResults: number;
  /** The time limit of a command that names none, in seconds; undefined for the shell's own. */
  readonly defaultExecuteSeconds: number | undefined;
  /** The longest time limit that a call may ask for, in seconds. */
  readonly maxExecuteSeconds: number;
  /** More output than this is cut in the middle, in characters. */
  readonly maxExecuteCharacters: number;
  readonly media: MediaLimits;
  readonly video: VideoLimits;
}

export interface MediaLimits {
  /** Bytes. */
  readonly maxImageBytes: number;
  /** Pixels of the longer side. */
  readonly maxImageSide: number;
  /** Bytes. */
  readonly maxAudioBytes: number;
  /** Bytes. */
  readonly maxDocumentBytes: number;
  /** Bytes. */
  readonly maxVideoBytes: number;
}

export const DEFAULT_MEDIA_LIMITS: MediaLimits = {
  maxImageBytes: 5 * 1024 * 1024,
  maxImageSide: 8000,
  maxAudioBytes: 10 * 1024 * 1024,
  maxDocumentBytes: 10 * 1024 * 1024,
  maxVideoBytes: 1024 * 1024 * 1024,
};
