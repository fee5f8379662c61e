/** Writes an output into its file as it comes: all of it, or its beginning and its end where it is too long for that. */
import type { OutputFile, OutputFiles } from "./output-files.js";
import { TextTail } from "./text-tail.js";

/** Pieces that wait for the disk at most, before the program is held back. */
const MAX_WAITING_BYTES = 256 * 1024;
/** Of an output that is too long, kept in memory until its end is known. */
const TAIL_CHARACTERS = 256 * 1024;
const MAX_BYTES_A_CHARACTER = 3;
const PIECE_CHARACTERS = 64 * 1024;

const NUL = /\0/g;

export class SpilledOutput {
  readonly #files: OutputFiles;
  readonly #tool: string;
  readonly #onFailure: (error: unknown) => void;
  #file: OutputFile | undefined;
  #work: Promise<void> = Promise.resolve();
  #waitingBytes = 0;
  #writtenBytes = 0;
  /** Set from the moment on at which only the end is kept. */
  #tail: TextTail | undefined;
  #hasFailed = false;

  /** @param onFailure told once, when the output cannot be kept */
  constructor(files: OutputFiles, tool: string, onFailure: (error: unknown) => void) {
    this.#files = files;
    this.#tool = tool;
    this.#onFailure = onFailure;
  }

  /** Never rejects. A promise means that more should not come before it is resolved. */
  add(text: string): Promise<void> | undefined {
    for (const piece of piecesOf(text)) this.#enqueue(piece);
    return this.#waitingBytes > MAX_WAITING_BYTES ? this.#work : undefined;
  }

  /** Puts the file in place. Undefined when that could not be done. */
  async commit(): Promise<{ readonly path: string; readonly leftOut: number } | undefined> {
    await this.#work;
    const file = await this.#opened();
    if (file === undefined) return undefined;
    try {
      if (this.#tail !== undefined) await file.write(bytesOf(endOf(this.#tail)));
      return { path: await file.commit(), leftOut: this.#tail?.leftOut ?? 0 };
    } catch (error) {
      await this.#fail(error);
      return undefined;
    }
  }

  /** Nothing stays. Never rejects. */
  async abort(): Promise<void> {
    this.#hasFailed = true;
    await this.#work;
    await this.#drop();
  }

  #enqueue(text: string): void {
    if (this.#hasFailed) return;
    if (this.#tail !== undefined && this.#waitingBytes === 0) return this.#tail.add(text);
    const bytes = bytesOf(text);
    this.#waitingBytes += bytes.length;
    this.#work = this.#write(this.#work, text, bytes);
  }

  async #write(before: Promise<void>, text: string, bytes: Uint8Array): Promise<void> {
    await before;
    const file = await this.#opened();
    if (file !== undefined) await this.#put(file, text, bytes);
    this.#waitingBytes -= bytes.length;
  }

  async #put(file: OutputFile, text: string, bytes: Uint8Array): Promise<void> {
    if (this.#tail === undefined && this.#writtenBytes + bytes.length > headBytes(file)) {
      this.#tail = new TextTail(tailCharacters(file));
    }
    if (this.#tail !== undefined) return this.#tail.add(text);
    try {
      this.#writtenBytes += bytes.length;
      await file.write(bytes);
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #opened(): Promise<OutputFile | undefined> {
    if (this.#hasFailed) return undefined;
    try {
      this.#file ??= await this.#files.open(this.#tool);
      return this.#file;
    } catch (error) {
      await this.#fail(error);
      return undefined;
    }
  }

  async #fail(error: unknown): Promise<void> {
    this.#hasFailed = true;
    this.#onFailure(error);
    await this.#drop();
  }

  async #drop(): Promise<void> {
    try {
      await this.#file?.abort();
    } catch (error) {
      this.#onFailure(error);
    }
  }
}

/** No file tool pages a text with a NUL in it; a lone surrogate becomes the mark for one by itself. */
const bytesOf = (text: string): Buffer => Buffer.from(text.replaceAll(NUL, "\u2400"));

const endOf = ({ leftOut, text }: TextTail): string =>
  leftOut === 0 ? text : `\n[… ${leftOut} characters left out …]\n${text}`;

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const isTorn = (text.codePointAt(at + PIECE_CHARACTERS - 1) ?? 0) > 0xff_ff;
    const to = at + PIECE_CHARACTERS + (isTorn ? 1 : 0);
    yield text.slice(at, to);
    at = to;
  }
}

const tailCharacters = ({ maxBytes }: OutputFile): number =>
  Math.min(TAIL_CHARACTERS, Math.floor(maxBytes / 2 / MAX_BYTES_A_CHARACTER));

const headBytes = (file: OutputFile): number => file.maxBytes - tailCharacters(file) * MAX_BYTES_A_CHARACTER;
