/** Putting a whole file in place in one moment. */
import { link, open, rename, unlink } from "node:fs/promises";
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";
import { errnoOf, isAbsence } from "./disk-error.js";
import type { HeldName } from "./disk-lock.js";
import type { HeldDirectory } from "./held-directory.js";

const TEMPORARY_NAME = /^\.deerflow-[0-9a-f]{16}\.tmp$/;
/** What file systems without hard links answer. */
const NO_HARD_LINKS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

const temporaryName = (token: string): string => `.deerflow-${token}.tmp`;

/** Whether a name is that of a file being written. Listings and searches leave it out. */
export const isTemporaryName = (name: string): boolean => TEMPORARY_NAME.test(name);

/** Clears away what killed writers of a name left beside it. */
export async function clearAbandoned(folder: HeldDirectory, held: HeldName): Promise<void> {
  const cleared = held.abandoned.map((token) => unlink(folder.at(temporaryName(token))));
  // What does not go stays hidden, and stands in nobody's way.
  await Promise.allSettled(cleared);
}

export interface FilePut {
  readonly content: Uint8Array;
  readonly mode: number;
  /** Refuses when something is there already. */
  readonly exclusive: boolean;
  /** Virtual, for messages. */
  readonly path: string;
}

/**
 * Writes beside the target, flushes, then moves into place: a reader sees the old file or the new one, whole.
 * @throws DeerflowError `file_changed` when the lock was lost meanwhile, or something is there that must not be; the
 * system's error
 */
export async function putFile(
  folder: HeldDirectory,
  name: string,
  put: FilePut,
  held: HeldName,
): Promise<void> {
  const temporary = folder.at(temporaryName(held.token));
  await writeNew(temporary, put);
  try {
    if (!(await held.isHeld())) throw new DeerflowError("file_changed", { path: shownPath(put.path) });
    if (!put.exclusive || !(await isLinked(temporary, folder.at(name), put.path))) {
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

async function discard(temporary: string): Promise<void> {
  try {
    await unlink(temporary);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}
