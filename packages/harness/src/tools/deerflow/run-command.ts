import { z } from "zod";
import { readProse } from "../../base/prose.js";
import type { CommandResult } from "../../sandbox/contract.js";
import type { Face } from "../face.js";
import { description } from "../file-arguments.js";
import type { FileToolLimits } from "../limits.js";
import { type CommandCall, outputOf } from "../run-command.js";
import { DEERFLOW_LIMITS } from "./limits.js";

const DESCRIPTION = readProse(new URL("./run-command.md", import.meta.url));

const input = z.object({
  description,
  command: z.string().describe("A bash command line."),
});

export interface DescribeExecuteOptions {
  readonly grepVisible: boolean;
  readonly globVisible: boolean;
  readonly limits?: FileToolLimits;
}

/** What a model reads about the tool. */
export function describeExecute(options: DescribeExecuteOptions): string {
  const { grepVisible, globVisible, limits = DEERFLOW_LIMITS } = options;
  const better = [
    ...(globVisible ? ["glob to find files"] : []),
    ...(grepVisible ? ["grep to search them"] : []),
  ];
  const text = DESCRIPTION.replace("{seconds}", () => String(limits.defaultExecuteSeconds)).replace(
    "{characters}",
    () => String(limits.maxExecuteCharacters),
  );
  return better.length === 0 ? text : `${text}\n\nUse ${better.join(" and ")} rather than a command.`;
}

export const runCommand: Face<typeof input, CommandCall, CommandResult> = {
  name: "bash",
  aliases: { cmd: "command" },
  input: () => input,
  describe: ({ limits, visible }) =>
    describeExecute({ limits, grepVisible: visible.has("grep"), globVisible: visible.has("glob") }),
  request: ({ command }, { limits }) => ({ command, timeoutSeconds: limits.defaultExecuteSeconds }),
  answer(result, call, { limits }) {
    const { text: output, fullText } = outputOf(result, limits.maxExecuteCharacters);
    const ending = endingOf(result, call);
    return {
      text: withEnding(output, ending),
      fullText: fullText === undefined ? undefined : withEnding(fullText.trimEnd(), ending),
      facts: {
        exit_code: result.exitCode ?? null,
        timed_out: result.timedOut,
        truncated: result.truncated || fullText !== undefined,
        duration_ms: Math.round(result.durationMilliseconds),
      },
    };
  },
};

/** The output, and below it how the command ended unless it ended well. */
function withEnding(output: string, ending: string | undefined): string {
  if (ending === undefined) return output === "" ? "(no output)" : output;
  return output === "" ? ending : `${output}\n${ending}`;
}

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
