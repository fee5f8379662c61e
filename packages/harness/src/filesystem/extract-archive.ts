/** Unpacking a zip, tar or tar.gz into a folder of files. The archive is hostile until it has been gone through. */
import { DeerflowError } from "../base/errors.js";
import { KeyedLock } from "../base/keyed-lock.js";
import { Turn } from "../base/turn.js";
import { childOf, parseVirtualPath, shownPath } from "../base/virtual-path.js";
import { archiveEntries } from "./archive/archive-entries.js";
import { archiveRefused, archiveTooLarge } from "./archive/archive-error.js";
import { ArchiveTally } from "./archive/archive-tally.js";
import { type ArchiveLimits, DEFAULT_ARCHIVE_LIMITS } from "./archive/contract.js";
import { isStreamWritable } from "./capabilities.js";
import type { FileBackend } from "./contract.js";

export { type ArchiveLimits, DEFAULT_ARCHIVE_LIMITS } from "./archive/contract.js";

export interface ExtractOptions {
  /** Where the files go. Nothing may be there yet. */
  readonly folder: string;
  /** In place of {@link DEFAULT_ARCHIVE_LIMITS}. */
  readonly limits?: Partial<ArchiveLimits>;
  readonly signal?: AbortSignal;
}

export interface ExtractedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** Of two that want the same folder, the second finds it taken. */
const FOLDERS = new KeyedLock();

/**
 * Unpacks an archive. It is gone through twice: first all of it is unpacked, judged and counted, and only when nothing
 * speaks against any entry it is written, by the backend's own verbs. Links, devices and other special entries, names
 * that lead elsewhere, entries that occur twice, encrypted and damaged ones speak against the whole archive. Sizes are
 * counted, never believed. Modes, owners and times are not kept, and folders without a file in them are not made.
 *
 * @param archive its bytes, which must not change meanwhile, or a stream of them
 * @returns the files, in the order of the archive
 * @throws DeerflowError `archive_invalid`, `archive_too_large`, `archive_folder_taken`; what the backend throws, and
 * the signal's reason. Nothing of the archive is kept then
 * @example await extractArchive(files, bytes, { folder: "/mnt/user-data/uploads/notes" })
 */
export async function extractArchive(
  files: FileBackend,
  archive: Uint8Array | AsyncIterable<Uint8Array>,
  options: ExtractOptions,
): Promise<readonly ExtractedFile[]> {
  const limits = { ...DEFAULT_ARCHIVE_LIMITS, ...options.limits };
  const folder = parseVirtualPath(options.folder);
  const bytes = await gathered(archive, limits.maxArchiveBytes);
  const trip = { bytes, limits, folder, foldsCase: files.foldsCase ?? false, signal: options.signal };
  const found = await goThrough(trip, measured);
  if (found.length === 0) throw archiveRefused("it holds no files");
  return FOLDERS.hold(`${files.id}\n${folder}`, async () => {
    if ((await files.stat(folder)) !== undefined) {
      throw new DeerflowError("archive_folder_taken", { path: shownPath(folder) });
    }
    try {
      return await goThrough(trip, (path, content) => stored(files, path, content));
    } catch (error) {
      // What cannot be removed either is told of by what went wrong first.
      await files.remove(folder).catch(() => false);
      throw error;
    }
  });
}

async function gathered(archive: Uint8Array | AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of archive instanceof Uint8Array ? [archive] : archive) {
    size += piece.length;
    if (size > limit) throw archiveTooLarge(`it has more than ${limit} bytes`);
    pieces.push(piece);
  }
  const [only] = pieces;
  return only !== undefined && pieces.length === 1
    ? Buffer.from(only.buffer, only.byteOffset, only.byteLength)
    : Buffer.concat(pieces);
}

interface Trip {
  readonly bytes: Buffer;
  readonly limits: ArchiveLimits;
  readonly folder: string;
  readonly foldsCase: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Does something with a content. @returns its size */
type Take = (path: string, content: AsyncIterable<Uint8Array>) => Promise<number>;

/** Judges and counts everything, and hands each file over. */
async function goThrough(trip: Trip, take: Take): Promise<readonly ExtractedFile[]> {
  const { bytes, limits, folder, foldsCase, signal } = trip;
  const tally = new ArchiveTally({ limits, archiveSize: bytes.length, foldsCase });
  const files: ExtractedFile[] = [];
  const turn = new Turn();
  for await (const entry of archiveEntries(bytes, limits)) {
    if (turn.isOver) await turn.next();
    signal?.throwIfAborted();
    const segments = tally.enter(entry);
    if (entry.kind === "folder") continue;
    const path = parseVirtualPath(segments.reduce(childOf, folder));
    files.push({ path, size: await take(path, tally.counted(shownPath(entry.name), entry.content())) });
  }
  return files;
}

const measured: Take = async (_, content) => {
  let size = 0;
  for await (const piece of content) size += piece.length;
  return size;
};

async function stored(files: FileBackend, path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
  const isNew = { expectedVersion: null };
  const writing = isStreamWritable(files) ? await files.openWrite(path, isNew) : undefined;
  if (writing === undefined) {
    const bytes = await gathered(content, Number.POSITIVE_INFINITY);
    await files.write(path, bytes, isNew);
    return bytes.length;
  }
  try {
    let size = 0;
    for await (const piece of content) {
      await writing.write(piece);
      size += piece.length;
    }
    await writing.commit();
    return size;
  } catch (error) {
    await writing.abort();
    throw error;
  }
}
