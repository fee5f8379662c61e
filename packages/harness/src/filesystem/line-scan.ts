/** Grep in this process, for backends whose files no other process can see. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";
import type { FileBackend, FileEntry } from "./contract.js";
import {
  type GrepMatch,
  type GrepResult,
  type LineSearch,
  MAX_LINE_CHARACTERS,
  MAX_SEARCHED_BYTES,
} from "./line-search.js";
import { excerpt } from "./paging.js";
import { emptyNotes, walk, type WalkNotes } from "./walk.js";

const LINES_PER_TURN = 2000;

/** Searches file by file, giving other work its turn in between. */
export async function scanLines(files: FileBackend, search: LineSearch): Promise<GrepResult> {
  const matches: GrepMatch[] = [];
  const notes = emptyNotes();
  for await (const entry of candidates(files, search, notes)) {
    for await (const match of scanFile(files, entry, search, notes)) {
      if (matches.length === search.query.maxResults) return { matches, stopped: "results", ...notes };
      matches.push(match);
    }
  }
  return { matches, stopped: search.signal.aborted ? "time" : undefined, ...notes };
}

async function* candidates(
  files: FileBackend,
  { query, takes, signal }: LineSearch,
  notes: WalkNotes,
): AsyncGenerator<FileEntry> {
  const root = await files.stat(query.path);
  if (root === undefined) throw new DeerflowError("path_not_found", { path: shownPath(query.path) });
  if (root.kind === "file") {
    yield root;
    return;
  }
  for await (const entry of walk(files, query.path, notes, signal)) {
    if (entry.kind === "file" && entry.size <= MAX_SEARCHED_BYTES && takes(entry.path)) yield entry;
  }
}

async function* scanFile(
  files: FileBackend,
  entry: FileEntry,
  { matches, signal }: LineSearch,
  notes: WalkNotes,
): AsyncGenerator<GrepMatch> {
  const bytes = await readOrNote(files, entry.path, notes);
  if (bytes === undefined || bytes.includes(0)) return;
  const text = new TextDecoder().decode(bytes);
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  if (text === "") return;
  for (const [index, raw] of lines.entries()) {
    if (index % LINES_PER_TURN === 0) await nextTurn();
    if (signal.aborted) return;
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const at = matches(line);
    if (at !== -1) yield { path: entry.path, line: index + 1, text: excerpt(line, at, MAX_LINE_CHARACTERS) };
  }
}

async function readOrNote(
  files: FileBackend,
  path: string,
  notes: WalkNotes,
): Promise<Uint8Array | undefined> {
  try {
    return (await files.read(path))?.bytes;
  } catch (error) {
    if (!DeerflowError.is(error) || error.retry !== "model") throw error;
    notes.unreadable.push(path);
    return undefined;
  }
}
