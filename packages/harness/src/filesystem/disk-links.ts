/** Where a virtual path really lies, with every link on the way resolved. */
import { lstat, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { DeerflowError } from "../base/errors.js";
import { fromSegments, segmentsOf, shownPath } from "../base/virtual-path.js";
import { diskError, errnoOf, isAbsence } from "./disk-error.js";
import type { MountTable, Place } from "./mount-table.js";

/**
 * What a link's target means. `sandbox`: what a process inside the sandbox sees, which knows virtual paths only.
 * `host`: what any program of this machine sees; where that lies in the link's own mount, it is followed.
 */
export type LinkView = "sandbox" | "host";

export type Mounted = Extract<Place, { kind: "mounted" }>;

const MAX_LINKS = 40;

/** How far the looking has come: `done` is real, `pending` is still to be looked at. */
interface Trail {
  readonly done: readonly string[];
  readonly pending: readonly string[];
}

/**
 * Follows links component by component. What is missing ends the looking, not the path.
 * @throws DeerflowError `path_denied` where a link leads outside, or on without end
 */
export async function resolveLinks(table: MountTable, path: string, view: LinkView): Promise<Place> {
  let trail: Trail = { done: [], pending: segmentsOf(path) };
  let links = 0;
  while (trail.pending.length > 0) {
    const [name = "", ...pending] = trail.pending;
    const here = [...trail.done, name];
    if (name === "..") {
      if (view === "host" && isTop(table, trail.done)) throw leadsOutside(path);
      trail = { done: trail.done.slice(0, -1), pending };
      continue;
    }
    const link = await linkAt(table, here);
    if (link === undefined) {
      trail = { done: here, pending };
      continue;
    }
    links += 1;
    const next = links > MAX_LINKS ? undefined : await follow(link, trail.done, view);
    if (next === undefined) throw leadsOutside(path);
    trail = { done: next.done, pending: [...next.pending, ...pending] };
  }
  const place = table.place(fromSegments(trail.done));
  if (links > 0 && place.kind === "outside") throw leadsOutside(path);
  return place;
}

/** Whether the way up from here leaves the mount. At the top of the whole disk it leads nowhere. */
function isTop(table: MountTable, done: readonly string[]): boolean {
  const place = table.place(fromSegments(done));
  return place.kind !== "mounted" || (place.below.length === 0 && place.mount.hostPath !== "/");
}

interface Link {
  readonly place: Mounted;
  readonly target: string;
}

async function linkAt(table: MountTable, segments: readonly string[]): Promise<Link | undefined> {
  const place = table.place(fromSegments(segments));
  if (place.kind !== "mounted" || place.below.length === 0) return undefined;
  const hostPath = join(place.mount.hostPath, ...place.below);
  try {
    if (!(await lstat(hostPath)).isSymbolicLink()) return undefined;
    return { place, target: await readlink(hostPath) };
  } catch (error) {
    // EINVAL: what was a link a moment ago is none any more.
    if (isAbsence(error) || errnoOf(error) === "EINVAL") return undefined;
    throw diskError(error, place.path);
  }
}

/** Undefined when the target lies outside. */
async function follow(link: Link, folder: readonly string[], view: LinkView): Promise<Trail | undefined> {
  const pending = segmentsOf(link.target);
  const isAbsolute = link.target.startsWith("/");
  if (view === "sandbox") return { done: isAbsolute ? [] : folder, pending };
  if (!isAbsolute && pending[0] !== "..") return { done: folder, pending };
  const { mount, below, path } = link.place;
  const root = await realpath(mount.hostPath).catch((error: unknown) => {
    throw diskError(error, path);
  });
  const target = isAbsolute ? pending : climb([...segmentsOf(root), ...below.slice(0, -1)], pending);
  // The root may be spelled with links of its own; both spellings mean it.
  const inside = [root, mount.hostPath]
    .map((candidate) => remainder(target, segmentsOf(candidate)))
    .find((rest) => rest !== undefined);
  return inside && { done: segmentsOf(mount.virtualPath), pending: inside };
}

/** `names` from `folder` on, with the leading `..` taken. */
function climb(folder: readonly string[], names: readonly string[]): readonly string[] {
  const ups = names.findIndex((name) => name !== "..");
  const count = ups === -1 ? names.length : ups;
  return [...folder.slice(0, Math.max(0, folder.length - count)), ...names.slice(count)];
}

/** What follows `beginning` in `names`; undefined when they begin otherwise. */
const remainder = (names: readonly string[], beginning: readonly string[]): readonly string[] | undefined =>
  beginning.every((name, index) => name === names[index]) ? names.slice(beginning.length) : undefined;

const leadsOutside = (path: string): DeerflowError =>
  new DeerflowError("path_denied", {
    path: shownPath(path),
    reason: "a link on the way leads outside the folders that are visible here",
  });
