import { z } from "zod";
import { DeerflowError } from "../../base/errors.js";
import { readProse } from "../../base/prose.js";
import type { CommandResult } from "../../sandbox/contract.js";
import type { Face } from "../face.js";
import type { FileToolLimits } from "../limits.js";
import { type CommandCall, outputOf } from "../run-command.js";
import { DEEPAGENTS_LIMITS } from "./limits.js";

const DESCRIPTION = readProse(new URL("./run-command.md", import.meta.url));

const inputOf = ({ maxExecuteSeconds }: FileToolLimits) =>
  z.object({
    command: z.string().describe("A shell command line."),
    timeout: z
      .number()
      .optional()
      .describe(`Seconds after which it is stopped, up to ${maxExecuteSeconds}; 0 for as long as that.`),
  });

export interface DescribeExecuteOptions {
  readonly grepVisible: boolean;
  readonly globVisible: boolean;
  readonly limits?: FileToolLimits;
}

/** What a model reads about the tool. */
export function describeExecute(options: DescribeExecuteOptions): string {
  const { grepVisible, globVisible, limits = DEEPAGENTS_LIMITS } = options;
  const better = [
    ...(globVisible ? ["glob to find files"] : []),
    ...(grepVisible ? ["grep to search them"] : []),
  ];
  const text = DESCRIPTION.replace("{seconds}", () => String(limits.maxExecuteSeconds)).replace(
    "{characters}",
    () => String(limits.maxExecuteCharacters),
  );
  return better.length === 0 ? text : `${text}\n\nUse ${better.join(" and ")} rather than a command.`;
}

export const runCommand: Face<ReturnType<typeof inputOf>, CommandCall, CommandResult> = {
  name: "execute",
  aliases: { cmd: "command", timeout_seconds: "timeout" },
  input: inputOf,
  describe: ({ limits, visible }) =>
    describeExecute({ limits, grepVisible: visible.has("grep"), globVisible: visible.has("glob") }),
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
