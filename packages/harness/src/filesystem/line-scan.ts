/** Searching files line by line: they are fetched here, and looked through in a thread that can be terminated. */
import { ABORTED, abortWith, orAborted } from "../base/abort.js";
import { DeerflowError } from "../base/errors.js";
import { isByteReadable } from "./capabilities.js";
import type { FileBackend } from "./contract.js";
import type { FoundLine } from "./line-protocol.js";
import {
  type GrepMatch,
  type GrepResult,
  type LineSearch,
  MAX_LINE_CHARACTERS,
  type NamedFile,
  type SearchNotes,
} from "./line-search.js";
import { LINE_WORKERS, type LineWorker } from "./line-worker.js";
import type { SearchStop } from "./search-stop.js";

/** How many files may be on their way at once, from the backend or in the thread. */
const FILES_AHEAD = 6;
const PIECE_BYTES = 1024 * 1024;

/** Gives the paths of the files to search, in order, until the signal is aborted. */
export type Candidates = (signal: AbortSignal) => AsyncIterable<string>;

/**
 * Looks through the candidates in order, until there are more matches than wanted.
 * @throws DeerflowError `pattern_invalid`; whatever the candidates throw
 */
export async function scanLines(
  files: FileBackend,
  search: LineSearch,
  candidates: Candidates,
  notes: SearchNotes,
): Promise<GrepResult> {
  const scan = new Scan(files, search, notes);
  const stopped = await LINE_WORKERS.use(search.signal, (worker) => scan.run(worker, candidates)).catch(
    (error: unknown) => scan.reasonOf(error),
  );
  const { maxResults } = search.query;
  const isFull = scan.matches.length > maxResults;
  return {
    matches: scan.matches.slice(0, maxResults),
    stopped: isFull ? "results" : (stopped ?? (search.signal.aborted ? "time" : undefined)),
    ...notes,
  };
}

type Pieces = AsyncIterable<Uint8Array> | readonly Uint8Array[];

/** Notes what the file proves to be while it passes. */
async function* watched(pieces: Pieces, notes: SearchNotes): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const look = (bytes?: Uint8Array): NamedFile => {
    if (bytes?.includes(0) === true) return "binary";
    if (notes.namedFile !== "text") return notes.namedFile;
    try {
      decoder.decode(bytes, { stream: bytes !== undefined });
      return "text";
    } catch {
      return "foreign"; // the only failure of a decoder
    }
  };
  for await (const piece of pieces) {
    notes.namedFile = look(piece);
    yield piece;
  }
  notes.namedFile = look();
}

/** For what nobody will read. */
async function close(pieces: Pieces): Promise<void> {
  if (Symbol.asyncIterator in pieces) await pieces[Symbol.asyncIterator]().return?.();
}

/** One file on its way. */
interface Errand {
  readonly path: string;
  readonly found: Promise<readonly FoundLine[]>;
}

class Scan {
  readonly matches: GrepMatch[] = [];
  readonly #files: FileBackend;
  readonly #search: LineSearch;
  readonly #notes: SearchNotes;
  readonly #errands: Errand[] = [];
  /** Aborted when there are more matches than wanted, or when the search is. */
  readonly #full = new AbortController();
  /** When the last file so far is wholly handed over. */
  #handedOver: Promise<unknown> = Promise.resolve();
  #found = 0;
  #isOver = false;

  constructor(files: FileBackend, search: LineSearch, notes: SearchNotes) {
    this.#files = files;
    this.#search = search;
    this.#notes = notes;
  }

  async run(worker: LineWorker, candidates: Candidates): Promise<undefined> {
    const { maxResults, pattern, literal, caseSensitive } = this.#search.query;
    await worker.begin({
      pattern,
      literal,
      caseSensitive,
      // One more, to tell "exactly" from "more".
      maxMatches: maxResults + 1,
      maxLineCharacters: MAX_LINE_CHARACTERS,
    });
    const unlink = abortWith(this.#search.signal, this.#full);
    try {
      for await (const path of candidates(this.#full.signal)) {
        this.#start(worker, path);
        if (this.#errands.length > FILES_AHEAD) await this.#collect();
        if (this.#full.signal.aborted) break;
      }
    } finally {
      // After the time limit too: what was found before it counts.
      while (this.#errands.length > 0 && this.matches.length <= maxResults) await this.#collect();
      this.#isOver = true;
      unlink();
    }
    return undefined;
  }

  /** Why the search ended with this error, if that is an end and no failure. */
  reasonOf(error: unknown): SearchStop {
    if (this.#search.signal.aborted) return "time";
    if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY")
      return "memory";
    throw error;
  }

  /** Files are fetched side by side, and handed over one after the other. */
  #start(worker: LineWorker, path: string): void {
    const fetched = this.#fetch(path);
    const before = this.#handedOver;
    const sent = (async () => {
      const pieces = await orAborted(fetched, this.#search.signal);
      await before;
      // The thread may serve another search by now.
      if (pieces !== ABORTED && !this.#isOver) {
        return await worker.send(this.#isNamed(path) ? watched(pieces, this.#notes) : pieces);
      }
      fetched.then(close, () => {});
      return undefined;
    })();
    const found = sent.then(async (handed) => {
      const lines = (await handed?.found) ?? [];
      this.#found += lines.length;
      if (this.#found > this.#search.query.maxResults) this.#full.abort();
      return lines;
    });
    this.#handedOver = sent.catch(() => {});
    // Whoever collects it hears of the failure; what is never collected is of no more interest.
    found.catch(() => {});
    this.#errands.push({ path, found });
  }

  async #collect(): Promise<void> {
    const errand = this.#errands.shift();
    if (errand === undefined) return;
    try {
      for (const line of await errand.found) this.matches.push({ path: errand.path, ...line });
    } catch (error) {
      if (!DeerflowError.is(error) || error.retry !== "model") throw error;
      this.#notes[error.code === "file_too_large" ? "tooLarge" : "unreadable"].push(errand.path);
    }
  }

  async #fetch(path: string): Promise<Pieces> {
    if (this.#isNamed(path) && isByteReadable(this.#files)) {
      return (await this.#files.openBytes(path)) ?? [];
    }
    const bytes = (await this.#files.read(path))?.bytes ?? new Uint8Array();
    return Array.from({ length: Math.ceil(bytes.length / PIECE_BYTES) }, (_, index) =>
      bytes.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES),
    );
  }

  /** The root of a search is a candidate only where it is a file. */
  #isNamed(path: string): boolean {
    return path === this.#search.query.path;
  }
}
