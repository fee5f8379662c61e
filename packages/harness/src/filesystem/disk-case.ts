/** Whether a folder of the disk takes names that differ only in case for one. */
import { type Dir, closeSync, lstatSync, openSync, opendirSync, unlinkSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";

/** Names that are looked at for one with a letter. */
const LOOKED_AT = 100;
/** By host folder; asked at every building of rules, and never changing while a file system is mounted. */
const KNOWN = new Map<string, boolean>();

const swappedCase = (name: string): string =>
  name.replaceAll(/[A-Za-z]/g, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

/** Tried once a folder; of one that is missing yet the folder above it tells. */
export function foldsCase(folder: string): boolean {
  const known = KNOWN.get(folder);
  if (known !== undefined) return known;
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined && dirname(folder) !== folder) {
    return foldsCase(dirname(folder));
  }
  const folds = probe(folder);
  KNOWN.set(folder, folds);
  return folds;
}

function probe(folder: string): boolean {
  const name = nameWithLetter(folder);
  if (name !== undefined) return isOneFile(folder, name);
  const temporary = `.deerflow-${randomBytes(8).toString("hex")}.tmp`;
  try {
    closeSync(openSync(join(folder, temporary), "wx"));
  } catch {
    // Nothing can be made there, so the folder's own name has to tell.
    return isOneFile(dirname(folder), basename(folder));
  }
  try {
    return isOneFile(folder, temporary);
  } finally {
    unlinkSync(join(folder, temporary));
  }
}

/** Undefined also for a folder that cannot be read. */
function nameWithLetter(folder: string): string | undefined {
  let entries: Dir;
  try {
    entries = opendirSync(folder);
  } catch {
    return undefined;
  }
  const names = Array.from({ length: LOOKED_AT }, () => entries.readSync()?.name ?? "");
  entries.closeSync();
  return names.find((name) => /[A-Za-z]/.test(name) && /^[\x21-\x7e]+$/.test(name));
}

function isOneFile(folder: string, name: string): boolean {
  const [plain, swapped] = [name, swappedCase(name)].map((each) =>
    lstatSync(join(folder, each), { throwIfNoEntry: false }),
  );
  return plain !== undefined && plain.ino === swapped?.ino && plain.dev === swapped.dev;
}
