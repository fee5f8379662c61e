/** Removing what is at a name on the disk, with all below it. */
import { randomBytes } from "node:crypto";
import { lstat, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { errnoOf, isAbsence } from "./disk-error.js";
import type { HeldDirectory } from "./held-directory.js";

/** Each level holds a descriptor. What lies deeper is moved up first, so that depth costs no more of them. */
const MAX_DEPTH = 64;
/** How often a folder is looked at again because something was moved up to it, or came to it meanwhile. */
const MAX_ROUNDS = 1000;

/**
 * Removes a file, a link itself, or a folder with all below it, never following a link. Names are bytes here, for
 * the disk has some that are not UTF-8.
 * @throws the system's error; ENOENT when nothing is at `name`
 */
export async function removeTree(folder: HeldDirectory, name: string): Promise<void> {
  if (!(await lstat(folder.at(name))).isDirectory()) return unlink(folder.at(name));
  const top = await folder.child(name, false);
  try {
    let left = await readdir(top.path, { encoding: "buffer" });
    for (let round = 1; left.length > 0 && round <= MAX_ROUNDS; round += 1) {
      for (const child of left) await removeChild(top, child, { top, depth: 1 });
      left = await readdir(top.path, { encoding: "buffer" });
    }
  } finally {
    await top.close();
  }
  await rmdir(folder.at(name));
}

interface Removal {
  readonly top: HeldDirectory;
  readonly depth: number;
}

async function removeChild(folder: HeldDirectory, name: Buffer, removal: Removal): Promise<void> {
  try {
    if (!(await lstat(folder.at(name))).isDirectory()) return await unlink(folder.at(name));
    if (removal.depth < MAX_DEPTH) return await removeFolder(folder, name, removal);
    await rename(folder.at(name), removal.top.at(randomBytes(8).toString("hex")));
  } catch (error) {
    // Another removes here too: what is gone is as it should be.
    if (!isAbsence(error)) throw error;
  }
}

async function removeFolder(folder: HeldDirectory, name: Buffer, { top, depth }: Removal): Promise<void> {
  const inner = await folder.child(name, false);
  try {
    for (const child of await readdir(inner.path, { encoding: "buffer" })) {
      await removeChild(inner, child, { top, depth: depth + 1 });
    }
  } finally {
    await inner.close();
  }
  try {
    await rmdir(folder.at(name));
  } catch (error) {
    // Something came to it meanwhile; the next round sees it.
    if (errnoOf(error) !== "ENOTEMPTY") throw error;
  }
}
