/** Reads an SQLite file without changing a byte of it, of its write-ahead log, or of the memory they share. */
import { closeSync, constants, copyFileSync, openSync, readSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DeerflowError } from "../../base/errors.js";
import type { SqlDatabase, SqlSession } from "../sql/contract.js";
import { wasOpenedHere } from "../sqlite/open-files.js";
import { SqliteConnection } from "../sqlite/sqlite-connection.js";
import { sqliteDatabase } from "../sqlite/sqlite-database.js";
import { makeScratchFolder, removeScratchFolder } from "./scratch-folder.js";

/** File times are this coarse at most: what was written longer ago has another time than what is written now. */
const COARSE_TIME_MS = 50;
const WAL_HEADER_BYTES = 32;
/** Of a file that another program writes to all the time no copy is whole. */
const COPIES = 3;

/**
 * `resting`: nobody has the file open, and it has no log. `copy`: with a log, whose reader would write to the memory
 * that programs share; so a copy of both is read. `in-place`: another program is at work on it, this process has it
 * open, or there is no room for a copy; it is read as SQLite's readers do, which leave marks in that memory.
 */
export type ReadingMode = "resting" | "copy" | "in-place";

export class ReadOnlySqlite {
  readonly path: string;
  #connection: SqliteConnection;
  #mode: ReadingMode;
  /** What it was when a `resting` file was opened. */
  readonly #stamp: string;
  readonly #folder: string | undefined;

  private constructor(path: string, mode: ReadingMode, stamp: string, folder?: string) {
    this.path = path;
    this.#mode = mode;
    this.#stamp = stamp;
    this.#folder = folder;
    this.#connection =
      folder === undefined
        ? SqliteConnection.openReadOnly(path, mode === "resting")
        : SqliteConnection.openReadOnly(join(folder, basename(path)));
  }

  /** @throws DeerflowError `database_unreadable` */
  static async open(path: string): Promise<ReadOnlySqlite> {
    refuseUnreadable(path);
    await sleep(COARSE_TIME_MS);
    const stamp = stampOf(path);
    if (sizeOf(`${path}-wal`) === 0) return new ReadOnlySqlite(path, "resting", stamp);
    const folder = await copyWhole(path);
    return new ReadOnlySqlite(path, folder === undefined ? "in-place" : "copy", stamp, folder);
  }

  get mode(): ReadingMode {
    return this.#mode;
  }

  /** As a database of the stores that takes no writes. */
  get database(): SqlDatabase {
    const refuse = async (): Promise<never> => {
      throw new DeerflowError("database_read_only", { path: this.path, reason: "it is only read here" });
    };
    return {
      ...sqliteDatabase(this.#connection),
      name: this.path,
      read: (work) => this.read(work),
      write: refuse,
      compact: refuse,
      close: () => this.close(),
    };
  }

  /** Runs `work` on one snapshot. Runs it again when the file changed under it. */
  async read<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    const result = this.#attempt(work);
    if (this.#mode !== "resting") return result;
    // A failure counts only if it is one of the file as it was.
    await result.catch(() => undefined);
    if (stampOf(this.path) === this.#stamp) return result;
    await this.#connection.close();
    this.#connection = SqliteConnection.openReadOnly(this.path);
    this.#mode = "in-place";
    return this.#attempt(work);
  }

  async close(): Promise<void> {
    await this.#connection.close();
    if (this.#folder !== undefined) removeScratchFolder(this.#folder);
  }

  #attempt<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return sqliteDatabase(this.#connection).read(work);
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function refuseUnreadable(path: string): void {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined)
    throw new DeerflowError("database_unreadable", { path, reason: "it is not there" });
  if (!status.isFile()) throw new DeerflowError("database_unreadable", { path, reason: "it is not a file" });
  if (sizeOf(`${path}-journal`) === 0) return;
  const reason = "a program was interrupted while it wrote; open the file once with that program";
  throw new DeerflowError("database_unreadable", { path, reason });
}

/** Changes when pages of the file change, and when its log begins anew. A log that only grows leaves both as they are. */
function stampOf(path: string): string {
  const { mtimeNs, size, ino } = statSync(path, { bigint: true });
  return [mtimeNs, size, ino, headerOf(`${path}-wal`)].join(" ");
}

/** The log has no locks that closing it could drop. */
function headerOf(log: string): string {
  if (sizeOf(log) === 0) return "";
  const file = openSync(log, "r");
  try {
    const header = Buffer.alloc(WAL_HEADER_BYTES);
    return header.toString("hex", 0, readSync(file, header, 0, WAL_HEADER_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

/** A folder with a copy of the file and its log, as they were at one moment; undefined where there can be none. */
async function copyWhole(path: string): Promise<string | undefined> {
  if (wasOpenedHere(path) || !hasRoomFor(path)) return undefined;
  const folder = makeScratchFolder(tmpdir(), "deerflow-reading-");
  for (let copy = 1; copy <= COPIES; copy += 1) {
    const before = stampOf(path);
    copyFileSync(path, join(folder, basename(path)), constants.COPYFILE_FICLONE);
    copyFileSync(`${path}-wal`, join(folder, `${basename(path)}-wal`));
    if (stampOf(path) === before) return folder;
    await sleep(COARSE_TIME_MS);
  }
  removeScratchFolder(folder);
  return undefined;
}

function hasRoomFor(path: string): boolean {
  const { bavail, bsize } = statfsSync(tmpdir());
  // The target may lie on the same disk.
  return 2 * (sizeOf(path) + sizeOf(`${path}-wal`)) < bavail * bsize;
}
