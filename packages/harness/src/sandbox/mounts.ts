/** The host side of a sandbox's mounts: checked, resolved, and hidden from output. */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { posix } from "node:path";
import { DeerflowError } from "../base/errors.js";
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
 * @throws DeerflowError `sandbox_mount_invalid` for a path that is not absolute and plain, that covers the
 * sandbox's system, or whose host folder is missing
 */
export const resolveMounts = (mounts: readonly SandboxMount[]): readonly SandboxMount[] =>
  mounts.map(resolveMount).toSorted((a, b) => a.virtualPath.length - b.virtualPath.length);

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

/** A shorter path is likely to be a word of ordinary output too. */
const HIDDEN_SEGMENTS = 3;

/**
 * What turns the host paths of mounts into virtual ones in output, as they were given, with links resolved, and as the
 * kernel names them to a sandbox.
 */
export function mountReplacements(mounts: readonly SandboxMount[]): readonly PathReplacement[] {
  const table = process.platform === "linux" ? readFileSync("/proc/self/mountinfo", "utf8") : "";
  return mounts
    .flatMap(({ hostPath, virtualPath }) => {
      const inFilesystem = pathInFilesystem(table, hostPath);
      const spellings = new Set([hostPath, inFilesystem, kernelSpelling(inFilesystem)]);
      return [...spellings].map((from) => ({ from, to: virtualPath }));
    })
    .filter(({ from }) => from.split("/").length > HIDDEN_SEGMENTS);
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
