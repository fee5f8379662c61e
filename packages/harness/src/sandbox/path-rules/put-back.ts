/** After a command: what it left where no command may write is moved aside, and links are put back. */
import { DeerflowError } from "../../base/errors.js";
import { shownPath } from "../../base/virtual-path.js";
import type { SandboxMount } from "../contract.js";
import { type Access, type HeldLink, keyOf, type PathPlan, type TreeEntry } from "./contract.js";
import { HostFolder } from "./host-folder.js";
import { childSpot, holderOf, namesBelow, rootSpot, type Spot } from "./mounted-spot.js";
import type { PathAccess } from "./path-access.js";
import { standAt } from "./plan-mounts.js";
import { isOwnRefuge, REFUSED, Refuge } from "./refuge.js";
import { WalkBudget } from "./walk-budget.js";

/** More than before a command: what it made is what the check is for. */
const CHECK_LIMITS = { entries: 500_000, milliseconds: 10_000, mounts: Number.POSITIVE_INFINITY };
const MAX_DEPTH = 250;
const MAX_NAMED = 10;

export interface PutBackRequest {
  readonly plan: PathPlan;
  readonly access: PathAccess;
  /** Resolved, outer ones first. */
  readonly mounts: readonly SandboxMount[];
  /** Whether there is anything that may be read and not written. */
  readonly restrictsWriting: boolean;
  /** Hides in a path what the output of the command hides, too: a command may name a file after anything. */
  readonly masked: (path: string) => string;
}

/**
 * Sentences for the model about what was put back; none when the command kept to the rules. What now stands at a
 * denied path and did not before is moved, whoever made it: nobody can tell.
 */
export async function putBack(request: PutBackRequest): Promise<readonly string[]> {
  const notices: string[] = [];
  const restored = request.plan.links.filter((link) => restoreLink(request.mounts, link));
  if (request.restrictsWriting) {
    for (const mount of request.mounts.filter(({ mode }) => mode === "read-write")) {
      notices.push(...(await checkMount(request, mount)));
    }
  }
  if (restored.length > 0) {
    const names = named(
      request,
      restored.map(({ path }) => path.toString()),
    );
    notices.push(`Permission rules forbid to change the links ${names}; they lead again where they did.`);
  }
  return notices;
}

async function checkMount(request: PutBackRequest, mount: SandboxMount): Promise<readonly string[]> {
  const check = new Check(request);
  try {
    await check.run(mount);
    return movedNotice(request, check);
  } catch (error) {
    const reason = DeerflowError.is(error)
      ? String(error.details["reason"])
      : "a folder could not be changed";
    const unchecked = `Not all that the command left in ${shownPath(mount.virtualPath)} could be held against the permission rules: ${reason}.`;
    return [...movedNotice(request, check), unchecked];
  }
}

function movedNotice(request: PutBackRequest, { moved, refuge = REFUSED }: Check): readonly string[] {
  if (moved.length === 0) return [];
  return [
    `Permission rules forbid to write ${named(request, moved)}; what the command left there was moved to ${shownPath(refuge)}.`,
  ];
}

/** Hidden before anything is cut or escaped: a part of a secret is not known as one. */
const named = ({ masked }: PutBackRequest, paths: readonly string[]): string => {
  const shown = paths
    .slice(0, MAX_NAMED)
    .map((path) => shownPath(masked(path)))
    .join(", ");
  return paths.length > MAX_NAMED ? `${shown} and ${paths.length - MAX_NAMED} more` : shown;
};

interface Visit extends TreeEntry {
  readonly folder: HostFolder;
  readonly spot: Spot;
  readonly own: Ruling;
  /** What commands could do in the folder. */
  readonly around: Access;
}

type Ruling = "allow" | "deny";

class Check {
  readonly moved: string[] = [];
  /** The virtual path of the folder to which they were moved. */
  refuge: string | undefined;
  readonly #request: PutBackRequest;
  #refuge: Refuge | undefined;
  readonly #budget = new WalkBudget(CHECK_LIMITS);
  readonly #links: ReadonlySet<string>;

  constructor(request: PutBackRequest) {
    this.#request = request;
    this.#links = new Set(request.plan.links.map(({ path }) => keyOf(path)));
  }

  async run(mount: SandboxMount): Promise<void> {
    const root = HostFolder.open(mount.hostPath);
    if (root === undefined) return;
    this.#refuge = new Refuge(root, mount);
    try {
      await this.#checkRoot(root, mount);
    } finally {
      this.#refuge.close();
      root.close();
    }
  }

  async #checkRoot(root: HostFolder, mount: SandboxMount): Promise<void> {
    const { access, plan } = this.#request;
    const spot = rootSpot(mount);
    const around = plan.held.get(keyOf(spot.path)) ?? "open";
    const own = standAt(access, mount.virtualPath).write;
    if (this.#isToEnter(spot, own, around)) await this.#walk(root, spot, own, around);
  }

  /** Whether anything below may have come that is denied. */
  #isToEnter(spot: Spot, own: Ruling, around: Access): boolean {
    const { access, plan } = this.#request;
    if (plan.above.has(keyOf(spot.path))) return true;
    return around === "open" && (access.rulingBelow("write", spot.text) ?? own) !== "allow";
  }

  async #walk(folder: HostFolder, spot: Spot, own: Ruling, around: Access): Promise<void> {
    await this.#budget.next(undefined);
    const entries = folder.entries();
    this.#budget.countEntries(entries.length);
    const rulingOf = this.#request.access.rulingsIn("write", spot.text);
    for (const entry of entries) {
      const ruling = rulingOf(entry.name.toString()) ?? own;
      // Most names of most folders are files of which no rule speaks.
      if (entry.kind === "file" && ruling === "allow") continue;
      const inner = childSpot(spot, entry.name);
      // What was moved aside is not moved again.
      if (isOwnRefuge(folder, entry.name, inner)) continue;
      if (this.#request.mounts.some(({ virtualPath }) => virtualPath === inner.text)) continue;
      await this.#visit({ ...entry, folder, spot: inner, own: ruling, around });
    }
  }

  async #visit(visit: Visit): Promise<void> {
    const { kind, spot, own, around } = visit;
    const { plan } = this.#request;
    const key = keyOf(spot.path);
    if (this.#links.has(key)) return;
    const before = plan.held.get(key);
    const inside = before ?? around;
    if (kind === "folder" && (before !== undefined || around !== "open")) {
      if (this.#isToEnter(spot, own, inside)) await this.#enter(visit, inside);
      return;
    }
    if (before !== undefined || around !== "open") return;
    if (kind === "folder") await this.#visitNewFolder(visit);
    else if (own === "deny") this.#move(visit);
  }

  async #visitNewFolder(visit: Visit): Promise<void> {
    const { own } = visit;
    // It cannot be moved into itself.
    if (visit.spot.depth === 1 && visit.name.toString() === REFUSED) return this.#enter(visit, "open");
    const below = this.#request.access.rulingBelow("write", visit.spot.text) ?? own;
    if (below === "allow") return;
    if (below === "deny" || visit.spot.depth >= MAX_DEPTH || !(await this.#mayStay(visit))) {
      this.#move(visit);
    } else await this.#enter(visit, "open");
  }

  async #enter({ folder, name, spot, own }: Visit, around: Access): Promise<void> {
    const inner = folder.forcedChild(name);
    if (inner === undefined) return;
    try {
      await this.#walk(inner, spot, own, around);
    } finally {
      inner.close();
    }
  }

  async #mayStay(visit: Visit): Promise<boolean> {
    const { own } = visit;
    const inside = this.#request.access.prevailing("write", visit.spot.text) ?? own;
    return own === "allow" || inside === "allow" || this.#holdsAllowed(visit);
  }

  /** Whether some of what is in a folder is allowed by a rule of its own. */
  async #holdsAllowed({ folder, name, spot, own }: Visit): Promise<boolean> {
    const { access } = this.#request;
    const inner = folder.forcedChild(name);
    if (inner === undefined || spot.depth >= MAX_DEPTH) return false;
    try {
      await this.#budget.next(undefined);
      const entries = inner.entries();
      this.#budget.countEntries(entries.length);
      for (const entry of entries) {
        const innerSpot = childSpot(spot, entry.name);
        const ruling = access.ruling("write", innerSpot.text) ?? own;
        if (ruling === "allow") return true;
        if (entry.kind !== "folder") continue;
        const below = access.rulingBelow("write", innerSpot.text) ?? ruling;
        if (below === "allow") return true;
        const visit = { ...entry, folder: inner, spot: innerSpot, own: ruling, around: "open" as const };
        if (below === "mixed" && (await this.#holdsAllowed(visit))) return true;
      }
      return false;
    } finally {
      inner.close();
    }
  }

  #move({ folder, name, spot }: Visit): void {
    this.#refuge?.take(folder, name, spot);
    this.refuge = this.#refuge?.path;
    this.moved.push(spot.text);
  }
}

/** Whether it had been changed. What stands in its place is moved aside. */
function restoreLink(mounts: readonly SandboxMount[], link: HeldLink): boolean {
  const mount = holderOf(mounts, link.path.toString());
  if (mount === undefined) return false;
  let root: HostFolder | undefined;
  try {
    root = HostFolder.open(mount.hostPath);
    return root !== undefined && restoreIn(root, mount, link);
  } catch {
    return false;
  } finally {
    root?.close();
  }
}

function restoreIn(root: HostFolder, mount: SandboxMount, { path, target }: HeldLink): boolean {
  const refuge = new Refuge(root, mount);
  const names = namesBelow(path, mount.virtualPath);
  const name = names.at(-1) ?? Buffer.alloc(0);
  let spot = rootSpot(mount);
  for (const each of names) spot = childSpot(spot, each);
  const folder = root.descend(names.slice(0, -1));
  try {
    if (folder === undefined || folder.target(name)?.equals(target) === true) return false;
    if (folder.kindOf(name) !== undefined) refuge.take(folder, name, spot);
    folder.makeLink(name, target);
    return true;
  } finally {
    folder?.close();
    refuge.close();
  }
}
