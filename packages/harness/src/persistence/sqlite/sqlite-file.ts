/** Tells our database file from any other before anything opens it, so that a foreign file is never changed. */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DeerflowError, reasonOf } from "../../base/errors.js";
import { makeFolder } from "../../base/make-folder.js";
import { wasOpenedHere } from "./open-files.js";

/** "DFLW": marks an SQLite file as ours (PRAGMA application_id). */
export const APPLICATION_ID = 0x44464c57;

/** SQLite gives its log and its shared memory the mode of the database. */
const OWNER_ONLY = 0o600;
const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

/** What the first bytes of a file say about it. */
export type FileVerdict =
  | { readonly kind: "new" }
  | { readonly kind: "ours"; readonly schemaVersion: number }
  | { readonly kind: "foreign"; readonly reason: string };

/**
 * Reads the header of an SQLite file (https://www.sqlite.org/fileformat.html#the_database_header).
 *
 * @param header - the first bytes of the file, up to 100
 */
export function judgeHeader(header: Uint8Array): FileVerdict {
  if (header.length === 0) return { kind: "new" };
  const bytes = Buffer.from(header.buffer, header.byteOffset, header.length);
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, MAGIC.length) !== MAGIC) {
    return { kind: "foreign", reason: "it is not an SQLite file" };
  }
  if (bytes.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID) {
    return { kind: "foreign", reason: "it is the SQLite file of another program" };
  }
  return { kind: "ours", schemaVersion: bytes.readUInt32BE(USER_VERSION_AT) };
}

function readHeader(path: string): Uint8Array {
  const file = openSync(path, "r");
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    return header.subarray(0, readSync(file, header, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

function makeFolderWritable(path: string): void {
  const folder = dirname(path);
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const reason = `its folder cannot be written: ${reasonOf(error)}`;
    throw new DeerflowError("database_unreadable", { path, reason }, error);
  }
}

function readVerdict(path: string): FileVerdict {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    if (status === undefined) return { kind: "new" };
    if (!status.isFile()) throw new Error("it is not a file");
    accessSync(path, constants.R_OK | constants.W_OK);
    return judgeHeader(readHeader(path));
  } catch (error) {
    throw new DeerflowError("database_unreadable", { path, reason: reasonOf(error) }, error);
  }
}

function createFile(path: string): void {
  try {
    closeSync(openSync(path, "a", OWNER_ONLY));
  } catch (error) {
    throw new DeerflowError("database_unreadable", { path, reason: reasonOf(error) }, error);
  }
}

/**
 * Makes sure that `path` may be opened as our database: it is ours, or empty, or absent in a folder that can be
 * written (the folder is made). A new file is made here, empty, so that only its owner can ever read it.
 *
 * @param newestSchema - the highest schema version that this program knows
 * @throws DeerflowError `database_unreadable`, `database_foreign`, `database_newer`
 */
export function prepareDatabaseFile(path: string, newestSchema: number): void {
  makeFolderWritable(path);
  // It was looked at when it was opened, and must not be read now.
  if (wasOpenedHere(path)) return;
  const verdict = readVerdict(path);
  if (verdict.kind === "foreign")
    throw new DeerflowError("database_foreign", { path, reason: verdict.reason });
  if (verdict.kind === "new") createFile(path);
  if (verdict.kind === "ours" && verdict.schemaVersion > newestSchema) {
    throw new DeerflowError("database_newer", { path, found: verdict.schemaVersion, known: newestSchema });
  }
}
