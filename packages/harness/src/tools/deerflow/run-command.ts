import { z } from "zod";
import { readProse } from "../../base/prose.js";
import type { CommandResult } from "../../sandbox/contract.js";
import { assertTimeout } from "../command-timeout.js";
import type { Face } from "../face.js";
import { description } from "../file-arguments.js";
import type { FileToolLimits } from "../limits.js";
import { type CommandCall, type CommandDone, describeCommand, tellCommand } from "../run-command.js";

const DESCRIPTION = readProse(new URL("./run-command.md", import.meta.url));

const inputOf = ({ maxExecuteSeconds }: FileToolLimits) =>
  z.object({
    description,
    command: z.string().describe("A bash command line."),
    timeout: z
      .number()
      .optional()
      .describe(`Seconds after which it is stopped, where ${maxExecuteSeconds} are too many.`),
  });

export const runCommand: Face<ReturnType<typeof inputOf>, CommandCall, CommandDone> = {
  name: "bash",
  aliases: { cmd: "command", timeout_seconds: "timeout" },
  input: inputOf,
  describe: ({ limits, visible }) =>
    describeCommand(DESCRIPTION, {
      visible,
      seconds: limits.defaultExecuteSeconds,
      longest: limits.maxExecuteSeconds,
      characters: limits.maxExecuteCharacters,
    }),
  request: ({ command, timeout }, { limits }) => ({
    command,
    timeoutSeconds: assertTimeout(timeout, limits),
  }),
  answer: (done, call, surroundings) =>
    tellCommand(done, {
      ending: endingOf(done, call),
      noteComes: "before the ending",
      silence: "(no output)",
      howToRead: (path) =>
        `Read it in parts with read_file: path "${path}", start_line 1, end_line 100; a part that was cut says how to go on.`,
      surroundings,
    }),
};

function endingOf(
  { timedOut, exitCode }: CommandResult,
  { timeoutSeconds }: CommandCall,
): string | undefined {
  if (timedOut) {
    return timeoutSeconds === undefined
      ? "Stopped at the time limit."
      : `Stopped after ${timeoutSeconds} seconds, the time limit.`;
  }
  if (exitCode === undefined) return "Ended by a signal.";
  return exitCode === 0 ? undefined : `Exit code: ${exitCode}`;
}
