/** Reading a file of any size from the disk, piece by piece. */
import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";
import type { FileContent, Version } from "./contract.js";
import { diskError, isAbsence } from "./disk-error.js";
import type { HeldDirectory } from "./held-directory.js";

/** Small enough that what is made of a piece is young garbage, which goes at once. */
const MAX_PIECE_BYTES = 64 * 1024;

/** An open file's content in order. Closes the file at its end, at a failure, and when its reader stops early. */
export class FilePieces implements AsyncIterableIterator<Uint8Array> {
  /** Bytes, when it was opened. */
  readonly size: number;
  readonly #handle: FileHandle;
  readonly #path: string;
  #isClosed = false;

  /** @param path virtual, for messages */
  constructor(handle: FileHandle, size: number, path: string) {
    this.#handle = handle;
    this.size = size;
    this.#path = path;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#isClosed) return { done: true, value: undefined };
    try {
      // One byte more than a small file has, so that one read says it all.
      const piece = Buffer.alloc(Math.min(this.size + 1, MAX_PIECE_BYTES));
      const { bytesRead } = await this.#handle.read(piece, 0, piece.length, null);
      if (bytesRead > 0) return { done: false, value: piece.subarray(0, bytesRead) };
    } catch (error) {
      await this.return();
      throw diskError(error, this.#path);
    }
    return this.return();
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      await this.#handle.close();
    }
    return { done: true, value: undefined };
  }
}

/**
 * Opens the child `name`; undefined when it is a folder. A link in its place is refused.
 * @throws DeerflowError `path_denied` for what is no regular file; the system's error when nothing is there
 */
export async function openPieces(
  folder: HeldDirectory,
  name: string,
  path: string,
): Promise<FilePieces | undefined> {
  // Non-blocking, or opening a named pipe would wait for its writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(folder.at(name), flags);
  try {
    const stats = await handle.stat();
    if (stats.isFile()) return new FilePieces(handle, stats.size, path);
    if (!stats.isDirectory()) assertRegular(stats, path);
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

/**
 * All of it in memory.
 * @throws DeerflowError `file_too_large` above `limit` bytes, also where the file says that it is smaller
 */
export async function readWhole(pieces: FilePieces, path: string, limit: number): Promise<FileContent> {
  const hash = createHash("sha256");
  const parts: Uint8Array[] = [];
  let size = pieces.size;
  try {
    if (size > limit) throw new DeerflowError("file_too_large", { path: shownPath(path), size, limit });
    size = 0;
    for await (const piece of pieces) {
      size += piece.length;
      if (size > limit) throw new DeerflowError("file_too_large", { path: shownPath(path), size, limit });
      hash.update(piece);
      parts.push(piece);
    }
  } finally {
    await pieces.return();
  }
  const [first = Buffer.alloc(0)] = parts;
  return { bytes: parts.length > 1 ? Buffer.concat(parts) : first, version: hash.digest("hex") };
}

/** The version of the file at `name`, whatever its size; `null` when no file is there. */
export async function versionAt(folder: HeldDirectory, name: string, path: string): Promise<Version | null> {
  try {
    const pieces = await openPieces(folder, name, path);
    if (pieces === undefined) return null;
    const hash = createHash("sha256");
    for await (const piece of pieces) hash.update(piece);
    return hash.digest("hex");
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}

/** @throws DeerflowError `path_denied` */
export function assertRegular(stats: Stats, path: string): void {
  if (stats.isFile()) return;
  const reason = stats.isSymbolicLink() ? "a link stands in the way" : "it is not a regular file";
  throw new DeerflowError("path_denied", { path: shownPath(path), reason });
}
