import type { Sandbox } from "../sandbox/contract.js";

/**
 * A tree of files that an agent may see. Paths are absolute, POSIX and virtual (`/mnt/user-data/…`).
 * A backend gives these five verbs and nothing else; edit, search, paging and numbering are written once
 * above them. Absence is `undefined`; a broken backend throws. No text or error may hold a host path.
 */
export interface FileBackend {
  /** Two backends with the same id share one lock space (same files). */
  readonly id: string;
  /** False where nothing can be removed; `remove` then throws `removal_unsupported`. Absent means true. */
  readonly canRemove?: boolean;
  /** True where names that differ only in case are one file. Absent means false. */
  readonly foldsCase?: boolean;
  /** True when files lie in the channel `files` of the graph's state, which the agent must then have. */
  readonly usesGraphState?: boolean;
  /**
   * The direct children of a directory, sorted by name. Names that no path can spell are left out and counted.
   * @throws DeerflowError `path_not_found`, `not_a_directory`, `path_denied`
   */
  list(path: string, notes?: ListNotes): Promise<readonly FileEntry[]>;
  /** What is at `path`; `undefined` when nothing is. Never follows a link out of the tree. */
  stat(path: string): Promise<FileEntry | undefined>;
  /** The whole content; `undefined` when no file is there. */
  read(path: string): Promise<FileContent | undefined>;
  /**
   * Creates or replaces a file atomically, with its parent directories; keeps the mode of a replaced file.
   * With `expectedVersion` it is a compare-and-set: `null` means "must not exist".
   * @throws DeerflowError `file_changed` when the expectation fails, `path_denied` outside writable mounts
   */
  write(path: string, content: Uint8Array, options?: WriteOptions): Promise<Version>;
  /** Removes a file, an empty or full directory, or a link itself. False when nothing was there. */
  remove(path: string): Promise<boolean>;
}

/** What a listing tells besides its entries; a backend adds to it. */
export interface ListNotes {
  /** Names that are not UTF-8. */
  unusableNames: number;
}

export interface WriteOptions {
  readonly expectedVersion?: Version | null;
}

/** The sha-256 of the whole content, in hex. */
export type Version = string;

export interface FileContent {
  readonly bytes: Uint8Array;
  readonly version: Version;
}

export interface FileEntry {
  readonly path: string;
  readonly kind: "file" | "directory";
  /** Bytes; 0 for a directory. */
  readonly size: number;
  /** Milliseconds since 1970; 0 where unknown. */
  readonly modifiedAt: number;
  /** True when the entry is a link to what is described here. Searches do not follow links. */
  readonly link?: true;
}

/** A folder of the host that a search process may be started in. Never shown to a model. */
export interface HostFolder {
  /** Where the agent sees it. */
  readonly virtualPath: string;
  /** The working directory for the process; holds good until `close`, wherever links lead meanwhile. */
  readonly workingDirectory: string;
  /** The one name in it that is meant, when the path asked for is a file's. */
  readonly only?: string;
  /** Whether a search may tell of a name below, as `a/b.txt`; absent where it may tell of all. */
  readonly shows?: (name: string) => boolean;
  /** Where it lies, for a process in a cell. */
  readonly cell: SearchCell;
  /** True where commands of a sandbox can put links in the way of a search while it runs: then it needs the cell. */
  readonly isContested: boolean;
  close(): Promise<void>;
}

/** The folder of the host beyond which a process sees nothing, and the names from there to its working directory. */
export interface SearchCell {
  readonly hostPath: string;
  readonly below: readonly string[];
}

/** A backend that can give a file piece by piece, so that a large one need not be in memory whole. */
export interface ByteReadable {
  /** The content in order, in pieces of at most 1 MiB; undefined when no file is there. Has no size limit. */
  openBytes(path: string): Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** A backend that takes a file piece by piece, so that a large one need not be in memory whole. */
export interface StreamWritable {
  /**
   * Begins a file that appears at its `commit` as by `write`, whole and in one moment: until then `path` holds what it
   * held. Undefined where the files at `path` are only taken whole.
   * @throws DeerflowError as `write` does; a failed expectation and a folder in the way are found at `commit`
   */
  openWrite(path: string, options?: WriteOptions): Promise<FileWriting | undefined>;
}

/** A file while it is written, one piece after the other. `commit` or `abort` ends it, and leaves nothing beside it. */
export interface FileWriting {
  write(bytes: Uint8Array): Promise<void>;
  /** @throws DeerflowError `file_changed`, `is_a_directory`, `path_denied`; nothing of it stays then */
  commit(): Promise<void>;
  /** Nothing of it stays. Does nothing after an end. */
  abort(): Promise<void>;
}

/** Judges a path before it is used; throws to refuse. `path` is canonical, with every link on the way resolved. */
export type PathJudge = (operation: PathOperation, path: string) => void;
/** What is done to a path: `remove` takes everything below it too. */
export type PathOperation = "read" | "write" | "remove";

/** A backend in which a path can lead elsewhere (links). */
export interface LinkFollowing {
  /**
   * The same files, with `judge` asked about every path as it really lies in the tree, after links are resolved and
   * at the moment of use: what was judged is what is opened.
   */
  judgedBy(judge: PathJudge): FileBackend;
  /** Where `path` really lies in the tree; itself when no link is on the way. What is missing ends the looking. */
  realPath(path: string): Promise<string>;
}

/** A backend with a shell beside its files. */
export interface WithShell {
  readonly shell: Shell;
}

export interface Shell {
  readonly sandbox: Sandbox;
  /** Where commands start: a path of the backend. */
  readonly workingDirectory: string;
  /** True when commands run on this machine itself and can reach every file of it. */
  readonly reachesHost: boolean;
  /** The time limit of a command that names none, in seconds; absent where who asks may say so. */
  readonly timeoutSeconds?: number;
}

/** A backend whose files lie on this machine, so that a search may run in a process of its own. */
export interface HostSearchable {
  /**
   * The host folders that make up `path`, in order of virtual path, or the folder of a file; the caller closes each.
   * Undefined where some of what `path` holds lies elsewhere, or a process could not be kept from telling what is
   * forbidden: then the search goes through the five verbs.
   */
  openFolders(path: string): Promise<readonly HostFolder[] | undefined>;
}
