/** Running a shell command. One that fails is a normal result. */
import { cutMiddle } from "../filesystem/paging.js";
import type { CommandResult } from "../sandbox/contract.js";
import type { Perform } from "./face.js";

export interface CommandCall {
  readonly command: string;
  /** Undefined for the shell's own limit. */
  readonly timeoutSeconds: number | undefined;
}

/** @throws what the sandbox throws; the signal's reason when the run is stopped */
export const runCommand: Perform<CommandCall, CommandResult> = (call, { shell, signal }) => {
  if (shell === undefined) throw new Error("A shell tool was made without a shell.");
  return shell.execute({
    command: call.command,
    ...(call.timeoutSeconds === undefined ? {} : { timeoutSeconds: call.timeoutSeconds }),
    ...(signal === undefined ? {} : { signal }),
  });
};

/** The output without white space at its end, cut in the middle; the whole of it where it was cut. */
export function outputOf({ output }: CommandResult, limit: number) {
  const text = cutMiddle(output, limit).trimEnd();
  return { text, fullText: output.length > limit ? output : undefined };
}
