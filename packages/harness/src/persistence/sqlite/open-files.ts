/**
 * The database files that this process has opened. Whoever closes any other descriptor of such a file drops the locks
 * that SQLite holds on it for the whole process (fcntl(2)); another process then takes itself for the only one,
 * removes the write-ahead log, and what was written to it is lost. So these files must not be read as files. This
 * holds for a closed one too: the driver lets go of a file only when its statements have been collected.
 */
import { type Stats, statSync } from "node:fs";

const open = new Map<string, number>();
const opened = new Set<string>();

/** By what the system knows it, because a file may have several names. */
const keyOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`;

/** Numbers are used again; a system that knows no birth gives another time that is no harm here. */
const lastingKeyOf = (status: Stats): string => `${keyOf(status)}:${status.birthtimeMs}`;

/** @returns what to call when the file is closed */
export function noteOpen(path: string): () => void {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) return () => undefined; // it lives in memory
  const key = keyOf(status);
  open.set(key, (open.get(key) ?? 0) + 1);
  opened.add(lastingKeyOf(status));
  return () => {
    const left = (open.get(key) ?? 0) - 1;
    if (left > 0) open.set(key, left);
    else open.delete(key);
  };
}

/** Whether this process has the file open, or may still have it. */
export function wasOpenedHere(path: string): boolean {
  const status = statSync(path, { throwIfNoEntry: false });
  return status !== undefined && (open.has(keyOf(status)) || opened.has(lastingKeyOf(status)));
}
