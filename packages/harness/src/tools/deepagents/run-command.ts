import { z } from "zod";
import { readProse } from "../../base/prose.js";
import type { CommandResult } from "../../sandbox/contract.js";
import { assertTimeout } from "../command-timeout.js";
import type { Face } from "../face.js";
import type { FileToolLimits } from "../limits.js";
import { type CommandCall, type CommandDone, describeCommand, tellCommand } from "../run-command.js";

const DESCRIPTION = readProse(new URL("./run-command.md", import.meta.url));

const inputOf = ({ maxExecuteSeconds }: FileToolLimits) =>
  z.object({
    command: z.string().describe("A shell command line."),
    timeout: z
      .number()
      .optional()
      .describe(`Seconds after which it is stopped, up to ${maxExecuteSeconds}; 0 for as long as that.`),
  });

export const runCommand: Face<ReturnType<typeof inputOf>, CommandCall, CommandDone> = {
  name: "execute",
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
      noteComes: "last",
      silence: "",
      howToRead: (path) =>
        `Read it in parts with read_file: file_path "${path}", offset 0, limit 100; each part says where the next begins.`,
      surroundings,
    }),
};

function endingOf({ timedOut, exitCode }: CommandResult, { timeoutSeconds }: CommandCall): string {
  if (timedOut) {
    const limit = timeoutSeconds === undefined ? "" : ` of ${timeoutSeconds} seconds`;
    return `[The command was stopped at its time limit${limit}. Give a longer timeout if it needs one.]`;
  }
  if (exitCode === undefined) return "[The command was ended by a signal.]";
  return exitCode === 0
    ? "[The command succeeded with exit code 0.]"
    : `[The command failed with exit code ${exitCode}.]`;
}
