/** Putting a whole file in place in one moment. */
import { link, lstat, open, readdir, rename, unlink } from "node:fs/promises";
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";
import { errnoOf, isAbsence } from "./disk-error.js";
import type { HeldName } from "./disk-lock.js";
import type { HeldDirectory } from "./held-directory.js";

const TEMPORARY_NAME = /^\.deerflow-[0-9a-f]{16}\.tmp$/;
/** What file systems without hard links answer. */
const NO_HARD_LINKS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** @param token 16 hex digits */
export const temporaryName = (token: string): string => `.deerflow-${token}.tmp`;

/** Whether a name is that of a file being written. Listings and searches leave it out. */
export const isTemporaryName = (name: string): boolean => TEMPORARY_NAME.test(name);

/** Clears away what killed writers of a name left beside it. */
export async function clearAbandoned(folder: HeldDirectory, held: HeldName): Promise<void> {
  const cleared = held.abandoned.map((token) => unlink(folder.at(temporaryName(token))));
  // What does not go stays hidden, and stands in nobody's way.
  await Promise.allSettled(cleared);
}

/** Clears away the temporary files of a folder that nobody has written to since `before`, in milliseconds since 1970. */
export async function clearForgotten(folder: HeldDirectory, before: number): Promise<void> {
  const names = (await readdir(folder.path)).filter(isTemporaryName);
  const cleared = names.map(async (name) => {
    if ((await lstat(folder.at(name))).mtimeMs < before) await unlink(folder.at(name));
  });
  await Promise.allSettled(cleared);
}

/** Where a temporary file is to go, in its own folder. */
export interface Target {
  readonly name: string;
  /** Refuses when something is there already. */
  readonly exclusive: boolean;
  /** Virtual, for messages. */
  readonly path: string;
}

export interface FilePut extends Target {
  readonly content: Uint8Array;
  readonly mode: number;
}

/**
 * Writes beside the target, flushes, then moves into place: a reader sees the old file or the new one, whole.
 * @throws as {@link moveIntoPlace}; the system's error
 */
export async function putFile(folder: HeldDirectory, put: FilePut, held: HeldName): Promise<void> {
  const temporary = folder.at(temporaryName(held.token));
  await writeNew(temporary, put);
  await moveIntoPlace(folder, temporary, put, held);
}

/**
 * Gives a whole temporary file its name; when that fails, nothing of it stays.
 * @throws DeerflowError `file_changed` when the lock was lost meanwhile, or something is there that must not be; the
 * system's error
 */
export async function moveIntoPlace(
  folder: HeldDirectory,
  temporary: string,
  { name, exclusive, path }: Target,
  held: HeldName,
): Promise<void> {
  try {
    if (!(await held.isHeld())) throw new DeerflowError("file_changed", { path: shownPath(path) });
    if (!exclusive || !(await isLinked(temporary, folder.at(name), path))) {
      return await rename(temporary, folder.at(name));
    }
  } catch (error) {
    await discard(temporary);
    throw error;
  }
  await discard(temporary);
}

async function writeNew(temporary: string, { content, mode }: FilePut): Promise<void> {
  const handle = await open(temporary, "wx", mode);
  try {
    await handle.writeFile(content);
    await handle.chmod(mode);
    await handle.sync();
  } catch (error) {
    await discard(temporary);
    throw error;
  } finally {
    await handle.close();
  }
}

/** link() refuses an existing target, so "must not exist" holds against programs without our locks too. */
async function isLinked(temporary: string, target: string, path: string): Promise<boolean> {
  try {
    await link(temporary, target);
    return true;
  } catch (error) {
    if (NO_HARD_LINKS.has(errnoOf(error))) return false;
    if (errnoOf(error) === "EEXIST")
      throw new DeerflowError("file_changed", { path: shownPath(path) }, error);
    throw error;
  }
}

export async function discard(temporary: string): Promise<void> {
  try {
    await unlink(temporary);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}
