/** Files behind path rules. */
import { DeerflowError } from "../base/errors.js";
import {
  childOf,
  fromSegments,
  isWithin,
  nameOf,
  parentOf,
  segmentsOf,
  shownPath,
} from "../base/virtual-path.js";
import type { PermissionOperation } from "../policy/file-permission.js";
import type { PermissionRules } from "../policy/permission-rules.js";
import {
  isByteReadable,
  isHostSearchable,
  isLinkFollowing,
  isStreamWritable,
  shellOf,
} from "./capabilities.js";
import type {
  FileBackend,
  FileContent,
  FileEntry,
  FileWriting,
  HostFolder,
  LinkFollowing,
  ListNotes,
  PathJudge,
  Shell,
  Version,
  WriteOptions,
} from "./contract.js";
import { wayTest } from "./way-test.js";

/** What a refusal says was to be done. */
type Done = "read" | "listed" | "changed" | "deleted";

const MAX_NAMED_PATTERNS = 10;

/**
 * The same files, where every path is judged by `rules`: as it is spelled, and in a backend with links also as it
 * really lies, at the moment of use. What may not be read is left out of listings and searches. Rules of mode
 * `interrupt` forbid nothing here. A hard link is a file of its own, which no rule for another name finds.
 *
 * All verbs throw DeerflowError `path_forbidden`. Without rules the backend is given back as it is.
 * @param shell the one to hand on, in which the rules hold too
 */
export function guardFiles(
  files: FileBackend,
  rules: PermissionRules,
  shell: Shell | undefined = shellOf(files),
): FileBackend {
  if (rules.isEmpty) return files;
  const own = rules.withFolding(rules.foldsCase || files.foldsCase === true);
  const guarded = new GuardedFiles(files, own);
  return Object.assign(guarded, {
    ...(isByteReadable(files) ? { openBytes: (path: string) => guarded.openPieces(path) } : {}),
    ...(isStreamWritable(files)
      ? { openWrite: (path: string, options?: WriteOptions) => guarded.openWriting(path, options) }
      : {}),
    ...(isHostSearchable(files) ? { openFolders: (path: string) => guarded.openHost(path) } : {}),
    ...(isLinkFollowing(files) ? linksOf(files, own, shell) : {}),
    ...(shell === undefined ? {} : { shell }),
  });
}

const linksOf = (
  files: FileBackend & LinkFollowing,
  rules: PermissionRules,
  shell: Shell | undefined,
): LinkFollowing => ({
  judgedBy: (judge) => guardFiles(files.judgedBy(judge), rules, shell),
  realPath: (path) => files.realPath(path),
});

class GuardedFiles implements FileBackend {
  readonly #files: FileBackend;
  readonly #rules: PermissionRules;
  /** The files with every real path judged. They differ in how a removal is judged. */
  readonly #judged: FileBackend;
  readonly #judgedForLeaf: FileBackend;

  constructor(files: FileBackend, rules: PermissionRules) {
    const judged = (isLeaf: boolean): FileBackend =>
      isLinkFollowing(files) ? files.judgedBy(judgeBy(rules, isLeaf)) : files;
    this.#files = files;
    this.#rules = rules;
    this.#judged = judged(false);
    this.#judgedForLeaf = judged(true);
  }

  get id(): string {
    return this.#files.id;
  }

  get canRemove(): boolean {
    return this.#files.canRemove ?? true;
  }

  get foldsCase(): boolean {
    return this.#files.foldsCase ?? false;
  }

  get usesGraphState(): boolean {
    return this.#files.usesGraphState ?? false;
  }

  async list(path: string, notes?: ListNotes): Promise<readonly FileEntry[]> {
    const entries = await this.#readable(path, "listed", (files) => files.list(path, notes));
    return entries.filter((entry) => this.#isReadable(entry.path));
  }

  stat(path: string): Promise<FileEntry | undefined> {
    return this.#readable(path, "read", (files) => files.stat(path));
  }

  read(path: string): Promise<FileContent | undefined> {
    return this.#readable(path, "read", (files) => files.read(path));
  }

  async write(path: string, content: Uint8Array, options?: WriteOptions): Promise<Version> {
    assertAllowed(this.#rules, "write", path);
    return spelledAs(path, "changed", () => this.#judged.write(path, content, options));
  }

  async openWriting(path: string, options?: WriteOptions): Promise<FileWriting | undefined> {
    assertAllowed(this.#rules, "write", path);
    const files = this.#judged;
    const writing = await spelledAs(path, "changed", async () =>
      isStreamWritable(files) ? files.openWrite(path, options) : undefined,
    );
    return (
      writing && {
        write: (bytes) => writing.write(bytes),
        commit: () => spelledAs(path, "changed", () => writing.commit()),
        abort: () => writing.abort(),
      }
    );
  }

  async remove(path: string): Promise<boolean> {
    const isLeaf = await this.#isLeaf(path);
    assertRemovable(this.#rules, path, isLeaf);
    const files = isLeaf ? this.#judgedForLeaf : this.#judged;
    return spelledAs(path, "deleted", () => files.remove(path));
  }

  openPieces(path: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    return this.#readable(path, "read", async (files) =>
      isByteReadable(files) ? files.openBytes(path) : undefined,
    );
  }

  async openHost(path: string): Promise<readonly HostFolder[] | undefined> {
    const folders = await this.#readable(path, "listed", async (files) =>
      isHostSearchable(files) ? files.openFolders(path) : undefined,
    );
    if (folders === undefined) return undefined;
    try {
      return await Promise.all(folders.map((folder) => this.#withSight(folder)));
    } catch (error) {
      await Promise.all(folders.map((folder) => folder.close()));
      throw error;
    }
  }

  async #readable<T>(path: string, done: Done, work: (files: FileBackend) => Promise<T>): Promise<T> {
    assertAllowed(this.#rules, "read", path, done);
    return spelledAs(path, done, () => work(this.#judged));
  }

  #isReadable(path: string): boolean {
    return this.#rules.decide("read", path) !== "deny";
  }

  /** Whether nothing lies below: a file, or a link, of which only itself is removed. False for what cannot be looked at. */
  async #isLeaf(path: string): Promise<boolean> {
    try {
      return (await isLink(this.#files, path)) || (await this.#files.stat(path))?.kind === "file";
    } catch (error) {
      if (DeerflowError.is(error) && error.retry === "model") return false;
      throw error;
    }
  }

  /** A search follows no links below the folder, so that its own two places tell those of everything in it. */
  async #withSight(folder: HostFolder): Promise<HostFolder> {
    const spelled = folder.virtualPath;
    const real = isLinkFollowing(this.#files) ? await this.#files.realPath(spelled) : spelled;
    const places = [...new Set([spelled, real])];
    const isShown = wayTest((name) => places.every((place) => this.#isReadable(childOf(place, name))));
    return { ...folder, shows: (name) => folder.shows?.(name) !== false && isShown(name) };
  }
}

/** A link leads elsewhere than its name in its folder, or out of the tree. */
async function isLink(files: FileBackend, path: string): Promise<boolean> {
  if (!isLinkFollowing(files) || path === "/") return false;
  const own = childOf(await files.realPath(parentOf(path)), nameOf(path));
  try {
    return (await files.realPath(path)) !== own;
  } catch (error) {
    // Its folder can be reached, so that it is the name itself that leads out.
    if (DeerflowError.is(error) && error.code === "path_denied") return true;
    throw error;
  }
}

/** Judges where a path really lies. */
const judgeBy =
  (rules: PermissionRules, isLeaf: boolean): PathJudge =>
  (operation, path) => {
    if (operation === "remove") assertRemovable(rules, path, isLeaf);
    else assertAllowed(rules, operation, path);
  };

const DONE: Readonly<Record<PermissionOperation, Done>> = { read: "read", write: "changed" };

function assertAllowed(
  rules: PermissionRules,
  operation: PermissionOperation,
  path: string,
  done: Done = DONE[operation],
): void {
  if (rules.decide(operation, path) !== "deny") return;
  throw forbidden(path, done, "a permission rule forbids it");
}

function assertRemovable(rules: PermissionRules, path: string, isLeaf: boolean): void {
  const patterns = rules.removalBlockers(path, { isLeaf });
  if (patterns.length === 0) return;
  const named = patterns.slice(0, MAX_NAMED_PATTERNS).map(shownPath).join(", ");
  const more =
    patterns.length > MAX_NAMED_PATTERNS ? ` and ${patterns.length - MAX_NAMED_PATTERNS} more` : "";
  throw forbidden(path, "deleted", `permission rules forbid changes to ${named}${more}`);
}

const forbidden = (path: string, done: Done, reason: string): DeerflowError =>
  new DeerflowError("path_forbidden", { path: shownPath(path), done, reason });

/** A failure names what was asked for, not the place that a link leads to: its name may be forbidden. */
async function spelledAs<T>(path: string, done: Done, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!DeerflowError.is(error)) throw error;
    const { code, details } = error;
    if (code === "path_forbidden") throw new DeerflowError(code, { ...details, path: shownPath(path), done });
    // A path of the host is answered with the one to use, before any link is followed.
    if (code === "path_of_host" || isOnTheWay(details["path"], path)) throw error;
    // A file that stands in the way is above the path.
    const named = code === "not_a_directory" ? parentOf(path) : path;
    throw new DeerflowError(code, { ...details, path: shownPath(named) }, error);
  }
}

/** Whether `shown` names the path itself, a folder above it or something in it, or nothing. */
function isOnTheWay(shown: unknown, path: string): boolean {
  if (typeof shown !== "string") return true;
  const names = segmentsOf(path);
  const above = names.map((_, at) => shownPath(fromSegments(names.slice(0, at))));
  return isWithin(shown, shownPath(path)) || above.includes(shown);
}
