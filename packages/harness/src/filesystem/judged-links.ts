/** Judging where paths lead, for a backend that can only say it. */
import { DeerflowError } from "../base/errors.js";
import { childOf, nameOf, parentOf } from "../base/virtual-path.js";
import type {
  FileBackend,
  FileContent,
  FileEntry,
  LinkFollowing,
  ListNotes,
  PathJudge,
  Shell,
  Version,
  WithShell,
  WriteOptions,
} from "./contract.js";
import { bothJudges } from "./path-judge.js";

type LinkedFiles = FileBackend & LinkFollowing & WithShell;

/**
 * The same files, with `judge` asked about every path as it really lies, and that place used then. A link that is put
 * on the way between the two is followed: only who has the shell could do so.
 */
export const judgedLinks = (files: LinkedFiles, judge: PathJudge): LinkedFiles =>
  new JudgedLinks(files, judge);

class JudgedLinks implements LinkedFiles {
  readonly id: string;
  readonly shell: Shell;
  readonly #files: LinkedFiles;
  readonly #judge: PathJudge;

  constructor(files: LinkedFiles, judge: PathJudge) {
    this.id = files.id;
    this.shell = files.shell;
    this.#files = files;
    this.#judge = judge;
  }

  judgedBy(judge: PathJudge): LinkedFiles {
    return new JudgedLinks(this.#files, bothJudges(this.#judge, judge));
  }

  realPath(path: string): Promise<string> {
    return this.#files.realPath(path);
  }

  async list(path: string, notes?: ListNotes): Promise<readonly FileEntry[]> {
    const real = await this.#enter("read", path);
    const entries = await this.#files.list(real, notes);
    const shown = await Promise.all(entries.map((entry) => this.#isShown(entry)));
    return entries
      .filter((_, index) => shown[index])
      .map((entry) => ({ ...entry, path: childOf(path, nameOf(entry.path)) }));
  }

  async stat(path: string): Promise<FileEntry | undefined> {
    const entry = await this.#files.stat(await this.#enter("read", path));
    return entry && { ...entry, path };
  }

  async read(path: string): Promise<FileContent | undefined> {
    return this.#files.read(await this.#enter("read", path));
  }

  async write(path: string, content: Uint8Array, options?: WriteOptions): Promise<Version> {
    return this.#files.write(await this.#enter("write", path), content, options);
  }

  /** A link is removed itself, so that only what is above it is followed. */
  async remove(path: string): Promise<boolean> {
    const real = childOf(await this.#files.realPath(parentOf(path)), nameOf(path));
    this.#judge("remove", real);
    return this.#files.remove(real);
  }

  async #enter(operation: "read" | "write", path: string): Promise<string> {
    const real = await this.#files.realPath(path);
    this.#judge(operation, real);
    return real;
  }

  async #isShown(entry: FileEntry): Promise<boolean> {
    try {
      this.#judge("read", entry.path);
      if (entry.link === true) await this.#enter("read", entry.path);
      return true;
    } catch (error) {
      if (DeerflowError.is(error) && error.code === "path_forbidden") return false;
      throw error;
    }
  }
}
