import { z } from "zod";
import { readProse } from "../base/prose.js";
import { cutMiddle } from "../filesystem/paging.js";
import type { CommandResult, Sandbox } from "../sandbox/contract.js";
import { defineTool } from "./define-tool.js";
import { description } from "./file-arguments.js";

const DESCRIPTION = readProse(new URL("./run-command.md", import.meta.url));

const input = z.object({
  description,
  command: z.string().describe("A bash command line."),
});

export interface CommandLimits {
  /** Wall-clock limit of one command. */
  readonly timeoutSeconds: number;
  /** More output than this is cut in the middle. */
  readonly maxCharacters: number;
}

export const DEFAULT_COMMAND_LIMITS: CommandLimits = { timeoutSeconds: 600, maxCharacters: 20_000 };

/** Runs a shell command in the sandbox. A command that fails is a normal result. */
export const runCommand = (sandbox: Sandbox, name: string, limits: CommandLimits) =>
  defineTool({
    name,
    operation: "execute",
    description: DESCRIPTION.replace("{seconds}", String(limits.timeoutSeconds)).replace(
      "{characters}",
      String(limits.maxCharacters),
    ),
    input,
    aliases: { cmd: "command" },
    async run({ command }, { signal }) {
      const result = await sandbox.execute({
        command,
        timeoutSeconds: limits.timeoutSeconds,
        ...(signal === undefined ? {} : { signal }),
      });
      return {
        text: commandText(result, limits),
        facts: {
          exit_code: result.exitCode ?? null,
          timed_out: result.timedOut,
          truncated: result.truncated || result.output.length > limits.maxCharacters,
          duration_ms: Math.round(result.durationMilliseconds),
        },
      };
    },
  });

/** The output, and below it how the command ended unless it ended well. */
export function commandText(result: CommandResult, limits: CommandLimits): string {
  const output = cutMiddle(result.output, limits.maxCharacters).trimEnd();
  const ending = endingOf(result, limits);
  if (ending === undefined) return output === "" ? "(no output)" : output;
  return output === "" ? ending : `${output}\n${ending}`;
}

function endingOf(
  { timedOut, exitCode }: CommandResult,
  { timeoutSeconds }: CommandLimits,
): string | undefined {
  if (timedOut) return `Stopped after ${timeoutSeconds} seconds, the time limit.`;
  if (exitCode === undefined) return "Ended by a signal.";
  return exitCode === 0 ? undefined : `Exit code: ${exitCode}`;
}
