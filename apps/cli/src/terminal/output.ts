/** Where a command writes: results to standard output, everything said about them to standard error. */
import pc from "picocolors";

export interface Output {
  /** A result. */
  print(text: string): void;
  /** Progress, notes and errors. */
  note(text: string): void;
  readonly colors: ReturnType<typeof pc.createColors>;
  /** Whether a person reads the results as they come. */
  readonly isTerminal: boolean;
}

/**
 * Calls `closed` once when nobody reads the output any more (`| head`, a full disk). Without a listener Node
 * would end the process with a stack trace in the middle of a run.
 */
export function onOutputClosed(closed: () => void): void {
  let told = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", () => {
      if (!told) closed();
      told = true;
    });
  }
}

export const processOutput: Output = {
  print: (text) => void process.stdout.write(text),
  note: (text) => void process.stderr.write(text),
  colors: pc,
  isTerminal: process.stdout.isTTY === true,
};
