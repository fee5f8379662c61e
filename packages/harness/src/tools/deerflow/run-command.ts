import { z } from "zod";
import { readProse } from "../../base/prose.js";
import type { CommandResult } from "../../sandbox/contract.js";
import type { Face } from "../face.js";
import { description } from "../file-arguments.js";
import { type CommandCall, describeCommand, outputOf } from "../run-command.js";

const DESCRIPTION = readProse(new URL("./run-command.md", import.meta.url));

const input = z.object({
  description,
  command: z.string().describe("A bash command line."),
});

export const runCommand: Face<typeof input, CommandCall, CommandResult> = {
  name: "bash",
  aliases: { cmd: "command" },
  input: () => input,
  describe: ({ limits, visible }) =>
    describeCommand(DESCRIPTION, {
      visible,
      seconds: limits.defaultExecuteSeconds,
      characters: limits.maxExecuteCharacters,
    }),
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
