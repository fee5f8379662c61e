/** A folder of this machine, or its whole disk, as the files of an agent. */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { DeerflowError } from "../base/errors.js";
import { fromSegments, isWithin, segmentsOf, shownPath } from "../base/virtual-path.js";
import { assertOptions, optionInvalid } from "./assert-backend.js";
import type { FileBackend, PathJudge } from "./contract.js";
import { foldsCase } from "./disk-case.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";
import type { Place } from "./mount-table.js";
import { bothJudges } from "./path-judge.js";

export interface FilesystemOptions {
  /** A folder of the host, absolute or from the working directory; made, for its owner only, at the first write. */
  readonly rootDir: string;
  /** True, the default: `/` is `rootDir`, and nothing outside it can be reached. False: paths are the host's own. */
  readonly virtualMode?: boolean;
  /** Larger files are refused by `read`. Bytes, 64 MiB by default. */
  readonly maxReadBytes?: number;
  /** Whether names that differ only in case are one file; found out at `rootDir` by default. */
  readonly foldsCase?: boolean;
  /** Asked about every path as it really lies; {@link FilesystemBackend.judgedBy} adds one. */
  readonly judge?: PathJudge;
}

/** A shorter root is likely to be the name of a folder in it too. */
const TELLING_SEGMENTS = 2;

/**
 * Files below `rootDir`. Links count as any program of this machine sees them: one that stays below `rootDir` is
 * followed, one that leaves it is refused at any depth. `rootDir` itself and the folders above it cannot be removed.
 */
export class FilesystemBackend extends MountedDiskBackend {
  /** Absolute. Not for a model. */
  readonly rootDir: string;
  readonly virtualMode: boolean;
  readonly #options: FilesystemOptions;
  /** The spellings of `rootDir`, with and without links resolved. */
  readonly #roots: readonly string[];

  /** @throws DeerflowError `filesystem_options_invalid` */
  constructor(options: FilesystemOptions) {
    assertOptions(options, "rootDir");
    const rootDir = absoluteRoot(options.rootDir);
    const virtualMode = options.virtualMode ?? true;
    if (!virtualMode && process.platform === "win32") {
      const reason = "paths of Windows cannot be used as they are";
      throw optionInvalid("virtualMode", reason);
    }
    const roots = [...new Set([rootDir, realRoot(rootDir)])];
    super({
      ...options,
      mounts: [{ virtualPath: "/", hostPath: virtualMode ? rootDir : "/", mode: "read-write" }],
      links: "host",
      keeps: virtualMode ? [] : roots,
    });
    this.rootDir = rootDir;
    this.virtualMode = virtualMode;
    this.#options = options;
    this.#roots = roots;
  }

  /** Over the whole disk too it is the root's file system that counts. */
  override get foldsCase(): boolean {
    return this.#options.foldsCase ?? (super.foldsCase || foldsCase(this.rootDir));
  }

  override judgedBy(judge: PathJudge): FileBackend {
    return new FilesystemBackend({ ...this.#options, judge: bothJudges(this.#options.judge, judge) });
  }

  protected override async resolve(path: string): Promise<Place> {
    if (this.virtualMode) this.#refuseHostPath(path);
    return super.resolve(path);
  }

  /**
   * A path that a command printed would lead to a copy of the whole way to the root inside the root.
   * @throws DeerflowError `path_of_host`
   */
  #refuseHostPath(path: string): void {
    const root = this.#roots.find((candidate) => isWithin(path, candidate));
    const names = segmentsOf(root ?? "");
    if (root === undefined || names.length < TELLING_SEGMENTS || exists(join(this.rootDir, root))) return;
    const here = fromSegments(segmentsOf(path).slice(names.length));
    throw new DeerflowError("path_of_host", { path: shownPath(here) });
  }
}

function absoluteRoot(rootDir: string): string {
  if (typeof rootDir !== "string" || rootDir.trim() === "" || rootDir.includes("\0")) {
    throw optionInvalid("rootDir", "it is not a path");
  }
  const root = resolve(rootDir);
  if (isNoFolder(root)) throw optionInvalid("rootDir", "it is there and is no folder");
  return root;
}

function realRoot(rootDir: string): string {
  try {
    return realpathSync(rootDir);
  } catch {
    return rootDir; // it is not there yet
  }
}

/** What is not there yet, or cannot be looked at, may still be one. */
function isNoFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
  } catch {
    return false;
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a file stands in the way, or the folder is closed to us
  }
}
