/** Lets one process at a time serve an SQLite file. Other programs may still read and write it. */
import { closeSync, openSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { DeerflowError } from "../../base/errors.js";
import { isProcessAlive, processIdentity } from "../../base/process-identity.js";
import { IN_MEMORY, lockExclusively } from "./sqlite-connection.js";
import { sqlitePlace } from "./sqlite-path.js";

export interface ServeLock {
  /** Tells others where the holder is reached. */
  announce(url: string): void;
  /** Lets the next one serve. Twice is once. */
  release(): void;
}

/** Who serves a file. */
export interface FileServer {
  /** As {@link processIdentity} names it. */
  readonly owner: string;
  /** Where it is reached; absent until it listens. */
  readonly url?: string;
}

const OWNER_ONLY = 0o600;
/** A server that has the lock writes who it is at once. */
const LOOKS = 40;
const LOOK_PAUSE_MS = 25;

/** Locks of this process. Opening and closing their files again would drop them: so POSIX locks are. */
const held = new Set<string>();

const lockFileOf = (database: string): string => `${database}-server`;
const recordFileOf = (database: string): string => `${database}-server.json`;

/**
 * Takes the lock of a database file, which must exist. It is the kernel's, so it is free as soon as its holder
 * is dead, however it died; what the record beside it says only counts while the lock is held.
 *
 * @param place a path, `file:` URL or `:memory:`, of which every process has its own
 * @throws DeerflowError `database_in_use`, naming the process that serves it; `database_unreadable`
 */
export async function takeServeLock(place: string): Promise<ServeLock> {
  const { path } = sqlitePlace(place);
  if (path === IN_MEMORY) return { announce: () => undefined, release: () => undefined };
  const database = realpathSync(path);
  const unlock = await lockOrRefuse(database);
  held.add(database);
  const record = recordFileOf(database);
  writeRecord(record, { owner: processIdentity() });
  let released = false;
  return {
    announce: (url) => writeRecord(record, { owner: processIdentity(), url }),
    release() {
      if (released) return;
      released = true;
      held.delete(database);
      rmSync(record, { force: true });
      unlock();
    },
  };
}

/** Who serves the file now, if anybody does. Takes nothing. */
export function findFileServer(place: string): FileServer | undefined {
  const { path } = sqlitePlace(place);
  if (path === IN_MEMORY) return undefined;
  const database = realpathSync(path);
  const record = readRecord(recordFileOf(database));
  if (record === undefined || held.has(database)) return record;
  const unlock = tryLock(database);
  unlock?.();
  return unlock === undefined ? record : undefined;
}

function tryLock(database: string): (() => void) | undefined {
  if (held.has(database)) return undefined;
  const file = lockFileOf(database);
  try {
    closeSync(openSync(file, "a", OWNER_ONLY));
  } catch (error) {
    throw new DeerflowError("database_unreadable", { path: file, reason: String(error) }, error);
  }
  return lockExclusively(file);
}

function writeRecord(file: string, server: FileServer): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(server), { mode: OWNER_ONLY });
  renameSync(draft, file);
}

function readRecord(file: string): FileServer | undefined {
  try {
    // Our own file; of anything else in it only an owner that is a text is used.
    const record = JSON.parse(readFileSync(file, "utf8")) as Partial<FileServer>;
    const { owner, url } = record;
    if (typeof owner !== "string") return undefined;
    return { owner, ...(typeof url === "string" ? { url } : {}) };
  } catch {
    return undefined; // not written yet, or not ours
  }
}

async function lockOrRefuse(database: string): Promise<() => void> {
  let owner: string | undefined;
  for (let look = 0; look < LOOKS && owner === undefined; look += 1) {
    const unlock = tryLock(database);
    if (unlock !== undefined) return unlock;
    owner = livingOwner(database);
    // The record is not written yet, or is a dead one's; or somebody only looked whether the lock is free.
    if (owner === undefined) await sleep(LOOK_PAUSE_MS);
  }
  throw new DeerflowError("database_in_use", { path: database, owner: owner ?? "of unknown number" });
}

/** The holder, for a person; undefined when the record beside the lock cannot be the holder's. */
function livingOwner(database: string): string | undefined {
  const owner = readRecord(recordFileOf(database))?.owner ?? "";
  const [host = "", pid = ""] = owner.split("/");
  if (host !== "" && host !== hostname()) return `${pid} on ${host}`;
  return isProcessAlive(owner) ? pid : undefined;
}
