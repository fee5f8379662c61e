/** Several backends as one tree: what lies below a route is one backend's, everything else the default's. */
import { DeerflowError } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import { isWithin, shownPath } from "../base/virtual-path.js";
import { assertBackend } from "./assert-backend.js";
import {
  isByteReadable,
  isHostSearchable,
  isLinkFollowing,
  isStreamWritable,
  shellOf,
} from "./capabilities.js";
import {
  type CompositeRoute,
  innerJudge,
  innerPath,
  outerError,
  outerPath,
  parseRoot,
  parseRoutes,
  type Routed,
  routeChildren,
  routesBelow,
} from "./composite-routes.js";
import type {
  ByteReadable,
  FileBackend,
  FileContent,
  FileEntry,
  FileWriting,
  HostFolder,
  HostSearchable,
  LinkFollowing,
  ListNotes,
  PathJudge,
  PathOperation,
  Shell,
  StreamWritable,
  Version,
  WriteOptions,
} from "./contract.js";
import { bothJudges } from "./path-judge.js";

export interface CompositeOptions {
  /** The folder below which the middleware keeps what it takes out of the conversation; `/` by default. */
  readonly artifactsRoot?: string;
  /** Asked about every path as it really lies; {@link CompositeBackend.judgedBy} adds one. */
  readonly judge?: PathJudge;
}

const PIECE_BYTES = 1024 * 1024;

/**
 * A path goes to the backend with the longest route that holds it, which sees it without the route; every path that
 * comes back, in a failure too, is the one of the whole. Routes appear as folders, cannot be removed and hide what the
 * backend below them has in their place. Commands run in the default backend's shell.
 */
export class CompositeBackend
  implements FileBackend, ByteReadable, StreamWritable, HostSearchable, LinkFollowing
{
  readonly defaultBackend: FileBackend;
  /** Longest first. */
  readonly routes: readonly CompositeRoute[];
  /** Canonical, so without a final slash. */
  readonly artifactsRoot: string;
  readonly #judge: PathJudge | undefined;

  /**
   * @param routes by folder, with or without a final slash
   * @throws DeerflowError `filesystem_options_invalid`
   */
  constructor(
    defaultBackend: FileBackend,
    routes: Readonly<Record<string, FileBackend>>,
    options: CompositeOptions = {},
  ) {
    assertBackend("defaultBackend", defaultBackend);
    this.defaultBackend = defaultBackend;
    this.routes = Object.freeze(parseRoutes(routes));
    this.artifactsRoot = parseRoot("artifactsRoot", options.artifactsRoot ?? "/");
    this.#judge = options.judge;
  }

  /** Asked each time: the id of files in a graph's state is that of the running thread. */
  get id(): string {
    const parts = this.routes.map(({ root, backend }) => [root, backend.id]);
    return `composite:${sha256(JSON.stringify([this.defaultBackend.id, parts]))}`;
  }

  /** True when anything can be removed; a route that cannot says so when it is asked. */
  get canRemove(): boolean {
    return this.#backends.some((files) => files.canRemove !== false);
  }

  get foldsCase(): boolean {
    return this.#backends.some((files) => files.foldsCase === true);
  }

  get usesGraphState(): boolean {
    return this.#backends.some((files) => files.usesGraphState === true);
  }

  get shell(): Shell | undefined {
    return shellOf(this.defaultBackend);
  }

  async list(path: string, notes?: ListNotes): Promise<readonly FileEntry[]> {
    const routed = this.#enter("read", path);
    const mounts = routeChildren(this.routes, path);
    const own = await this.#listOwn(routed, notes).catch((error: unknown) => {
      if (this.#isFixed(routed) && isMissing(error)) return [];
      throw error;
    });
    return [
      ...mounts.filter((mount) => this.#isReadable(mount)).map(directoryAt),
      ...own.filter((entry) => !mounts.includes(entry.path)),
    ].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async stat(path: string): Promise<FileEntry | undefined> {
    const routed = this.#enter("read", path);
    if (this.#isFixed(routed)) return directoryAt(path);
    const entry = await this.#ask(routed, (files, inner) => files.stat(inner));
    return entry && { ...entry, path };
  }

  async read(path: string): Promise<FileContent | undefined> {
    const routed = this.#enter("read", path);
    return this.#isFixed(routed) ? undefined : this.#ask(routed, (files, inner) => files.read(inner));
  }

  /** A backend without pieces is read whole, within its own limit. */
  async openBytes(path: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const routed = this.#enter("read", path);
    if (this.#isFixed(routed)) return undefined;
    const { backend } = routed;
    if (isByteReadable(backend)) {
      const pieces = await this.#ask(routed, (_, inner) => backend.openBytes(inner));
      return pieces && relayed(pieces, routed);
    }
    const content = await this.#ask(routed, (files, inner) => files.read(inner));
    return content && cut(content.bytes);
  }

  async write(path: string, content: Uint8Array, options?: WriteOptions): Promise<Version> {
    const routed = this.#enter("write", path);
    if (this.#isFixed(routed)) throw new DeerflowError("is_a_directory", { path: shownPath(path) });
    return this.#ask(routed, (files, inner) => files.write(inner, content, options));
  }

  async openWrite(path: string, options?: WriteOptions): Promise<FileWriting | undefined> {
    const routed = this.#enter("write", path);
    if (this.#isFixed(routed)) throw new DeerflowError("is_a_directory", { path: shownPath(path) });
    const { backend } = routed;
    if (!isStreamWritable(backend)) return undefined;
    const writing = await this.#ask(routed, (_, inner) => backend.openWrite(inner, options));
    return writing && routedWriting(writing, routed);
  }

  async remove(path: string): Promise<boolean> {
    const routed = this.#enter("remove", path);
    const reason = this.#reasonToKeep(routed);
    if (reason !== undefined) throw new DeerflowError("path_denied", { path: shownPath(path), reason });
    if (routed.backend.canRemove === false) {
      throw new DeerflowError("removal_unsupported", { path: shownPath(path) });
    }
    return this.#ask(routed, (files, inner) => files.remove(inner));
  }

  /** Undefined also where a route lies below: its place in the order of a search is in the middle of the others. */
  async openFolders(path: string): Promise<readonly HostFolder[] | undefined> {
    const routed = this.#enter("read", path);
    const { backend, root } = routed;
    if (!isHostSearchable(backend) || routesBelow(this.routes, path).length > 0) return undefined;
    const folders = await this.#ask(routed, (_, inner) => backend.openFolders(inner));
    return folders?.map((folder) => ({ ...folder, virtualPath: outerPath(root, folder.virtualPath) }));
  }

  async realPath(path: string): Promise<string> {
    const routed = this.#route(path);
    const { backend, root } = routed;
    if (!isLinkFollowing(backend)) return path;
    return outerPath(root, await this.#ask(routed, (_, inner) => backend.realPath(inner)));
  }

  judgedBy(judge: PathJudge): FileBackend {
    const judged = (files: FileBackend, root: string) =>
      isLinkFollowing(files) ? files.judgedBy(innerJudge(root, judge)) : files;
    const routes = this.routes.map(({ root, backend }) => [root, judged(backend, root)] as const);
    return new CompositeBackend(judged(this.defaultBackend, "/"), Object.fromEntries(routes), {
      artifactsRoot: this.artifactsRoot,
      judge: bothJudges(this.#judge, judge),
    });
  }

  get #backends(): readonly FileBackend[] {
    return [this.defaultBackend, ...this.routes.map(({ backend }) => backend)];
  }

  #route(path: string): Routed {
    const found = this.routes.find(({ root }) => isWithin(path, root));
    const { root, backend } = found ?? { root: "/", backend: this.defaultBackend };
    return { root, backend, path, inner: innerPath(root, path) };
  }

  /** A backend with links asks the judge itself, about the place that the path leads to. */
  #enter(operation: PathOperation, path: string): Routed {
    const routed = this.#route(path);
    if (!isLinkFollowing(routed.backend) || this.#isFixed(routed)) this.#judge?.(operation, path);
    return routed;
  }

  /** The root of a route, and every folder above one, are there whatever the backends say. */
  #isFixed({ root, path }: Routed): boolean {
    return path === root || routesBelow(this.routes, path).length > 0;
  }

  #reasonToKeep({ root, path }: Routed): string | undefined {
    if (path === "/") return "it is the root of all files";
    if (path === root) return "other files are mounted at it";
    const [below] = routesBelow(this.routes, path);
    return below && `other files are mounted in it, at ${shownPath(below.root)}`;
  }

  #isReadable(path: string): boolean {
    try {
      this.#judge?.("read", path);
      return true;
    } catch (error) {
      if (DeerflowError.is(error) && error.code === "path_forbidden") return false;
      throw error;
    }
  }

  async #listOwn(routed: Routed, notes: ListNotes | undefined): Promise<readonly FileEntry[]> {
    const entries = await this.#ask(routed, (files, inner) => files.list(inner, notes));
    const outer = entries.map((entry) => ({ ...entry, path: outerPath(routed.root, entry.path) }));
    return isLinkFollowing(routed.backend) ? outer : outer.filter(({ path }) => this.#isReadable(path));
  }

  async #ask<T>(routed: Routed, question: (files: FileBackend, inner: string) => Promise<T>): Promise<T> {
    try {
      return await question(routed.backend, routed.inner);
    } catch (error) {
      throw outerError(error, routed);
    }
  }
}

const isMissing = (error: unknown): boolean =>
  DeerflowError.is(error) && ["path_not_found", "not_a_directory"].includes(error.code);

const directoryAt = (path: string): FileEntry => ({ path, kind: "directory", size: 0, modifiedAt: 0 });

async function* relayed(pieces: AsyncIterable<Uint8Array>, routed: Routed): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    throw outerError(error, routed);
  }
}

function routedWriting(writing: FileWriting, routed: Routed): FileWriting {
  const told = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      throw outerError(error, routed);
    });
  return {
    write: (bytes) => told(writing.write(bytes)),
    commit: () => told(writing.commit()),
    abort: () => told(writing.abort()),
  };
}

async function* cut(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES);
  }
}
