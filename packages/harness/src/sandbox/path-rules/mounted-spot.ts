/** A path below a mount, as rules, the sandbox and the host spell it. */
import { isWithin } from "../../base/virtual-path.js";
import type { SandboxMount } from "../contract.js";

export interface Spot {
  /** As rules see it: what is no UTF-8 has become a mark. */
  readonly text: string;
  /** The virtual path. */
  readonly path: Buffer;
  readonly hostPath: Buffer;
  /** How many folders below the mount. */
  readonly depth: number;
}

const SLASH = Buffer.from("/");

export const rootSpot = ({ virtualPath, hostPath }: SandboxMount): Spot => ({
  text: virtualPath,
  path: Buffer.from(virtualPath),
  hostPath: Buffer.from(hostPath),
  depth: 0,
});

export const childSpot = (folder: Spot, name: Buffer): Spot => ({
  text: `${folder.text}/${name.toString()}`,
  path: Buffer.concat([folder.path, SLASH, name]),
  hostPath: Buffer.concat([folder.hostPath, SLASH, name]),
  depth: folder.depth + 1,
});

export const parentSpot = ({ text, path, hostPath, depth }: Spot): Spot => ({
  text: text.slice(0, text.lastIndexOf("/")),
  path: path.subarray(0, path.lastIndexOf(SLASH)),
  hostPath: hostPath.subarray(0, hostPath.lastIndexOf(SLASH)),
  depth: depth - 1,
});

/** The innermost mount that holds `path`. */
export const holderOf = (mounts: readonly SandboxMount[], path: string): SandboxMount | undefined =>
  mounts
    .filter(({ virtualPath }) => isWithin(path, virtualPath))
    .toSorted((a, b) => b.virtualPath.length - a.virtualPath.length)[0];

/** The names on the way from a mount to a path in it. */
export const namesBelow = (path: Buffer, virtualRoot: string): readonly Buffer[] =>
  path
    .subarray(Buffer.byteLength(virtualRoot) + 1)
    .toString("latin1")
    .split("/")
    .map((name) => Buffer.from(name, "latin1"));
