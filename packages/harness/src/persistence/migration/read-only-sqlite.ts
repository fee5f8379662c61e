/** Reads an SQLite file without changing a byte of it, of its write-ahead log, or of the memory they share. */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DeerflowError, reasonOf } from "../../base/errors.js";
import { isProcessAlive, processIdentity } from "../../base/process-identity.js";
import type { SqlDatabase, SqlSession } from "../sql/contract.js";
import { wasOpenedHere } from "../sqlite/open-files.js";
import { SqliteConnection } from "../sqlite/sqlite-connection.js";
import { sqliteDatabase } from "../sqlite/sqlite-database.js";

/** File times are this coarse at most: what was written longer ago has another time than what is written now. */
const COARSE_TIME_MS = 50;
const WAL_HEADER_BYTES = 32;

/** A folder of our own that holds the file under a second name, and a copy of its write-ahead log. */
interface Apart {
  readonly folder: string;
  readonly path: string;
}

const prefixOf = (path: string): string => `.${basename(path)}-reading-`;

/**
 * The file is linked into a folder beside it (or copied, where links are not possible), with a copy of its log. So
 * SQLite keeps its own files there, and a program that died with an unfinished log leaves it as it was. Where
 * another program writes the log into the file meanwhile, the file is read in its place, as SQLite's readers do.
 */
export class ReadOnlySqlite {
  readonly path: string;
  #connection: SqliteConnection;
  #apart: Apart | undefined;
  readonly #stamp: string;

  private constructor(path: string, stamp: string, apart: Apart | undefined) {
    this.path = path;
    this.#stamp = stamp;
    this.#apart = apart;
    this.#connection = SqliteConnection.openReadOnly(apart?.path ?? path);
  }

  /** @throws DeerflowError `database_unreadable` */
  static async open(path: string): Promise<ReadOnlySqlite> {
    refuseUnreadable(path);
    removeLeftovers(path);
    await sleep(COARSE_TIME_MS);
    const stamp = stampOf(path);
    const apart = setApart(path);
    try {
      if (stampOf(path) === stamp) return new ReadOnlySqlite(path, stamp, apart);
    } catch (error) {
      remove(apart);
      throw error;
    }
    remove(apart);
    return new ReadOnlySqlite(path, stamp, undefined);
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

  /** Where SQLite keeps its files of this reader; undefined when the file is read in its place. */
  get folder(): string | undefined {
    return this.#apart?.folder;
  }

  /** Runs `work` on one snapshot. Runs it again when the file changed under it. */
  async read<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    const result = this.#attempt(work);
    if (this.#apart === undefined) return result;
    // A failure counts only if it is one of the file as it was.
    await result.catch(() => undefined);
    if (stampOf(this.path) === this.#stamp) return result;
    await this.#readInPlace();
    return this.#attempt(work);
  }

  async close(): Promise<void> {
    await this.#connection.close();
    remove(this.#apart);
    this.#apart = undefined;
  }

  #attempt<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return sqliteDatabase(this.#connection).read(work);
  }

  async #readInPlace(): Promise<void> {
    await this.close();
    this.#connection = SqliteConnection.openReadOnly(this.path);
  }
}

function refuseUnreadable(path: string): void {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined)
    throw new DeerflowError("database_unreadable", { path, reason: "it is not there" });
  if (!status.isFile()) throw new DeerflowError("database_unreadable", { path, reason: "it is not a file" });
  if ((statSync(`${path}-journal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  const reason = "a program was interrupted while it wrote; open the file once with that program";
  throw new DeerflowError("database_unreadable", { path, reason });
}

/** Changes when pages of the file change, and when its log begins anew. A log that only grows leaves both as they are. */
function stampOf(path: string): string {
  const { mtimeNs, size, ino } = statSync(path, { bigint: true });
  return [mtimeNs, size, ino, headerOf(`${path}-wal`)].join(" ");
}

function headerOf(path: string): string {
  if (!existsSync(path)) return "";
  const file = openSync(path, "r");
  try {
    const header = Buffer.alloc(WAL_HEADER_BYTES);
    return header.toString("hex", 0, readSync(file, header, 0, WAL_HEADER_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

/** Undefined where neither is possible. A copy reads the file as a file, which one that is open here forbids. */
function setApart(path: string): Apart | undefined {
  const apart = linked(path) ?? (wasOpenedHere(path) ? undefined : copied(path));
  if (apart !== undefined && existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${apart.path}-wal`);
  return apart;
}

function linked(path: string): Apart | undefined {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(dirname(path), `${prefixOf(path)}${process.pid}-`));
    linkSync(path, join(folder, basename(path)));
    return { folder, path: join(folder, basename(path)) };
  } catch {
    // The folder takes no files, or its disk no links; `copied` says what is wrong if that fails as well.
    if (folder !== undefined) rmSync(folder, { recursive: true });
    return undefined;
  }
}

function copied(path: string): Apart {
  const folder = mkdtempSync(join(tmpdir(), prefixOf(path)));
  try {
    copyFileSync(path, join(folder, basename(path)), constants.COPYFILE_FICLONE);
    return { folder, path: join(folder, basename(path)) };
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw new DeerflowError("database_unreadable", { path, reason: reasonOf(error) }, error);
  }
}

const remove = (apart: Apart | undefined): void => {
  if (apart !== undefined) rmSync(apart.folder, { recursive: true, force: true });
};

/** Folders of readers that were killed. They hold a link and a copy: the file itself loses nothing. */
function removeLeftovers(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(prefixOf(path))) continue;
    const pid = Number(name.slice(prefixOf(path).length).split("-")[0]);
    if (!isProcessAlive(processIdentity(pid)))
      rmSync(join(dirname(path), name), { recursive: true, force: true });
  }
}
