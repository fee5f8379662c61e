/** ripgrep: a process of its own that lists files, which can be stopped at any moment and never holds up this one. */
import { isUtf8 } from "node:buffer";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { rgPath } from "@vscode/ripgrep";
import { Turn } from "../base/turn.js";
import { findExecutable } from "../base/find-executable.js";
import { childOf, segmentsOf } from "../base/virtual-path.js";
import { killNamespace } from "../sandbox/kill-namespace.js";
import type { HostFolder } from "./contract.js";
import { isTemporaryName } from "./disk-write.js";
import { isCellComplaint, searchCellArguments } from "./search-cell.js";
import { type LineSearch, MAX_SEARCHED_BYTES, type SearchNotes } from "./line-search.js";
import { ripgrepExpression } from "./search-pattern.js";
import { MAX_DEPTH, type WalkNotes } from "./walk.js";

/** ripgrep cannot be started, may not be, or refuses the expression: then the other way must do it. */
export class RipgrepUnusable extends Error {}

/** Where ripgrep is: `rg` on the PATH, else the one that is installed with this package. */
export function ripgrepPath(env: Readonly<Record<string, string | undefined>>): string {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  return findExecutable(name, env["PATH"]) ?? rgPath;
}

/** Every flag of every search, with its reason. */
const FLAGS: readonly string[] = [
  "--no-config", // the host's settings are not the agent's
  "--no-ignore", // files that git ignores are searched too
  "--hidden",
  "--no-follow",
  `--max-depth=${MAX_DEPTH}`, // as a walk does
  "--sort=path", // the same first files every time, as a walk gives them
  "--null", // a name may hold a line break
  "--path-separator=/",
];

/** A glob that ripgrep reads as we do, or more widely; undefined when it might read it otherwise. */
export function ripgrepGlob(glob: string, root: string): string | undefined {
  if (!/^[\w.\-*?/ ]+$/.test(glob) || glob.endsWith("/")) return undefined;
  if (glob.startsWith(root)) return undefined;
  // Its "?" is one byte, so that it stands for too little.
  const names = segmentsOf(glob).map((name) => (name === "**" ? name : name.replaceAll(/[*?]+/g, "*")));
  return glob.includes("/") ? `/${names.join("/")}` : (names[0] ?? "*");
}

const globFlags = (glob: string | undefined, root: string): readonly string[] => {
  const coarse = glob === undefined ? undefined : ripgrepGlob(glob, root);
  return coarse === undefined ? [] : [`--glob=${coarse}`];
};

/**
 * The files in which a line matches, and perhaps some more, in order of path. Files that are too large and what cannot
 * be read is noted.
 * @throws RipgrepUnusable before the first path
 */
export async function* ripgrepMatchingFiles(
  folders: readonly HostFolder[],
  { query, takes, signal }: LineSearch,
  notes: SearchNotes,
): AsyncGenerator<string> {
  const expression = ripgrepExpression(query);
  if (expression === undefined) throw new RipgrepUnusable();
  const args = [
    ...FLAGS,
    "--files-with-matches",
    "--debug", // tells which files are too large
    `--max-filesize=${MAX_SEARCHED_BYTES}`,
    "--encoding=none", // bytes as they are, so that what is no UTF-8 is not taken for something else
    "--no-mmap", // a file that shrinks meanwhile would kill it
    query.caseSensitive ? "--case-sensitive" : "--ignore-case",
    ...(query.literal ? ["--fixed-strings"] : []),
    ...globFlags(query.glob, query.path),
    `--regexp=${expression}`,
    "--",
    ".",
  ];
  const tooLarge = new Set<string>();
  const candidates = ripgrepPaths({ folders, args, signal }, notes, (path) => tooLarge.add(path));
  try {
    for await (const paths of candidates) yield* taken(paths, takes, signal);
  } finally {
    notes.tooLarge.push(...[...tooLarge].filter(takes));
  }
}

/** Those that are taken, with a turn for others now and then: a glob may take its time for every path. */
async function* taken(
  paths: readonly string[],
  takes: (path: string) => boolean,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const turn = new Turn();
  for (const path of paths) {
    if (turn.isOver) await turn.next();
    if (signal.aborted) return;
    if (takes(path)) yield path;
  }
}

/**
 * All files, in order of path, some at a time.
 * @param glob a pattern by which ripgrep may leave some out; the caller has to match the rest
 * @throws RipgrepUnusable before the first path
 */
export const ripgrepFiles = (
  folders: readonly HostFolder[],
  query: { readonly pattern: string; readonly path: string },
  notes: WalkNotes,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> =>
  ripgrepPaths(
    { folders, args: [...FLAGS, "--files", ...globFlags(query.pattern, query.path), "--", "."], signal },
    notes,
    () => {},
  );

interface Run {
  readonly folders: readonly HostFolder[];
  readonly args: readonly string[];
  readonly signal: AbortSignal;
}

async function* ripgrepPaths(
  { folders, args, signal }: Run,
  notes: WalkNotes,
  onTooLarge: (path: string) => void,
): AsyncGenerator<readonly string[]> {
  // A link that comes and goes could lead it to what is hidden in the same folder, which no cell prevents.
  if (folders.some(({ isContested, shows }) => isContested && shows !== undefined))
    throw new RipgrepUnusable();
  for (const folder of folders) {
    const complaints = new Complaints(folder, notes, onTooLarge);
    const unusable = new Set<string>();
    for await (const names of namesFrom(folder, args, signal, complaints)) {
      yield usableNames(names, (name) => isShown(folder, String(name)) && unusable.add(unusableName(name)))
        .filter((name) => isShown(folder, name) && !isTemporaryName(name.slice(name.lastIndexOf("/") + 1)))
        .map((name) => inFolder(folder, name));
    }
    notes.unusableNames += unusable.size;
    if (signal.aborted) return;
  }
}

/** Nothing may be told of what is hidden, not even that it is large or cannot be read. */
const isShown = (folder: HostFolder, name: string): boolean => folder.shows?.(bare(name)) !== false;

const inFolder = (folder: HostFolder, name: string): string => childOf(folder.virtualPath, bare(name));

const bare = (name: string): string => (name.startsWith("./") ? name.slice(2) : name);

/** Names that end in a NUL each. Together they are decoded much faster than one by one. */
function usableNames(names: Buffer, onUnusable: (name: Buffer) => void): readonly string[] {
  if (isUtf8(names)) return names.toString().split("\0").slice(0, -1);
  // In this encoding every byte is one character, so that nothing is lost.
  const each = names
    .toString("latin1")
    .split("\0")
    .slice(0, -1)
    .map((name) => Buffer.from(name, "latin1"));
  for (const name of each) if (!isUtf8(name)) onUnusable(name);
  return each.filter(isUtf8).map(String);
}

/** The first name on the way that is not UTF-8, with those before it: a walk goes no deeper, and counts it once. */
function unusableName(path: Buffer): string {
  for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
    if (!isUtf8(path.subarray(0, end))) return path.subarray(0, end).toString("latin1");
  }
  return path.toString("latin1");
}

/** What ripgrep prints: some names at a time, each with a NUL. Ends with the process, or the process with it. */
async function* namesFrom(
  folder: HostFolder,
  args: readonly string[],
  signal: AbortSignal,
  complaints: Complaints,
): AsyncGenerator<Buffer> {
  const { program, commandLine, cwd } = processFor(folder, args);
  // A group of its own, by which a cell is ended that has not started anything yet.
  const child = spawn(program, commandLine, {
    cwd,
    env: {},
    stdio: ["ignore", "pipe", "pipe"],
    detached: folder.isContested,
  });
  const failed = new Promise<"failed">((resolve) => child.once("error", () => resolve("failed")));
  const closed = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  // Bubblewrap killed in the middle of its start would leave a process that waits for it for ever.
  const stop = () => (folder.isContested ? killNamespace(child) : child.kill("SIGKILL"));
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  createInterface({ input: child.stderr }).on("line", (line) => complaints.add(line));
  try {
    const turn = new Turn();
    let open: Buffer = Buffer.alloc(0);
    for await (const chunk of child.stdout) {
      open = Buffer.concat([open, chunk]);
      const end = open.lastIndexOf(0) + 1;
      if (end > 0) yield open.subarray(0, end);
      open = open.subarray(end);
      if (turn.isOver) await turn.next();
    }
    const code = await Promise.race([failed, closed]);
    if (code === "failed" || complaints.isCellRefused || (code === 2 && complaints.isRefusal))
      throw new RipgrepUnusable();
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

interface SearchProcess {
  readonly program: string;
  readonly commandLine: readonly string[];
  readonly cwd: string;
}

/** ripgrep itself, or ripgrep in a cell: the one that comes with this package, which needs no libraries. */
function processFor(folder: HostFolder, args: readonly string[]): SearchProcess {
  const { cell, isContested, workingDirectory } = folder;
  if (!isContested) return { program: ripgrepPath(process.env), commandLine: args, cwd: workingDirectory };
  const program = findExecutable("bwrap", process.env["PATH"]);
  if (program === undefined) throw new RipgrepUnusable();
  return { program, commandLine: searchCellArguments(cell, rgPath, args), cwd: "/" };
}

/** What ripgrep says beside its results. */
class Complaints {
  /** It was not even started. */
  isCellRefused = false;
  /** Something was said that is about no file. */
  isRefusal = false;
  readonly #folder: HostFolder;
  readonly #notes: WalkNotes;
  readonly #onTooLarge: (path: string) => void;

  constructor(folder: HostFolder, notes: WalkNotes, onTooLarge: (path: string) => void) {
    this.#folder = folder;
    this.#notes = notes;
    this.#onTooLarge = onTooLarge;
  }

  add(line: string): void {
    if (/^(?:rg: )?DEBUG\|/.test(line)) {
      const large = /^(?:rg: )?DEBUG\|ignore::walk\|[^|]*: ignoring (\.\/.+): \d+ bytes$/.exec(line)?.[1];
      if (large !== undefined && isShown(this.#folder, large))
        this.#onTooLarge(inFolder(this.#folder, large));
      return;
    }
    const path = /^(?:rg: )?(\.\/.+?): /.exec(line)?.[1];
    if (isCellComplaint(line)) this.isCellRefused = true;
    else if (path === undefined) this.isRefusal = true;
    else if (isShown(this.#folder, path)) this.#notes.unreadable.push(inFolder(this.#folder, path));
  }
}
