/** Which host folder stands behind which virtual path. */
import { childOf, isWithin, parseVirtualPath, segmentsOf } from "../base/virtual-path.js";
import type { SandboxMount } from "../sandbox/contract.js";

/** Where a virtual path lies. `scaffold` is a folder that exists only because mounts lie below it. */
export type Place =
  | {
      readonly kind: "mounted";
      readonly path: string;
      readonly mount: SandboxMount;
      readonly below: readonly string[];
    }
  | { readonly kind: "scaffold"; readonly path: string }
  | { readonly kind: "outside"; readonly path: string };

/** An immutable list of mounts, asked by virtual path. The longest mount that fits wins. */
export class MountTable {
  readonly mounts: readonly SandboxMount[];

  /** @throws DeerflowError `path_invalid` when a mount's virtual path is none */
  constructor(mounts: readonly SandboxMount[]) {
    this.mounts = mounts
      .map((mount) => Object.freeze({ ...mount, virtualPath: parseVirtualPath(mount.virtualPath) }))
      .sort((a, b) => (a.virtualPath < b.virtualPath ? -1 : 1));
  }

  /** @param path canonical */
  place(path: string): Place {
    const mount = this.mounts
      .filter((candidate) => isWithin(path, candidate.virtualPath))
      .reduce<SandboxMount | undefined>(
        (best, next) =>
          best !== undefined && best.virtualPath.length > next.virtualPath.length ? best : next,
        undefined,
      );
    if (mount !== undefined) {
      const below = segmentsOf(path).slice(segmentsOf(mount.virtualPath).length);
      return { kind: "mounted", path, mount, below };
    }
    return { kind: this.mountsBelow(path).length > 0 ? "scaffold" : "outside", path };
  }

  /** Mounts strictly below `path`, in order of virtual path. */
  mountsBelow(path: string): readonly SandboxMount[] {
    return this.mounts.filter((mount) => mount.virtualPath !== path && isWithin(mount.virtualPath, path));
  }

  /** The children of `path` that exist because a mount is there or below. */
  scaffoldChildren(path: string): readonly string[] {
    const depth = segmentsOf(path).length;
    const names = this.mountsBelow(path).map((mount) => segmentsOf(mount.virtualPath)[depth] ?? "");
    return [...new Set(names)].map((name) => childOf(path, name));
  }

  /** The virtual paths that may be written to, as one phrase for a message. */
  get writable(): string {
    const paths = this.mounts
      .filter((mount) => mount.mode === "read-write")
      .map((mount) => mount.virtualPath);
    return paths.length === 0
      ? "nothing here can be written"
      : `files can be written under ${paths.join(", ")}`;
  }
}
