/** What one command prints: counted whole, and put into a file from the moment on at which no answer can show it all. */
import type { KeptOutput, OutputFiles } from "./output-files.js";
import { SpilledOutput } from "./spilled-output.js";

export interface CommandOutputOptions {
  /** Longer outputs go into a file. Characters. */
  readonly limit: number;
  /** As the model calls it. */
  readonly tool: string;
  /** Absent: nothing is kept but what the answer shows. */
  readonly files: OutputFiles | undefined;
  /** Told once, when an output cannot be kept. */
  readonly onFailure: (error: unknown) => void;
}

export interface OutputFacts {
  /** Of the whole output, as far as it came here. */
  readonly characters: number;
  readonly lines: number;
  /** Undefined where all of it can be shown, and where it could not be kept. */
  readonly kept: KeptOutput | undefined;
}

export class CommandOutput {
  readonly #options: CommandOutputOptions;
  #characters = 0;
  #lineBreaks = 0;
  #last = "";
  /** All of it, up to the limit. */
  #pending = "";
  #spilled: SpilledOutput | undefined;

  constructor(options: CommandOutputOptions) {
    this.#options = options;
  }

  /** A promise holds the program back; it never rejects. */
  add(text: string): Promise<void> | undefined {
    if (text === "") return undefined;
    this.#characters += text.length;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) this.#lineBreaks += 1;
    this.#last = text.at(-1) ?? "";
    if (this.#spilled !== undefined) return this.#spilled.add(text);
    this.#pending += text;
    return this.#characters > this.#options.limit ? this.#spill() : undefined;
  }

  /**
   * @param result what the sandbox gives in the end: all there is where it told nothing on the way
   */
  async finish(result: { readonly output: string; readonly truncated: boolean }): Promise<OutputFacts> {
    if (this.#characters === 0) await this.add(result.output);
    // Some sandboxes tell at the end what they give, cut or not: then no more than that ever came here.
    const isAll = !result.truncated || this.#characters !== result.output.length;
    if (result.truncated) await this.#spill();
    const place = await this.#spilled?.commit();
    return {
      characters: this.#characters,
      lines: this.#lineBreaks + (this.#last === "" || this.#last === "\n" ? 0 : 1),
      kept: place && { ...place, isAll },
    };
  }

  /** Nothing stays of it. Never rejects. */
  async abort(): Promise<void> {
    await this.#spilled?.abort();
  }

  #spill(): Promise<void> | undefined {
    const { files, tool, onFailure } = this.#options;
    if (files === undefined || this.#spilled !== undefined) {
      this.#pending = "";
      return undefined;
    }
    this.#spilled = new SpilledOutput(files, tool, onFailure);
    const pending = this.#pending;
    this.#pending = "";
    return this.#spilled.add(pending);
  }
}
