import { z } from "zod";
import { DeerflowError } from "../../base/errors.js";
import { readProse } from "../../base/prose.js";
import type { CommandResult } from "../../sandbox/contract.js";
import type { Face } from "../face.js";
import type { FileToolLimits } from "../limits.js";
import { type CommandCall, describeCommand, outputOf } from "../run-command.js";

const DESCRIPTION = readProse(new URL("./run-command.md", import.meta.url));

const inputOf = ({ maxExecuteSeconds }: FileToolLimits) =>
  z.object({
    command: z.string().describe("A shell command line."),
    timeout: z
      .number()
      .optional()
      .describe(`Seconds after which it is stopped, up to ${maxExecuteSeconds}; 0 for as long as that.`),
  });

export const runCommand: Face<ReturnType<typeof inputOf>, CommandCall, CommandResult> = {
  name: "execute",
  aliases: { cmd: "command", timeout_seconds: "timeout" },
  input: inputOf,
  describe: ({ limits, visible }) =>
    describeCommand(DESCRIPTION, {
      visible,
      seconds: limits.maxExecuteSeconds,
      characters: limits.maxExecuteCharacters,
    }),
  request({ command, timeout }, { limits }) {
    const { defaultExecuteSeconds, maxExecuteSeconds } = limits;
    if (timeout !== undefined && !(timeout >= 0 && timeout <= maxExecuteSeconds)) {
      const reason = `timeout is ${timeout}, and may be from 0 to ${maxExecuteSeconds} seconds`;
      throw new DeerflowError("arguments_invalid", { reason });
    }
    return {
      command,
      timeoutSeconds: timeout === 0 ? maxExecuteSeconds : (timeout ?? defaultExecuteSeconds),
    };
  },
  answer(result, call, { limits }) {
    const { text: output, fullText } = outputOf(result, limits.maxExecuteCharacters);
    const isCut = result.truncated || fullText !== undefined;
    const ending = [endingOf(result, call), ...(isCut ? ["[The output was cut.]"] : [])];
    return {
      text: [...(output === "" ? [] : [output]), ...ending].join("\n"),
      fullText: fullText === undefined ? undefined : [fullText.trimEnd(), endingOf(result, call)].join("\n"),
      facts: {
        ...(result.exitCode === undefined ? {} : { exit_code: result.exitCode }),
        timed_out: result.timedOut,
        truncated: isCut,
      },
    };
  },
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
