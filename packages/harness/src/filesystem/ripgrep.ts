/** Grep by ripgrep: a process of its own, which can be stopped at any moment and never holds up this one. */
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { rgPath } from "@vscode/ripgrep";
import { z } from "zod";
import { childOf, segmentsOf } from "../base/virtual-path.js";
import type { HostFolder } from "./contract.js";
import {
  type GrepMatch,
  type GrepQuery,
  type GrepResult,
  type LineSearch,
  MAX_LINE_CHARACTERS,
  MAX_SEARCHED_BYTES,
} from "./line-search.js";
import { excerpt } from "./paging.js";
import { ripgrepExpression } from "./search-pattern.js";
import { emptyNotes, type WalkNotes } from "./walk.js";

/** Where ripgrep is: `rg` on the PATH, else the one that is installed with this package. */
export function ripgrepPath(env: Readonly<Record<string, string | undefined>>): string {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  const onPath = (env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isExecutable);
  return onPath ?? rgPath;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const Text = z.union([z.object({ text: z.string() }), z.object({ bytes: z.string() })]);
const Message = z.union([
  z.object({
    type: z.literal("match"),
    data: z.object({
      path: Text,
      lines: Text,
      line_number: z.number(),
      submatches: z.array(z.object({ start: z.number() })),
    }),
  }),
  z.object({ type: z.literal("end"), data: z.object({ binary_offset: z.number().nullable() }) }),
  z.object({ type: z.enum(["begin", "summary", "context"]) }),
]);

/** Every flag, with its reason. */
function flags({ query }: LineSearch, expression: string, only: string | undefined): string[] {
  return [
    "--json",
    "--no-config", // the host's settings are not the agent's
    "--no-ignore", // files that git ignores are searched too
    "--hidden",
    "--no-follow",
    "--sort=path", // the same first matches every time, as the other engine gives them
    "--crlf", // "$" matches before CRLF
    `--max-count=${query.maxResults + 1}`, // one more, to tell "exactly" from "more"
    query.caseSensitive ? "--case-sensitive" : "--ignore-case",
    ...(query.literal ? ["--fixed-strings"] : []),
    ...(only === undefined ? treeFlags(query) : fileFlags(only)),
    `--regexp=${expression}`,
    "--",
    ".",
  ];
}

function treeFlags({ glob, path }: GrepQuery): string[] {
  const coarse = glob === undefined ? undefined : ripgrepGlob(glob, path);
  return [`--max-filesize=${MAX_SEARCHED_BYTES}`, ...(coarse === undefined ? [] : [`--glob=${coarse}`])];
}

/** Found by walking, because ripgrep follows a link that is named to it. */
const fileFlags = (name: string): string[] => [
  "--max-depth=1",
  `--glob=/${name.replaceAll(/[\\*?[\]{}]/g, String.raw`\$&`)}`,
];

/** A glob that ripgrep reads as we do, or more widely; undefined when it might read it otherwise. */
function ripgrepGlob(glob: string, root: string): string | undefined {
  if (!/^[\w.\-*?/ ]+$/.test(glob) || glob.endsWith("/")) return undefined;
  const names = segmentsOf(glob);
  if (names.some((name) => name !== "**" && name.includes("**")) || glob.startsWith(root)) return undefined;
  return glob.includes("/") ? `/${names.join("/")}` : glob;
}

/**
 * Searches one host folder after the other. Undefined when ripgrep cannot be started or refuses the expression:
 * then the other engine must do it.
 */
export async function ripgrepLines(
  folders: readonly HostFolder[],
  search: LineSearch,
): Promise<GrepResult | undefined> {
  const expression = search.query.literal ? search.query.pattern : ripgrepExpression(search.query.pattern);
  if (expression === undefined) return undefined;
  const matches: GrepMatch[] = [];
  const notes = emptyNotes();
  for (const folder of folders) {
    const collector = new Collector(folder, search, matches, notes);
    if (!(await runRipgrep(folder, flags(search, expression, folder.only), search.signal, collector)))
      return undefined;
    if (collector.full) return { matches, stopped: "results", ...notes };
    if (search.signal.aborted) return { matches, stopped: "time", ...notes };
  }
  return { matches, stopped: undefined, ...notes };
}

/** Runs to the end, to the collector's limit or to the abort. False when no search took place. */
async function runRipgrep(
  folder: HostFolder,
  args: readonly string[],
  signal: AbortSignal,
  collector: Collector,
): Promise<boolean> {
  const child = spawn(ripgrepPath(process.env), args, {
    cwd: folder.workingDirectory,
    env: {},
    stdio: ["ignore", "pipe", "pipe"],
  });
  const failed = new Promise<boolean>((resolve) => child.once("error", () => resolve(true)));
  const closed = new Promise<boolean>((resolve) => child.once("close", () => resolve(false)));
  const stop = () => child.kill("SIGKILL");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  createInterface({ input: child.stderr }).on("line", (line) => collector.addComplaint(line));
  try {
    for await (const line of createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })) {
      collector.add(line);
      if (collector.full) stop();
    }
    if (await Promise.race([failed, closed])) return false;
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
  return collector.searched || signal.aborted;
}

const textOf = (value: z.infer<typeof Text>): string =>
  "text" in value ? value.text : Buffer.from(value.bytes, "base64").toString("utf8");

/** Turns ripgrep's messages into matches. A file's matches count only once it has proved to be no binary. */
class Collector {
  searched = false;
  full = false;
  #ofFile: GrepMatch[] = [];
  /** The name of the file at hand is not UTF-8. */
  #isUnusable = false;
  readonly #folder: HostFolder;
  readonly #search: LineSearch;
  readonly #matches: GrepMatch[];
  readonly #notes: WalkNotes;

  constructor(folder: HostFolder, search: LineSearch, matches: GrepMatch[], notes: WalkNotes) {
    this.#folder = folder;
    this.#search = search;
    this.#matches = matches;
    this.#notes = notes;
  }

  add(line: string): void {
    this.searched = true;
    if (this.full) return;
    const message = Message.parse(JSON.parse(line));
    if (message.type === "begin") {
      this.#ofFile = [];
      this.#isUnusable = false;
    }
    if (message.type === "match") this.#addMatch(message.data);
    if (message.type === "end" && message.data.binary_offset === null) this.#keep();
  }

  addComplaint(line: string): void {
    const path = /^(?:rg: )?\.\/(.+?): /.exec(line)?.[1];
    if (path !== undefined) this.#notes.unreadable.push(this.#virtual(path));
  }

  /** A single file goes by the name under which it was asked for, which may be a link's. */
  #virtual(name: string): string {
    return this.#folder.only === undefined
      ? childOf(this.#folder.virtualPath, name)
      : this.#search.query.path;
  }

  #addMatch(data: Extract<z.infer<typeof Message>, { type: "match" }>["data"]): void {
    this.#isUnusable = "bytes" in data.path;
    if (this.#isUnusable) return;
    const path = this.#virtual(textOf(data.path).replace(/^\.\//, ""));
    if (!this.#search.takes(path)) return;
    const line = textOf(data.lines).replace(/\r?\n$/, "");
    const bytesBefore = data.submatches[0]?.start ?? 0;
    const at =
      line.length <= MAX_LINE_CHARACTERS ? 0 : Buffer.from(line).subarray(0, bytesBefore).toString().length;
    this.#ofFile.push({ path, line: data.line_number, text: excerpt(line, at, MAX_LINE_CHARACTERS) });
  }

  #keep(): void {
    if (this.#isUnusable) this.#notes.unusableNames += 1;
    const room = this.#search.query.maxResults - this.#matches.length;
    this.#matches.push(...this.#ofFile.slice(0, room));
    this.full = this.#ofFile.length > room;
  }
}
