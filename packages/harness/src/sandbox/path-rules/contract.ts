/** What path rules come to in a shell, and the tree of files that they are held against. */

/** What a command can do with a file or a folder. Ordered: a later one allows less. */
export const ACCESSES = ["open", "read-only", "hidden"] as const;
export type Access = (typeof ACCESSES)[number];

/** One option of bubblewrap with its values. A value is bytes where it is a name. */
export type MountOption = readonly (string | Uint8Array)[];

export type EntryKind = "folder" | "file" | "link";

export interface TreeEntry {
  /** As the disk has it, which need not be UTF-8. */
  readonly name: Buffer;
  readonly kind: EntryKind;
}

/** A folder held open, so that no link that is planted meanwhile leads elsewhere. Links are never followed. */
export interface TreeFolder {
  entries(): readonly TreeEntry[];
  /** Undefined when there is no folder of that name any more. @throws when it cannot be opened */
  child(name: Buffer): TreeFolder | undefined;
  /** Undefined when nothing is there. */
  kindOf(name: Buffer): EntryKind | undefined;
  /** Where a link says that it leads; undefined when it is none. */
  target(name: Buffer): Buffer | undefined;
  /** Tells what is there from whatever may take its name later; undefined when nothing is there. */
  identity(name: Buffer): string | undefined;
  close(): void;
}

/** Opens the folder behind a mount; undefined when it is no folder. */
export type OpenTree = (hostPath: string) => TreeFolder | undefined;

/** A path as it was spelled, and where a link of the tree on its way leads it. Both virtual. */
export interface Alias {
  readonly spelled: string;
  readonly real: string;
}

/** A link that commands must leave as it is; they cannot be kept from replacing it, so it is put back. */
export interface HeldLink {
  /** Virtual, as bytes. */
  readonly path: Buffer;
  readonly target: Buffer;
}

/** What is mounted over the mounts for one command, and what the check after it goes by. */
export interface PathPlan {
  readonly options: readonly MountOption[];
  /** What stands at a place that is a mount of its own, by {@link keyOf} its virtual path. */
  readonly held: ReadonlyMap<string, Access>;
  /** The keys of the folders above such a place. */
  readonly above: ReadonlySet<string>;
  readonly links: readonly HeldLink[];
  readonly aliases: readonly Alias[];
  /** For each mount, by its virtual path: the same for two commands that hold the same places in it. */
  readonly fingerprints: ReadonlyMap<string, string>;
}

/** How commands of one kind come to their turn. */
export interface CommandStarts {
  /** Waits for the command's turn in its folders. @throws the signal's reason */
  begin(request: StartRequest): Promise<StartedCommand>;
}

export interface StartRequest {
  readonly signal: AbortSignal;
  /** Called when it begins to wait for another command. */
  readonly onWait: () => void;
}

/** One command, for which the rules hold from the moment that it starts. */
export interface StartedCommand {
  /** For bubblewrap, after the mounts. */
  readonly options: readonly MountOption[];
  /**
   * To be called once when everything of the command is dead.
   * @param masked hides in a path what the command's output hides
   * @returns sentences for the model
   */
  end(masked: (path: string) => string): Promise<readonly string[]>;
}

/** A path of any bytes as a text that is different for every one. */
export const keyOf = (path: Uint8Array): string => Buffer.from(path).toString("latin1");
