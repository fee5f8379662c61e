/** Removing what is at a name on the disk, with all below it. */
import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { chmod, lstat, open, readdir, rename, rmdir, unlink } from "node:fs/promises";
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
  const stats = await lstat(folder.at(name));
  if (!stats.isDirectory()) return unlink(folder.at(name));
  const top = await openToEmpty(folder, name, stats);
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
    const stats = await lstat(folder.at(name));
    if (!stats.isDirectory()) return await unlink(folder.at(name));
    if (removal.depth < MAX_DEPTH) return await removeFolder(folder, { name, stats }, removal);
    await rename(folder.at(name), removal.top.at(randomBytes(8).toString("hex")));
  } catch (error) {
    // Another removes here too: what is gone is as it should be.
    if (!isAbsence(error)) throw error;
  }
}

async function removeFolder(
  folder: HeldDirectory,
  { name, stats }: { readonly name: Buffer; readonly stats: Stats },
  { top, depth }: Removal,
): Promise<void> {
  const inner = await openToEmpty(folder, name, stats);
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

const OWNER_ALL = 0o700;
/** Holds what is there without any right to read it; Node has no name for it. Only on Linux. */
const O_PATH = 0o10000000;

/** A folder that was closed to its owner (`chmod 000`) is opened first, or nobody could ever remove it. */
async function openToEmpty(
  folder: HeldDirectory,
  name: string | Buffer,
  { mode, uid }: Stats,
): Promise<HeldDirectory> {
  if ((mode & OWNER_ALL) !== OWNER_ALL && uid === process.geteuid?.() && process.platform === "linux") {
    const flags = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
    const handle = await open(typeof name === "string" ? folder.at(name) : folder.at(name), flags);
    try {
      await chmod(`/proc/self/fd/${handle.fd}`, OWNER_ALL);
    } finally {
      await handle.close();
    }
  }
  return folder.child(name, false);
}
