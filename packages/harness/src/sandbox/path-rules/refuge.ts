/** Where what a command left against the rules is moved: nothing is ever deleted. */
import { randomBytes } from "node:crypto";
import { codeOf, type HostFolder } from "./host-folder.js";
import { namesBelow, type Spot } from "./mounted-spot.js";

/** In the root of the mount. */
export const REFUSED = ".refused";
const MADE = new Set<string>();
const ATTEMPTS = 5;
const HERE = Buffer.from(".");

/** Whether a folder's name at the root of a mount is one for what is moved aside. */
export const isRefugeName = (name: string): boolean => name === REFUSED || name.startsWith(`${REFUSED}-`);

/** Whether a folder of this name was made here, to hold what is moved aside. Nobody else can guess such a name. */
export const isOwnRefuge = (name: string): boolean => MADE.has(name);

/** A fresh folder below `.refused` in the root of one mount, made when it is first needed. Ours alone by its name. */
export class Refuge {
  readonly #root: HostFolder;
  readonly #virtualRoot: string;
  #made: { readonly folder: HostFolder; readonly path: string } | undefined;

  constructor(root: HostFolder, virtualRoot: string) {
    this.#root = root;
    this.#virtualRoot = virtualRoot;
  }

  /** The virtual path of the folder; undefined when nothing was moved. */
  get path(): string | undefined {
    return this.#made?.path;
  }

  /** Moves one name out of its folder, with all below it, and without following a link. */
  take(folder: HostFolder, name: Buffer, spot: Spot): void {
    this.#made ??= makeRefuge(this.#root, this.#virtualRoot);
    const names = namesBelow(spot.path, this.#virtualRoot);
    const into = descend(this.#made.folder, names.slice(0, -1));
    try {
      moveInto(folder, name, into);
    } catch (error) {
      // Another disk is mounted below the root.
      if (codeOf(error) !== "EXDEV") throw error;
      const beside = makeRefuge(folder, "");
      try {
        folder.move(name, beside.folder);
      } finally {
        beside.folder.close();
      }
    } finally {
      into.close();
    }
  }

  close(): void {
    this.#made?.folder.close();
  }
}

function moveInto(folder: HostFolder, name: Buffer, into: HostFolder): void {
  const free = freeName(into, name);
  try {
    folder.move(name, into, free);
  } catch (error) {
    if (codeOf(error) !== "EACCES") throw error;
    // The command closed its folder, or the one that is moved.
    folder.makeWritable();
    folder.forcedChild(name)?.close();
    folder.move(name, into, free);
  }
}

/** A name that is not taken: a command that runs beside may have put something there. */
function freeName(folder: HostFolder, name: Buffer): Buffer {
  const isTaken = folder.kindOf(name) !== undefined;
  return isTaken ? Buffer.from(`moved-${randomBytes(8).toString("hex")}`) : name;
}

function makeRefuge(root: HostFolder, virtualRoot: string): { folder: HostFolder; path: string } {
  for (let attempt = 1; ; attempt += 1) {
    const id = `${new Date().toISOString().replaceAll(/[:.]/g, "")}-${randomBytes(4).toString("hex")}`;
    // Something else than a folder may stand in the way of the first name.
    const outer = attempt === 1 ? REFUSED : `${REFUSED}-${id}`;
    try {
      const folder = freshChild(ensuredChild(root, Buffer.from(outer)), Buffer.from(id));
      MADE.add(id);
      return { folder, path: `${virtualRoot}/${outer}/${id}` };
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

function freshChild(outer: HostFolder, name: Buffer): HostFolder {
  try {
    outer.make(name);
    return existing(outer.child(name));
  } finally {
    outer.close();
  }
}

function ensuredChild(folder: HostFolder, name: Buffer): HostFolder {
  try {
    folder.make(name);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  return existing(folder.child(name));
}

/** The way to a file, made anew below the refuge. The caller closes what it gets. */
function descend(refuge: HostFolder, names: readonly Buffer[]): HostFolder {
  let folder = existing(refuge.child(HERE));
  for (const name of names) {
    const outer = folder;
    try {
      folder = ensuredChild(outer, name);
    } finally {
      outer.close();
    }
  }
  return folder;
}

function existing(folder: HostFolder | undefined): HostFolder {
  if (folder === undefined) throw new Error("a folder is in the way of another thing");
  return folder;
}
