/** One writer per file name at a time, also across the processes of one user on one machine. */
import { randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { lstat, readlink, symlink, unlink } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DeerflowError } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import { KeyedLock } from "../base/keyed-lock.js";
import { makeFolder } from "../base/make-folder.js";
import { isProcessAlive, processIdentity } from "../base/process-identity.js";
import { shownPath } from "../base/virtual-path.js";
import { errnoOf, isAbsence } from "./disk-error.js";

const WAIT_MILLISECONDS = 10_000;
const PAUSE_MILLISECONDS = 3;
/** After this even a living holder is held to be stuck. One that comes back late finds out before it writes. */
const LEASE_MILLISECONDS = 60_000;
/** How many evictors may have died one after the other in the middle of the same eviction. */
const MAX_EVICTORS = 8;
const SELF = processIdentity();

/** A name while it is held. */
export interface HeldName {
  /** Names this holding: 16 hex digits, never used twice. */
  readonly token: string;
  /** The tokens of holders that died while they held this name; what they left half done is the new holder's to clear. */
  readonly abandoned: readonly string[];
  /** Whether the name is still held: another may take it from one who holds it for minutes. */
  isHeld(): Promise<boolean>;
}

export interface DiskLockOptions {
  /** Where the locks lie: the first of these folders that is this user's own. Without one only this process is locked. */
  readonly folders: readonly string[];
  /** Waits a moment before the next look at a lock that another process holds. */
  pause?(): Promise<void>;
  /** Milliseconds since 1970. */
  now?(): number;
}

/**
 * A lock is a link whose target names its holder: made in one system call with its content, refused where one is,
 * and still readable after its holder was killed. A dead holder's lock is removed by whoever wants it next. The
 * right to do so is a lock too, named after that one holding: so of two who found the holder dead only one removes
 * the lock, and none removes the lock of the next holder. Locks lie in a folder of this user, outside all mounts, so that
 * what runs in a sandbox can neither see, hold nor break them.
 *
 * Processes of other users and other machines, and programs that know nothing of these locks, are not held off.
 */
export class DiskLock {
  readonly #options: Required<DiskLockOptions>;
  readonly #inProcess = new KeyedLock();
  #folder: { readonly path: string | undefined } | undefined;

  constructor(options: DiskLockOptions) {
    this.#options = {
      pause: () => sleep(PAUSE_MILLISECONDS * (0.5 + Math.random())),
      now: () => Date.now(),
      ...options,
    };
  }

  /**
   * Runs `work` while holding `key`; not re-entrant.
   * @param path virtual, for the message
   * @throws DeerflowError `file_busy` when another process never lets go; whatever `work` throws
   */
  hold<T>(key: string, path: string, work: (held: HeldName) => Promise<T>): Promise<T> {
    return this.#inProcess.hold(key, () => this.#holdAcrossProcesses(key, path, work));
  }

  async #holdAcrossProcesses<T>(key: string, path: string, work: (held: HeldName) => Promise<T>): Promise<T> {
    const token = randomBytes(8).toString("hex");
    this.#folder ??= { path: this.#options.folders.find(isOwnFolder) };
    if (this.#folder.path === undefined) {
      return work({ token, abandoned: [], isHeld: () => Promise.resolve(true) });
    }
    const lock = join(this.#folder.path, sha256(key).slice(0, 32));
    const record = `${SELF}/${token}`;
    const abandoned = await this.#acquire(lock, record, path);
    const since = this.#options.now();
    const isLate = () => this.#options.now() - since > LEASE_MILLISECONDS / 2;
    try {
      const isHeld = async () => !isLate() || (await holderOf(lock)) === record;
      return await work({ token, abandoned, isHeld });
    } finally {
      await (isLate() ? this.#evict(lock, record, record) : unlinkIfThere(lock));
    }
  }

  /** Gives the tokens of the dead that stood in the way. */
  async #acquire(lock: string, record: string, path: string): Promise<readonly string[]> {
    const abandoned: string[] = [];
    const until = this.#options.now() + WAIT_MILLISECONDS;
    while (!(await isClaimed(lock, record))) {
      if (this.#options.now() > until) throw new DeerflowError("file_busy", { path: shownPath(path) });
      const holder = await holderOf(lock);
      if (holder === undefined) continue;
      if ((await this.#isStale(lock, holder)) && (await this.#evict(lock, holder, record))) {
        abandoned.push(tokenOf(holder));
        continue;
      }
      await this.#options.pause();
    }
    return abandoned;
  }

  async #isStale(lock: string, holder: string): Promise<boolean> {
    // Of another host only the age can be known; a container may share this folder under another name.
    if (holder.startsWith(`${hostname()}/`) && !isProcessAlive(holder)) return true;
    const madeAt = (await statsOf(lock))?.mtimeMs;
    return madeAt !== undefined && this.#options.now() - madeAt > LEASE_MILLISECONDS;
  }

  /** Removes the lock of `holder`, unless another does so now or it is gone already. */
  async #evict(lock: string, holder: string, record: string, depth = 1): Promise<boolean> {
    const right = `${lock}.${tokenOf(holder)}`;
    if (!(await isClaimed(right, record))) {
      const evictor = await holderOf(right);
      if (evictor !== undefined && depth < MAX_EVICTORS && (await this.#isStale(right, evictor))) {
        await this.#evict(right, evictor, record, depth + 1);
      }
      return false;
    }
    try {
      if ((await holderOf(lock)) !== holder) return false;
      await unlinkIfThere(lock);
      return true;
    } finally {
      await unlinkIfThere(right);
    }
  }
}

/** A holding's own name, whatever the record looks like. */
function tokenOf(record: string): string {
  const token = record.slice(record.lastIndexOf("/") + 1);
  return /^[0-9a-f]{16}$/.test(token) ? token : sha256(record).slice(0, 16);
}

async function isClaimed(lock: string, record: string): Promise<boolean> {
  try {
    await symlink(record, lock);
    return true;
  } catch (error) {
    // Folders for temporary files are cleared now and then.
    if (errnoOf(error) === "ENOENT") makeFolder(dirname(lock));
    else if (errnoOf(error) !== "EEXIST") throw error;
    return false;
  }
}

const holderOf = (lock: string): Promise<string | undefined> => ifThere(readlink(lock));
const statsOf = (lock: string) => ifThere(lstat(lock));
const unlinkIfThere = (lock: string): Promise<void> => ifThere(unlink(lock)).then(() => undefined);

async function ifThere<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Whether `folder` is, or could be made, one that only this user can write to. */
function isOwnFolder(folder: string): boolean {
  try {
    makeFolder(folder);
    const stats = lstatSync(folder);
    return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
  } catch {
    return false; // the next one may do
  }
}

/**
 * The same for every process of this user, whatever its environment says of a folder for temporary files. Windows
 * makes links only for administrators, so there only the writers of one process take turns.
 */
function lockFolders(): readonly string[] {
  const user = process.getuid?.();
  if (user === undefined) return [];
  return ["/tmp", "/var/tmp", tmpdir()].map((folder) => join(folder, `deerflow-locks-${user}`));
}

/** The lock of all disk writes of this process. */
export const DISK_LOCK = new DiskLock({ folders: lockFolders() });
