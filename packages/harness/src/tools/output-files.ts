/** Where the outputs of commands go that are too long for an answer. */

export interface OutputFiles {
  /**
   * Begins the file of one command's output.
   * @param tool as the model calls it; the file is named after it
   * @throws whatever the files throw
   */
  open(tool: string): Promise<OutputFile>;
}

/** A file while it is written. Nothing of it is there before `commit`. */
export interface OutputFile {
  /** How much of an output it takes. */
  readonly maxBytes: number;
  write(bytes: Uint8Array): Promise<void>;
  /** Gives the path under which the model reads it. */
  commit(): Promise<string>;
  abort(): Promise<void>;
}

/** A file in place, and what of the output is in it. */
export interface KeptOutput {
  readonly path: string;
  /** Characters between its beginning and its end that are kept nowhere. */
  readonly leftOut: number;
  /** False where more was printed than ever came here. */
  readonly isAll: boolean;
}
