/** What an archive holds, before anything of it is believed. */
export interface ArchiveEntry {
  /** As the archive spells it. */
  readonly name: string;
  readonly kind: "file" | "folder";
  /** What speaks against the whole archive, to follow the name in a sentence; told before any content is unpacked. */
  readonly fault?: string;
  /**
   * Unpacked, piece by piece. Once, and before the next entry is asked for.
   * @throws DeerflowError `archive_invalid` where it is not what the archive says of it
   */
  content(): AsyncIterable<Uint8Array>;
}

export interface ArchiveLimits {
  /** Bytes of the archive itself. */
  readonly maxArchiveBytes: number;
  /** Files and folders together, also those folders that only lie on the way to a file. */
  readonly maxEntries: number;
  /** Bytes of one unpacked file. */
  readonly maxFileBytes: number;
  /** Bytes of all unpacked files. */
  readonly maxTotalBytes: number;
  /** How many times larger than the archive its files may be together, from {@link RATIO_FLOOR_BYTES} on. */
  readonly maxRatio: number;
}

const MEBIBYTE = 1024 * 1024;

export const DEFAULT_ARCHIVE_LIMITS: ArchiveLimits = {
  maxArchiveBytes: 100 * MEBIBYTE,
  maxEntries: 10_000,
  maxFileBytes: 100 * MEBIBYTE,
  maxTotalBytes: 500 * MEBIBYTE,
  maxRatio: 200,
};

/** A short text may well be pressed to a hundredth; only what is large as well is a trap. */
export const RATIO_FLOOR_BYTES = 10 * MEBIBYTE;
