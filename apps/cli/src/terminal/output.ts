/** Where a command writes: results to standard output, everything said about them to standard error. */
import pc from "picocolors";

export interface Output {
  /** A result. */
  print(text: string): void;
  /** Progress, notes and errors. */
  note(text: string): void;
  readonly colors: ReturnType<typeof pc.createColors>;
}

export const processOutput: Output = {
  print: (text) => void process.stdout.write(text),
  note: (text) => void process.stderr.write(text),
  colors: pc,
};
