/** Removing a file, or a folder with all that is in it. */
import { DeerflowError } from "../base/errors.js";
import { parentOf, shownPath } from "../base/virtual-path.js";
import type { FileBackend, FileEntry } from "../filesystem/contract.js";
import { emptyNotes, walk } from "../filesystem/walk.js";
import type { Perform } from "./face.js";

export interface DeleteRequest {
  readonly path: string;
}

export interface DeleteResult {
  /** Undefined where it could not be looked at. */
  readonly kind: FileEntry["kind"] | "link" | undefined;
  /** How many files and folders were in a folder; undefined where counting them would take long. */
  readonly entries: number | undefined;
}

const MOST_COUNTED = 1000;

/** @throws DeerflowError `path_not_found`, `path_denied`, `path_forbidden`, `removal_unsupported` */
export const deleteFile: Perform<DeleteRequest, DeleteResult> = async ({ path }, { files, signal }) => {
  if (path === "/") {
    throw new DeerflowError("path_denied", { path, reason: "the root of all files stays" });
  }
  const found = await describeEntry(files, path, signal ?? new AbortController().signal);
  signal?.throwIfAborted();
  if (!(await files.remove(path))) throw new DeerflowError("path_not_found", { path: shownPath(path) });
  return found;
};

async function describeEntry(files: FileBackend, path: string, signal: AbortSignal): Promise<DeleteResult> {
  try {
    if (await isLink(files, path)) return { kind: "link", entries: undefined };
    const entry = await files.stat(path);
    if (entry?.kind !== "directory") return { kind: entry?.kind, entries: undefined };
    return { kind: "directory", entries: await countBelow(files, path, signal) };
  } catch (error) {
    // Only for the words of the answer: what may not be looked at may still be removed.
    if (DeerflowError.is(error) && error.retry === "model") return { kind: undefined, entries: undefined };
    throw error;
  }
}

/** A look at what a path leads to does not tell a link; the folder it lies in does. */
async function isLink(files: FileBackend, path: string): Promise<boolean> {
  const siblings = await files.list(parentOf(path));
  return siblings.some((entry) => entry.path === path && entry.link === true);
}

async function countBelow(
  files: FileBackend,
  path: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  let count = 0;
  for await (const _ of walk(files, path, emptyNotes(), signal)) {
    count += 1;
    if (count > MOST_COUNTED) return undefined;
  }
  return count;
}
