/** Links on the way to the places that rules name: a rule holds where its path leads, too. */
import { fromSegments, segmentsOf } from "../../base/virtual-path.js";
import type { SandboxMount } from "../contract.js";
import type { Alias, EntryKind, HeldLink, OpenTree, TreeFolder } from "./contract.js";
import { holderOf } from "./mounted-spot.js";

/** As many as Linux follows in one path. */
const MAX_LINKS = 40;

export interface LinkWays {
  readonly aliases: readonly Alias[];
  /** The links themselves. */
  readonly links: readonly HeldLink[];
}

/** Follows the path of each place as the sandbox would, without leaving the mounts. */
export function linkWays(
  places: readonly string[],
  mounts: readonly SandboxMount[],
  open: OpenTree,
): LinkWays {
  const aliases = new Map<string, Alias>();
  const links = new Map<string, HeldLink>();
  for (const place of places) {
    const way = new Way(mounts, open);
    const names = segmentsOf(place);
    for (const [at, name] of names.entries()) {
      if (!way.go(name)) break;
      const spelled = fromSegments(names.slice(0, at + 1));
      if (way.path !== spelled) aliases.set(`${spelled}\0${way.path}`, { spelled, real: way.path });
    }
    for (const link of way.links) links.set(link.path.toString("latin1"), link);
  }
  return { aliases: [...aliases.values()], links: [...links.values()] };
}

/** A walk through the sandbox's tree that follows links. */
class Way {
  readonly links: HeldLink[] = [];
  readonly #mounts: readonly SandboxMount[];
  readonly #open: OpenTree;
  #names: string[] = [];

  constructor(mounts: readonly SandboxMount[], open: OpenTree) {
    this.#mounts = mounts;
    this.#open = open;
  }

  /** Where it is now, without links. */
  get path(): string {
    return fromSegments(this.#names);
  }

  /** Goes on to `name`, and on through links. False where nothing is there or it goes round in circles. */
  go(name: string): boolean {
    const ahead = [name];
    for (let next = ahead.shift(); next !== undefined; next = ahead.shift()) {
      if (next === "..") {
        this.#names.pop();
        continue;
      }
      this.#names.push(next);
      const { kind, target } = lookAt(this.path, this.#mounts, this.#open);
      if (kind === undefined) return false;
      if (target === undefined) continue;
      if (this.links.length === MAX_LINKS) return false;
      this.links.push({ path: Buffer.from(this.path), target });
      this.#names.pop();
      // A target that is no UTF-8 leads to a place that no rule can name; it is judged by its own name.
      const text = target.toString();
      if (text.startsWith("/")) this.#names = [];
      ahead.unshift(...segmentsOf(text));
    }
    return true;
  }
}

interface Found {
  readonly kind: EntryKind | undefined;
  readonly target?: Buffer | undefined;
}

/** What is at a path whose folders are no links. The folders above mounts are there. */
function lookAt(path: string, mounts: readonly SandboxMount[], open: OpenTree): Found {
  const mount = holderOf(mounts, path);
  if (mount === undefined || mount.virtualPath === path) return { kind: "folder" };
  const names = segmentsOf(path).slice(segmentsOf(mount.virtualPath).length);
  let folder: TreeFolder | undefined = open(mount.hostPath);
  try {
    for (const name of names.slice(0, -1)) {
      const inner: TreeFolder | undefined = folder?.child(Buffer.from(name));
      folder?.close();
      folder = inner;
    }
    const last = Buffer.from(names.at(-1) ?? "");
    return { kind: folder?.kindOf(last), target: folder?.target(last) };
  } catch {
    // A folder that is closed to us. The plan treats it as if all below it were denied.
    return { kind: undefined };
  } finally {
    folder?.close();
  }
}
