/** Running a shell command. One that fails is a normal result. */
import { cutMiddle } from "../filesystem/paging.js";
import type { CommandResult } from "../sandbox/contract.js";
import type { Perform, ToolKind } from "./face.js";

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

interface Described {
  readonly visible: ReadonlySet<ToolKind>;
  readonly seconds: number | undefined;
  readonly characters: number;
}

/** What a model reads about the tool: the dialect's text with its numbers, and which tools do a part of it better. */
export function describeCommand(text: string, { visible, seconds, characters }: Described): string {
  const filled = text
    .replace("{seconds}", () => String(seconds))
    .replace("{characters}", () => String(characters));
  const better = [
    ...(visible.has("glob") ? ["glob to find files"] : []),
    ...(visible.has("grep") ? ["grep to search them"] : []),
  ];
  return better.length === 0 ? filled : `${filled}\n\nUse ${better.join(" and ")} rather than a command.`;
}
