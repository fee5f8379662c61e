/** The host side of a sandbox's mounts: checked, resolved, and hidden from output. */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { posix } from "node:path";
import { DeerflowError } from "../base/errors.js";
import { isWithin } from "../base/virtual-path.js";
import type { SandboxMount } from "./contract.js";
import type { PathReplacement } from "./path-mask.js";

/** What a mount may not cover, for the sandbox's own system lies there. */
const SYSTEM = /^\/($|(usr|bin|sbin|lib\w*|etc|proc|sys|dev|opt|run|var)(\/|$))/;

const refuse = (virtualPath: string, reason: string): never => {
  throw new DeerflowError("sandbox_mount_invalid", { virtualPath, reason });
};

/**
 * The mounts with links in their host paths resolved, outer ones first.
 *
 * No command may be able to move a folder on the way to what is mounted and put a link there: the next command would
 * be shown what the link names, or the mount point would be made there.
 *
 * @throws DeerflowError `sandbox_mount_invalid` for a path that is not absolute and plain, that covers the
 * sandbox's system, or that lies inside another mount whose folders commands can move; for a host folder that is
 * missing, that lies inside that of a read-write mount, or that holds the temporary folder and is not read-only
 */
export function resolveMounts(mounts: readonly SandboxMount[]): readonly SandboxMount[] {
  const resolved = mounts.map(resolveMount).toSorted((a, b) => a.virtualPath.length - b.virtualPath.length);
  const table = mountTable();
  const folders = resolved.map((mount) => ({ ...mount, place: folderPlace(table, mount.hostPath) }));
  const temporary = folderPlace(table, realpathSync(tmpdir()));
  for (const inner of folders) {
    refuseTemporary(inner, temporary);
    for (const outer of folders) refuseMovable(inner, outer, folders);
  }
  return resolved;
}

interface Placed extends SandboxMount {
  readonly place: FolderPlace;
}

/** What sandboxes are made of lies there too. */
function refuseTemporary({ virtualPath, mode, place }: Placed, temporary: FolderPlace): void {
  if (mode === "read-only" || !(isBelow(temporary, place) || isSame(temporary, place))) return;
  refuse(
    virtualPath,
    "its folder holds this machine's temporary files, and with them parts of the sandbox; show a folder below that, or make it read-only",
  );
}

function refuseMovable(inner: Placed, outer: Placed, all: readonly Placed[]): void {
  if (inner === outer) return;
  const writable = all.filter(({ mode }) => mode === "read-write");
  if (outer.mode === "read-write" && isBelow(inner.place, outer.place)) {
    refuse(
      inner.virtualPath,
      `its folder lies inside that of ${outer.virtualPath}, whose commands could put another in its place; move one of the two folders, or make ${outer.virtualPath} read-only`,
    );
  }
  if (!inner.virtualPath.startsWith(`${outer.virtualPath}/`)) return;
  if (writable.some(({ place }) => overlap(place, outer.place))) {
    refuse(
      inner.virtualPath,
      `it lies inside ${outer.virtualPath}, whose folders commands can move; show it at a path beside ${outer.virtualPath}, or make that one read-only everywhere`,
    );
  }
}

/** Where a folder lies: by its path, and in its file system, of which other paths may show a part too. */
interface FolderPlace {
  readonly path: string;
  readonly device: bigint;
  readonly inFilesystem: string;
}

const mountTable = (): string =>
  process.platform === "linux" ? readFileSync("/proc/self/mountinfo", "utf8") : "";

/** @param path real */
const folderPlace = (table: string, path: string): FolderPlace => ({
  path,
  device: statSync(path, { bigint: true }).dev,
  inFilesystem: pathInFilesystem(table, path),
});

const isBelow = (inner: FolderPlace, outer: FolderPlace): boolean =>
  (inner.path !== outer.path && isWithin(inner.path, outer.path)) ||
  (inner.device === outer.device &&
    inner.inFilesystem !== outer.inFilesystem &&
    isWithin(inner.inFilesystem, outer.inFilesystem));

const isSame = (one: FolderPlace, other: FolderPlace): boolean =>
  one.path === other.path || (one.device === other.device && one.inFilesystem === other.inFilesystem);

const overlap = (one: FolderPlace, other: FolderPlace): boolean =>
  isBelow(one, other) || isBelow(other, one) || isSame(one, other);

function resolveMount({ virtualPath, hostPath, mode }: SandboxMount): SandboxMount {
  const plain = posix.normalize(virtualPath) === virtualPath && !virtualPath.endsWith("/");
  if (!plain || !virtualPath.startsWith("/") || virtualPath.includes("\0")) {
    refuse(virtualPath, "it is not an absolute, plain path");
  }
  if (SYSTEM.test(virtualPath)) refuse(virtualPath, "it would cover the sandbox's own system");
  if (statSync(hostPath, { throwIfNoEntry: false }) === undefined)
    refuse(virtualPath, "its folder is missing");
  return { virtualPath, hostPath: realpathSync(hostPath), mode };
}

/** Names of a path. One of a single name, as `/data`, is likely to be a part of ordinary output too. */
const HIDDEN_NAMES = 2;

/**
 * What turns the host paths of mounts into virtual ones in output, as they were given, with links resolved, and as the
 * kernel names them to a sandbox.
 */
export function mountReplacements(mounts: readonly SandboxMount[]): readonly PathReplacement[] {
  const table = mountTable();
  return mounts
    .flatMap(({ hostPath, virtualPath }) => {
      const inFilesystem = pathInFilesystem(table, hostPath);
      const spellings = new Set([hostPath, inFilesystem, kernelSpelling(inFilesystem)]);
      return [...spellings].map((from) => ({ from, to: virtualPath }));
    })
    .filter(({ from }) => from.split("/").filter(Boolean).length >= HIDDEN_NAMES);
}

/** Blanks and backslashes in octal, as in `/proc/<pid>/mountinfo`. */
const kernelSpelling = (path: string): string =>
  path.replaceAll(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);

/**
 * How the kernel names a path in `/proc/<pid>/mountinfo` of a sandbox: from the root of its file system, which
 * may be mounted anywhere. `table` is the host's mountinfo (proc(5): field 4 is the root, field 5 the place).
 */
export function pathInFilesystem(table: string, path: string): string {
  const holders = table
    .split("\n")
    .map((line) => line.split(" "))
    .map((fields) => ({ root: fields[3] ?? "", place: fields[4] ?? "" }))
    .filter(({ place }) => place === "/" || path === place || path.startsWith(`${place}/`))
    .toSorted((a, b) => b.place.length - a.place.length);
  const holder = holders[0];
  return holder === undefined ? path : posix.join(holder.root, posix.relative(holder.place, path));
}
