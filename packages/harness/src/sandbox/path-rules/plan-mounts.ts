/** What has to be mounted over the mounts, so that rules hold in a command. Looks at the tree as it is now. */
import { sha256 } from "../../base/hash.js";
import { fromSegments, isWithin, segmentsOf } from "../../base/virtual-path.js";
import type { SandboxMount } from "../contract.js";
import {
  ACCESSES,
  type Access,
  type Alias,
  type HeldLink,
  keyOf,
  type MountOption,
  type OpenTree,
  type PathPlan,
  type TreeEntry,
  type TreeFolder,
} from "./contract.js";
import { childSpot, rootSpot, type Spot } from "./mounted-spot.js";
import { ALL_ALLOWED, accessOf, type PathAccess, type Stand } from "./path-access.js";
import type { WalkBudget } from "./walk-budget.js";

/** Deeper folders are not looked into. Each on the way is held open. */
const MAX_DEPTH = 200;
/** Longer paths of folders are not looked into: what lies below might be too long to be mounted. Bytes. */
const MAX_PATH_BYTES = 3700;
const HIDDEN_FOLDER = "0000";
/** So that what is allowed below can be reached. */
const PASSABLE_FOLDER = "0555";

export interface PlanRequest {
  readonly access: PathAccess;
  readonly aliases: readonly Alias[];
  /** Links that must stay, besides those that the rules themselves name. */
  readonly links: readonly HeldLink[];
  /** Resolved, outer ones first. */
  readonly mounts: readonly SandboxMount[];
  readonly open: OpenTree;
  readonly budget: WalkBudget;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A place that is denied becomes a mount of its own, for a mount point can be neither renamed, removed nor linked out
 * of. So does every folder above it, for with its folder it could be moved away.
 * @throws DeerflowError `permissions_too_wide`; the signal's reason
 */
export async function planMounts(request: PlanRequest): Promise<PathPlan> {
  const planner = new Planner(request);
  for (const mount of request.mounts) await planner.addMount(mount);
  return planner.plan();
}

/** One name of a folder that is looked at. */
interface Visit extends TreeEntry {
  readonly folder: TreeFolder;
  readonly spot: Spot;
  /** What the rules leave of it. */
  readonly own: Stand;
  /** What the mount that it lies in lets commands do. */
  readonly around: Access;
}

class Planner {
  readonly #request: PlanRequest;
  readonly #options: MountOption[] = [];
  /** Only at the end, for until then mounts are made inside. */
  readonly #seals: MountOption[] = [];
  readonly #held = new Map<string, Access>();
  /** What tells one plan from another, by the virtual path of the mount. */
  readonly #facts = new Map<string, string[]>();
  readonly #links = new Map<string, HeldLink>();
  readonly #linksByRule: ReadonlyMap<string, HeldLink>;
  #mount: SandboxMount | undefined;

  constructor(request: PlanRequest) {
    this.#request = request;
    this.#linksByRule = new Map(request.links.map((link) => [keyOf(link.path), link]));
  }

  plan(): PathPlan {
    const { aliases } = this.#request;
    const links = [...this.#links.values()];
    return {
      options: [...this.#options, ...this.#seals],
      held: this.#held,
      above: new Set([...this.#held.keys(), ...this.#links.keys()].flatMap(foldersAbove)),
      links,
      aliases,
      fingerprints: new Map(
        [...this.#facts].map(([mount, facts]) => [mount, sha256(JSON.stringify(facts.toSorted()))]),
      ),
    };
  }

  async addMount(mount: SandboxMount): Promise<void> {
    const { access, open } = this.#request;
    const spot = rootSpot(mount);
    this.#mount = mount;
    this.#uncover(mount, spot);
    const above = standAt(access, mount.virtualPath);
    const around = this.#capped("open");
    const folder = open(mount.hostPath);
    try {
      if (folder === undefined) this.#settle(spot, "file", this.#capped(accessOf(above)), around);
      else await this.#visitFolder(spot, folder, above, around);
    } finally {
      folder?.close();
    }
    this.#note(`${this.#held.get(keyOf(spot.path)) ?? ""}`);
  }

  #note(fact: string): void {
    const mount = this.#mount?.virtualPath ?? "";
    const facts = this.#facts.get(mount) ?? [];
    facts.push(fact);
    this.#facts.set(mount, facts);
  }

  /** What was mounted over an outer mount covers this one, too. */
  #uncover({ mode, hostPath }: SandboxMount, { path }: Spot): void {
    if (![...this.#held.keys()].some((key) => isWithin(keyOf(path), key))) return;
    for (const [at, [, , option, place]] of this.#options.entries()) {
      if (option !== "--tmpfs" || !isWithin(keyOf(path), keyOf(Buffer.from(place ?? "")))) continue;
      this.#options[at] = hiddenFolder(PASSABLE_FOLDER, Buffer.from(place ?? ""));
    }
    this.#options.push([mode === "read-only" ? "--ro-bind" : "--bind", hostPath, path]);
  }

  /** @returns whether something in it must stay where it is */
  async #visitFolder(spot: Spot, folder: TreeFolder, own: Stand, around: Access): Promise<boolean> {
    const { access, budget, signal } = this.#request;
    const below = access.below(spot.text, own);
    if (below !== "mixed") return this.#settleFolder(spot, own, this.#capped(accessOf(below)), around);
    await budget.next(signal);
    const inside = this.#capped(accessOf(access.inside(spot.text, own)));
    const at = this.#options.length;
    const isHeld = this.#settle(spot, "folder", inside, around);
    const isHiddenHere = isHeld && inside === "hidden";
    const entries = folder.entries();
    budget.countEntries(entries.length);
    const standOf = access.namesIn(spot.text);
    let holdsMore = false;
    for (const entry of entries) {
      const stand = standOf(entry.name.toString(), own);
      // Most names of most folders are files of which no rule speaks.
      if (entry.kind === "file" && this.#capped(accessOf(stand)) === inside) continue;
      const visit = { ...entry, folder, spot: childSpot(spot, entry.name), own: stand, around: inside };
      if (await this.#visit(visit)) holdsMore = true;
    }
    if (isHiddenHere && holdsMore) this.#options[at] = hiddenFolder(PASSABLE_FOLDER, spot.path);
    // Only where something in it can be moved: in a read-only mount nothing is.
    const mustStay = (holdsMore || own.write === "deny") && inside === "open" && spot.depth > 0;
    if (mustStay && !isHeld) this.#hold(spot, "open", { at });
    return holdsMore || isHeld || mustStay;
  }

  async #visit(visit: Visit): Promise<boolean> {
    const { folder, name, kind, spot, around } = visit;
    // It stands there itself, whatever lies below it on the host.
    if (this.#request.mounts.some(({ virtualPath }) => virtualPath === spot.text)) return false;
    const before = this.#held.size;
    const isKept = await this.#visitKind(visit);
    if (kind !== "link" && this.#held.size > before) {
      this.#note(`${keyOf(spot.path)} ${around} ${folder.identity(name) ?? ""}`);
    }
    return isKept;
  }

  async #visitKind(visit: Visit): Promise<boolean> {
    const { folder, name, kind, spot, own, around } = visit;
    if (kind === "link") return this.#visitLink(visit);
    if (kind === "file") return this.#settle(spot, "file", this.#capped(accessOf(own)), around);
    const inner = this.#enter(folder, name, spot);
    if (inner === "gone") return false;
    if (inner === "closed") {
      const strict = this.#capped(accessOf(this.#request.access.strictBelow(spot.text, own)));
      return this.#settleFolder(spot, own, strict, around);
    }
    try {
      return await this.#visitFolder(spot, inner, own, around);
    } finally {
      inner.close();
    }
  }

  #enter(folder: TreeFolder, name: Buffer, spot: Spot): TreeFolder | "gone" | "closed" {
    const length = Math.max(spot.path.length, spot.hostPath.length);
    if (spot.depth > MAX_DEPTH || length > MAX_PATH_BYTES) return "closed";
    try {
      return folder.child(name) ?? "gone";
    } catch {
      return "closed";
    }
  }

  /** All in the folder is alike. */
  #settleFolder(spot: Spot, own: Stand, inside: Access, around: Access): boolean {
    if (this.#settle(spot, "folder", inside, around)) return true;
    // Its content is free, but it must not be moved or removed itself.
    if (inside !== "open" || own.write === "allow" || spot.depth === 0) return false;
    this.#hold(spot, "open");
    return true;
  }

  #visitLink({ folder, name, spot, own, around }: Visit): boolean {
    const target = folder.target(name);
    if (target === undefined) return false;
    const isNamed = this.#linksByRule.has(keyOf(spot.path));
    if (around === "hidden" && accessOf(own) !== "hidden") {
      this.#request.budget.countMount();
      this.#options.push(["--symlink", target, spot.path]);
      return true;
    }
    if (around !== "open" || (own.write === "allow" && !isNamed)) return false;
    this.#request.budget.countMount();
    this.#links.set(keyOf(spot.path), { path: spot.path, target });
    this.#note(`${keyOf(spot.path)} ${keyOf(target)}`);
    return true;
  }

  /** Makes the place a mount of its own where it differs from what is around it. */
  #settle(spot: Spot, kind: "folder" | "file", inside: Access, around: Access): boolean {
    if (inside === around) return false;
    this.#hold(spot, inside, { kind });
    return true;
  }

  #hold(
    spot: Spot,
    access: Access,
    where: { readonly kind?: "folder" | "file"; readonly at?: number } = {},
  ): void {
    this.#request.budget.countMount();
    const option = optionOf(spot, access, where.kind ?? "folder");
    this.#options.splice(where.at ?? this.#options.length, 0, option);
    if (access === "hidden" && where.kind === "folder") this.#seals.push(["--remount-ro", spot.path]);
    this.#held.set(keyOf(spot.path), access);
  }

  /** No rule allows more than the mount does. */
  #capped(access: Access): Access {
    const most = this.#mount?.mode === "read-only" ? "read-only" : "open";
    return ACCESSES[Math.max(ACCESSES.indexOf(access), ACCESSES.indexOf(most))] ?? "hidden";
  }
}

function optionOf({ path, hostPath }: Spot, access: Access, kind: "folder" | "file"): MountOption {
  if (access !== "hidden") return [access === "open" ? "--bind" : "--ro-bind", hostPath, path];
  // A device, on a mount that allows none: it can be neither read nor written. Unlike a file that bubblewrap makes,
  // it costs no descriptor for each place.
  return kind === "file" ? ["--ro-bind", "/dev/null", path] : hiddenFolder(HIDDEN_FOLDER, path);
}

const hiddenFolder = (mode: string, path: Buffer): MountOption => ["--perms", mode, "--tmpfs", path];

/** What holds at a path, where every folder on the way has its say. */
export function standAt(access: PathAccess, path: string): Stand {
  const names = segmentsOf(path);
  let stand = access.at("/", ALL_ALLOWED);
  for (const at of names.keys()) stand = access.at(fromSegments(names.slice(0, at + 1)), stand);
  return stand;
}

function foldersAbove(key: string): string[] {
  const names = key.split("/").slice(1);
  return names.map((_, at) => `/${names.slice(0, at).join("/")}`);
}
