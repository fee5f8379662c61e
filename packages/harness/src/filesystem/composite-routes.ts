/** Which backend stands behind which path, and paths and failures seen from one side put in the words of the other. */
import { DeerflowError } from "../base/errors.js";
import { childOf, isWithin, parseVirtualPath, segmentsOf, shownPath } from "../base/virtual-path.js";
import { assertBackend, optionInvalid } from "./assert-backend.js";
import type { FileBackend, PathJudge } from "./contract.js";

export interface CompositeRoute {
  /** The folder at which the backend's own `/` is seen; canonical, so without a final slash. */
  readonly root: string;
  readonly backend: FileBackend;
}

/** One path as the backend behind it knows it. */
export interface Routed extends CompositeRoute {
  /** The path of the whole. */
  readonly path: string;
  /** The same place for the backend. */
  readonly inner: string;
}

/**
 * The routes, longest first.
 * @throws DeerflowError `filesystem_options_invalid`
 */
export function parseRoutes(routes: Readonly<Record<string, FileBackend>>): readonly CompositeRoute[] {
  // Plain JavaScript may give anything.
  if (typeof routes !== "object" || routes === null) {
    throw optionInvalid(
      "routes",
      'it must be an object of backends by folder, such as {"/memories/": backend}',
    );
  }
  for (const [key, backend] of Object.entries(routes))
    assertBackend(`routes[${JSON.stringify(key)}]`, backend);
  const parsed = Object.entries(routes).map(([key, backend]) => ({
    root: parseRoot("routes", key),
    backend,
  }));
  for (const { root } of parsed) {
    if (root === "/") throw optionInvalid("routes", 'the route "/" is the default backend\'s place');
    if (parsed.filter((route) => route.root === root).length > 1)
      throw optionInvalid("routes", `${shownPath(root)} occurs twice`);
  }
  return parsed.toSorted((a, b) => b.root.length - a.root.length || (a.root < b.root ? -1 : 1));
}

/**
 * A folder that an option names, without its final slash.
 * @throws DeerflowError `filesystem_options_invalid`
 */
export function parseRoot(option: string, given: string): string {
  const plain = given.length > 1 && given.endsWith("/") ? given.slice(0, -1) : given;
  let canonical: string;
  try {
    canonical = parseVirtualPath(plain);
  } catch (error) {
    throw DeerflowError.is(error) ? optionInvalid(option, error.message.replace(/\.$/, "")) : error;
  }
  if (canonical === plain) return canonical;
  throw optionInvalid(option, `${shownPath(given)} must be written as ${shownPath(canonical)}`);
}

/** The routes strictly below `path`, in order of root. */
export const routesBelow = (routes: readonly CompositeRoute[], path: string): readonly CompositeRoute[] =>
  routes
    .filter(({ root }) => root !== path && isWithin(root, path))
    .toSorted((a, b) => (a.root < b.root ? -1 : 1));

/** The children of `path` that are there because a route is, or lies below. */
export function routeChildren(routes: readonly CompositeRoute[], path: string): readonly string[] {
  const depth = segmentsOf(path).length;
  const names = routesBelow(routes, path).map(({ root }) => segmentsOf(root)[depth] ?? "");
  return [...new Set(names)].map((name) => childOf(path, name));
}

/** @param path canonical, within `root` */
export const innerPath = (root: string, path: string): string =>
  root === "/" ? path : path.slice(root.length) || "/";

/** The other way round. */
export function outerPath(root: string, inner: string): string {
  if (root === "/") return inner;
  return inner === "/" ? root : root + inner;
}

/** A failure of a backend with the path that was asked for, or the way to the one it names. */
export function outerError(thrown: unknown, { root, inner, path }: Routed): unknown {
  return withPath(thrown, (named) => (named === shownPath(inner) ? shownPath(path) : outerPath(root, named)));
}

/** A judge for the backend at `root`: asked in the words of the whole, heard in those of the backend. */
export const innerJudge =
  (root: string, judge: PathJudge): PathJudge =>
  (operation, inner) => {
    try {
      judge(operation, outerPath(root, inner));
    } catch (error) {
      throw withPath(error, (named) => (isWithin(named, root) ? innerPath(root, named) : named));
    }
  };

function withPath(thrown: unknown, change: (path: string) => string): unknown {
  if (!DeerflowError.is(thrown)) return thrown;
  const { path } = thrown.details;
  if (typeof path !== "string" || !path.startsWith("/")) return thrown;
  const changed = change(path);
  return changed === path
    ? thrown
    : new DeerflowError(thrown.code, { ...thrown.details, path: changed }, thrown);
}
