/** A page of a text file of any size, with the version of the whole of it. */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Turn } from "../base/turn.js";
import { isByteReadable } from "./capabilities.js";
import type { FileBackend, Version } from "./contract.js";

const PIECE_BYTES = 1024 * 1024;

export interface ViewQuery {
  readonly path: string;
  /** The first line that is wanted, from 1. */
  readonly startLine: number;
  readonly maxLines: number;
  /** Where to begin in the first line, from 0, in UTF-16 units; past its end gives the empty rest of it. */
  readonly startCharacter?: number;
  /** How long the lines may be together, each line break between them counted as one. */
  readonly maxCharacters: number;
}

export interface ViewedLine {
  /** Without its line ending. */
  readonly text: string;
  /** Where in the line the text begins: 0, save in the first line of a page. */
  readonly startCharacter: number;
  /** False when the line goes on after the text. */
  readonly isWhole: boolean;
}

export interface TextView {
  readonly kind: "text";
  readonly version: Version;
  /** A final line break opens no further line. */
  readonly totalLines: number;
  /** Whether the last line of the file has its line break. */
  readonly endsWithBreak: boolean;
  readonly startLine: number;
  /**
   * As many whole lines as fit; when not even the first one fits, as much of it as does. Never half a character. None
   * when the page lies past the end.
   */
  readonly lines: readonly ViewedLine[];
}

/** A file that holds a NUL, or bytes that are not UTF-8. */
export interface BinaryView {
  readonly kind: "binary";
  readonly version: Version;
  /** Bytes. */
  readonly size: number;
}

export type FileView = TextView | BinaryView;

/**
 * Reads a page of lines. Only "\n" ends a line, a CR before it goes with it, and a byte-order mark is no text. Where
 * the backend gives files piece by piece, memory is bounded by the page, however large the file or a line of it.
 * Undefined when no file is there.
 * @param signal ends the reading, which has no end of its own where a file grows or has none
 * @throws the signal's reason
 */
export async function viewFile(
  files: FileBackend,
  query: ViewQuery,
  signal?: AbortSignal,
): Promise<FileView | undefined> {
  const source = await openSource(files, query.path);
  if (source === undefined) return undefined;
  const hash = createHash("sha256");
  const reader = new TextReader(new Page(query));
  let size = 0;
  for await (const piece of watched(source.pieces, signal)) {
    size += piece.length;
    if (source.version === undefined) hash.update(piece);
    reader.add(piece);
  }
  const page = reader.end();
  const version = source.version ?? hash.digest("hex");
  return page === undefined ? { kind: "binary", version, size } : { kind: "text", version, ...page.result() };
}

/**
 * The sha-256 of a file's content; undefined when no file is there. Needs no memory where it comes in pieces.
 * @throws the signal's reason
 */
export async function fileVersion(
  files: FileBackend,
  path: string,
  signal?: AbortSignal,
): Promise<Version | undefined> {
  const source = await openSource(files, path);
  if (source === undefined || source.version !== undefined) return source?.version;
  const hash = createHash("sha256");
  for await (const piece of watched(source.pieces, signal)) hash.update(piece);
  return hash.digest("hex");
}

/** The pieces, with a turn for others now and then, until the signal is aborted. */
async function* watched(
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const turn = new Turn();
  for await (const piece of pieces) {
    if (turn.isOver) await turn.next();
    signal?.throwIfAborted();
    yield piece;
  }
}

interface Source {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Where it is known beforehand. */
  readonly version: Version | undefined;
}

async function openSource(files: FileBackend, path: string): Promise<Source | undefined> {
  if (isByteReadable(files)) {
    const pieces = await files.openBytes(path);
    return pieces && { pieces, version: undefined };
  }
  const content = await files.read(path);
  return content && { pieces: inPieces(content.bytes), version: content.version };
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    if (start > 0) await nextTurn();
    yield bytes.subarray(start, start + PIECE_BYTES);
  }
}

/** Bytes to text with plain line endings, whatever falls between two pieces. */
class TextReader {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  /** Undefined once the file has proved to be no text. */
  #page: Page | undefined;
  #heldReturn = "";

  constructor(page: Page) {
    this.#page = page;
  }

  add(bytes: Uint8Array): void {
    if (this.#page === undefined) return;
    const text = bytes.includes(0) ? undefined : this.#decode(bytes);
    if (text === undefined) this.#page = undefined;
    else this.#addText(this.#heldReturn + text);
  }

  end(): Page | undefined {
    const rest = this.#page && this.#decode(undefined);
    if (rest === undefined) return undefined;
    this.#page?.add(this.#heldReturn + rest);
    return this.#page;
  }

  #addText(text: string): void {
    this.#heldReturn = text.endsWith("\r") ? "\r" : "";
    const whole = this.#heldReturn === "" ? text : text.slice(0, -1);
    this.#page?.add(whole.includes("\r\n") ? whole.replaceAll("\r\n", "\n") : whole);
  }

  /** The last of it when no bytes are given. */
  #decode(bytes: Uint8Array | undefined): string | undefined {
    try {
      return bytes === undefined ? this.#decoder.decode() : this.#decoder.decode(bytes, { stream: true });
    } catch (error) {
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  }
}

/** Counts all lines and keeps those of the page. */
class Page {
  readonly #startLine: number;
  readonly #lastLine: number;
  readonly #skip: number;
  readonly #lines: ViewedLine[] = [];
  /** How many more characters may be kept. */
  #room: number;
  #ended = 0;
  /** Characters of the line at hand. */
  #length = 0;
  /** What is kept of it. */
  #text = "";

  constructor({ startLine, maxLines, startCharacter, maxCharacters }: ViewQuery) {
    this.#startLine = Math.max(1, startLine);
    this.#lastLine = this.#startLine + maxLines - 1;
    this.#skip = Math.max(0, startCharacter ?? 0);
    this.#room = Math.max(0, maxCharacters);
  }

  add(text: string): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#extend(text, start, end);
      this.#endLine();
      start = end + 1;
    }
    this.#extend(text, start, text.length);
  }

  result(): Omit<TextView, "kind" | "version"> {
    const endsWithBreak = this.#length === 0 && this.#ended > 0;
    if (this.#length > 0) this.#endLine();
    return { totalLines: this.#ended, endsWithBreak, startLine: this.#startLine, lines: this.#lines };
  }

  get #isWanted(): boolean {
    const line = this.#ended + 1;
    return line >= this.#startLine && line <= this.#lastLine && this.#room >= 0;
  }

  get #begin(): number {
    return this.#lines.length === 0 ? this.#skip : 0;
  }

  #extend(text: string, start: number, end: number): void {
    if (this.#isWanted) {
      // Two more than there is room for: so it shows that the line goes on, and no character is cut in two.
      const missing = this.#room + 2 - this.#text.length;
      const from = start + Math.max(0, this.#begin - this.#length);
      if (from < end && missing > 0) this.#text += text.slice(from, Math.min(end, from + missing));
    }
    this.#length += end - start;
  }

  #endLine(): void {
    if (this.#isWanted) this.#keepLine();
    this.#ended += 1;
    this.#length = 0;
    this.#text = "";
  }

  #keepLine(): void {
    const isSplit = this.#begin > 0 && /^[\uDC00-\uDFFF]/.test(this.#text);
    if (isSplit) this.#text = this.#text.slice(1);
    const fits = this.#text.length <= this.#room;
    if (fits || this.#lines.length === 0) {
      const text = fits ? this.#text : wholeCharacters(this.#text, this.#room);
      const startCharacter = Math.min(this.#begin + (isSplit ? 1 : 0), this.#length);
      this.#lines.push({ text, startCharacter, isWhole: fits || text.length === this.#text.length });
    }
    this.#room = fits ? this.#room - this.#text.length - 1 : -1;
  }
}

/** At most `limit` units, one less where a pair would be cut in two; a pair at the start is given whole. */
function wholeCharacters(text: string, limit: number): string {
  const cutsPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(limit - 1, limit + 1));
  if (!cutsPair) return text.slice(0, limit);
  return text.slice(0, limit === 1 ? 2 : limit - 1);
}
