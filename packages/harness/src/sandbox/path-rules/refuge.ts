/** Where what a command left against the rules is moved: nothing is ever deleted. */
import { randomBytes } from "node:crypto";
import type { SandboxMount } from "../contract.js";
import { keyOf, type TreeFolder } from "./contract.js";
import { codeOf, type HostFolder } from "./host-folder.js";
import { childSpot, namesBelow, parentSpot, rootSpot, type Spot } from "./mounted-spot.js";

/** In the root of the mount. */
export const REFUSED = ".refused";
const REFUSED_NAME = Buffer.from(REFUSED);
/** What was made here, by its place on the host. Only a check that was under way meanwhile has to know it. */
const MADE = new Map<string, string>();
const MOST_MADE = 10_000;
const ATTEMPTS = 5;
const HERE = Buffer.from(".");

/** Whether what is moved aside goes there: a link or a file of that name is nothing special. */
export const hasRefuge = (root: TreeFolder): boolean => root.kindOf(REFUSED_NAME) === "folder";

/** Whether this very folder was made here, to hold what is moved aside. A name says nothing: commands can read it. */
export function isOwnRefuge(folder: TreeFolder, name: Buffer, { hostPath }: Spot): boolean {
  const made = MADE.get(keyOf(hostPath));
  return made !== undefined && made === folder.identity(name);
}

/** A fresh folder below `.refused` in the root of one mount, made when it is first needed. */
export class Refuge {
  readonly #root: HostFolder;
  readonly #mount: Spot;
  #made: { readonly folder: HostFolder; readonly path: string } | undefined;

  constructor(root: HostFolder, mount: SandboxMount) {
    this.#root = root;
    this.#mount = rootSpot(mount);
  }

  /** The virtual path of the folder; undefined when nothing was moved. */
  get path(): string | undefined {
    return this.#made?.path;
  }

  /** Moves one name out of its folder, with all below it, and without following a link. */
  take(folder: HostFolder, name: Buffer, spot: Spot): void {
    this.#made ??= makeRefuge(this.#root, this.#mount);
    const names = namesBelow(spot.path, this.#mount.text);
    const into = descend(this.#made.folder, names.slice(0, -1));
    try {
      moveInto(folder, name, into);
    } catch (error) {
      // Another disk is mounted below the root.
      if (codeOf(error) !== "EXDEV") throw error;
      const beside = makeRefuge(folder, parentSpot(spot));
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

function makeRefuge(root: HostFolder, at: Spot): { folder: HostFolder; path: string } {
  for (let attempt = 1; ; attempt += 1) {
    const id = `${new Date().toISOString().replaceAll(/[:.]/g, "")}-${randomBytes(4).toString("hex")}`;
    // Something else than a folder may stand in the way of the first name.
    const outer = Buffer.from(attempt === 1 ? REFUSED : `${REFUSED}-${id}`);
    const inner = Buffer.from(id);
    try {
      const around = ensuredChild(root, outer);
      const spot = childSpot(childSpot(at, outer), inner);
      const folder = freshChild(around, inner, spot);
      // Nobody else's can be of this name; the first one commands may have filled.
      if (attempt > 1) remember(childSpot(at, outer), root.identity(outer));
      return { folder, path: spot.text };
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

function remember({ hostPath }: Spot, identity: string | undefined): void {
  if (identity === undefined) return;
  MADE.set(keyOf(hostPath), identity);
  for (const oldest of MADE.keys()) {
    if (MADE.size <= MOST_MADE) break;
    MADE.delete(oldest);
  }
}

function freshChild(outer: HostFolder, name: Buffer, spot: Spot): HostFolder {
  try {
    outer.make(name);
    remember(spot, outer.identity(name));
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
