/**
 * The host's side of a mirror. A sandbox's names are hostile: nothing is read or written outside a mount, no link is
 * followed, and only plain files and folders count.
 */
import { constants } from "node:fs";
import { link, lstat, mkdir, open, readdir, rename, rm, rmdir, unlink } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import type { SandboxMount } from "../contract.js";
import type { Entry, Side } from "./mirror-plan.js";

/** Longest name and path that Linux takes, in bytes. */
const NAME_BYTES = 255;
const PATH_BYTES = 3000;

const TEMPORARY = /^\.deerflow-mirror-[0-9a-f]{16}\.tmp$/;
const temporaryName = () => `.deerflow-mirror-${randomBytes(8).toString("hex")}.tmp`;

/** The mount that holds a virtual path, the innermost one; undefined for a path that is not plain, or in none. Pure. */
export function mountOf(mounts: readonly SandboxMount[], path: string): SandboxMount | undefined {
  const names = path.split("/").slice(1);
  const isPlain =
    path.startsWith("/") &&
    Buffer.byteLength(path) <= PATH_BYTES &&
    !/[\0\uFFFD]/.test(path) &&
    names.every(
      (name) => name !== "" && name !== "." && name !== ".." && Buffer.byteLength(name) <= NAME_BYTES,
    );
  if (!isPlain) return undefined;
  return mounts
    .filter(({ virtualPath }) => path.startsWith(`${virtualPath}/`))
    .toSorted((a, b) => b.virtualPath.length - a.virtualPath.length)[0];
}

type Place = Pick<SandboxMount, "virtualPath" | "hostPath">;

export class HostFiles {
  readonly #mounts: readonly SandboxMount[];

  /** @param mounts with links in their host paths resolved */
  constructor(mounts: readonly SandboxMount[]) {
    this.#mounts = mounts;
  }

  /** @returns what is there, and the paths of links and special files, which are passed over */
  async scan(most: number): Promise<{ readonly side: Side; readonly passedOver: readonly string[] }> {
    const tree = new Map<string, Entry>();
    const passedOver: string[] = [];
    const waiting: Place[] = [...this.#mounts];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      for (const child of await this.#childrenOf(folder)) {
        if (tree.size >= most) return { side: { tree, seen: "cut" }, passedOver };
        const entry = await entryAt(child.hostPath);
        const isUsable = entry !== undefined && mountOf(this.#mounts, child.virtualPath) !== undefined;
        if (isUsable) tree.set(child.virtualPath, entry);
        else passedOver.push(child.virtualPath);
        if (isUsable && entry.kind === "folder") waiting.push(child);
      }
    }
    return { side: { tree, seen: "whole" }, passedOver };
  }

  async #childrenOf({ virtualPath, hostPath }: Place): Promise<readonly Place[]> {
    const names = await readdir(hostPath).catch(() => []);
    return (
      names
        .filter((name) => !TEMPORARY.test(name))
        .map((name) => ({ virtualPath: `${virtualPath}/${name}`, hostPath: join(hostPath, name) }))
        // Where a mount lies in another, the inner one shows what is there.
        .filter((child) => !this.#mounts.some((mount) => mount.virtualPath === child.virtualPath))
    );
  }

  async entry(path: string): Promise<Entry | undefined> {
    const hostPath = await this.#place(path);
    return hostPath === undefined ? undefined : entryAt(hostPath);
  }

  /** The content of a plain file and what it was stamped with; undefined where there is none, or more than `most` bytes. */
  async read(
    path: string,
    most: number,
  ): Promise<{ readonly content: Uint8Array; readonly stamp: string } | undefined> {
    const hostPath = await this.#place(path);
    if (hostPath === undefined) return undefined;
    // Without NONBLOCK a pipe that was put in the file's place would hold us for ever.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await open(hostPath, flags).catch(() => undefined);
    try {
      const stat = await file?.stat({ bigint: true });
      if (file === undefined || stat?.isFile() !== true || stat.size > BigInt(most)) return undefined;
      return { content: await file.readFile(), stamp: stampOf(stat) };
    } finally {
      await file?.close();
    }
  }

  /**
   * Puts content in place in one step, if what is there is still what was seen.
   * @param expected the stamp of the file that may be replaced; undefined when nothing may be there
   * @returns the new stamp; undefined when something else is there, or it cannot be written
   */
  async write(path: string, content: Uint8Array, expected: string | undefined): Promise<string | undefined> {
    const hostPath = await this.#place(path);
    if (hostPath === undefined) return undefined;
    const temporary = join(dirname(hostPath), temporaryName());
    try {
      const mode = (await lstat(hostPath).catch(() => undefined))?.mode ?? 0o644;
      await writeNew(temporary, content, mode & 0o777);
      const present = await entryAt(hostPath);
      if (expected === undefined) await link(temporary, hostPath);
      else if (present?.kind === "file" && present.stamp === expected) await rename(temporary, hostPath);
      else return undefined;
      await rm(temporary, { force: true });
      const now = await entryAt(hostPath);
      return now?.kind === "file" ? now.stamp : undefined;
    } catch {
      return undefined; // A full disk, a folder in the way: the caller says that it was left out.
    } finally {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }

  /** Whether a folder is there now. */
  async makeFolder(path: string): Promise<boolean> {
    const hostPath = await this.#place(path);
    if (hostPath === undefined) return false;
    await mkdir(hostPath).catch(() => undefined);
    return (await entryAt(hostPath))?.kind === "folder";
  }

  /** Removes a file that still is what was seen, or an empty folder. */
  async remove(path: string, seen: Entry): Promise<boolean> {
    const hostPath = await this.#place(path);
    const present = hostPath === undefined ? undefined : await entryAt(hostPath);
    if (hostPath === undefined || present === undefined) return true;
    if (present.kind !== seen.kind) return false;
    if (present.kind === "file" && seen.kind === "file" && present.stamp !== seen.stamp) return false;
    return (present.kind === "folder" ? rmdir(hostPath) : unlink(hostPath)).then(
      () => true,
      () => false,
    );
  }

  /** The host path, when every folder on the way is a folder and no link. */
  async #place(path: string): Promise<string | undefined> {
    const mount = mountOf(this.#mounts, path);
    if (mount === undefined) return undefined;
    const names = path.slice(mount.virtualPath.length + 1).split("/");
    let place = mount.hostPath;
    for (const name of names.slice(0, -1)) {
      place = join(place, name);
      if ((await entryAt(place))?.kind !== "folder") return undefined;
    }
    return join(place, names.at(-1) ?? "");
  }
}

async function writeNew(path: string, content: Uint8Array, mode: number): Promise<void> {
  const file = await open(path, "wx", mode);
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

interface Stat {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly ino: bigint;
}

const stampOf = ({ size, mtimeNs, ctimeNs, ino }: Stat): string => `${size} ${mtimeNs} ${ctimeNs} ${ino}`;

async function entryAt(hostPath: string): Promise<Entry | undefined> {
  const stat = await lstat(hostPath, { bigint: true }).catch(() => undefined);
  if (stat?.isDirectory() === true) return { kind: "folder" };
  if (stat?.isFile() !== true) return undefined;
  return { kind: "file", size: Number(stat.size), stamp: stampOf(stat) };
}
