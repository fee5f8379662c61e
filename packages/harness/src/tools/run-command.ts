/** Running a shell command. One that fails is a normal result. */
import { reasonOf } from "../base/errors.js";
import { counted } from "../base/counted.js";
import { cutMiddle } from "../filesystem/paging.js";
import type { CommandResult } from "../sandbox/contract.js";
import { CommandOutput, type OutputFacts } from "./command-output.js";
import type { ToolOutcome } from "./define-tool.js";
import type { Perform, Surroundings, ToolKind } from "./face.js";
import { LiveOutput } from "./live-output.js";

export interface CommandCall {
  readonly command: string;
  /** Undefined for the shell's own limit. */
  readonly timeoutSeconds: number | undefined;
}

/** How a command ended, and where the whole of its output is. */
export interface CommandDone extends CommandResult, OutputFacts {}

/** @throws what the sandbox throws; the signal's reason when the run is stopped */
export const runCommand: Perform<CommandCall, CommandDone> = async (call, workplace) => {
  const { shell, signal, limits, outputFiles, logger, asked } = workplace;
  if (shell === undefined) throw new Error("A shell tool was made without a shell.");
  const live = new LiveOutput({ send: asked.send, callId: asked.callId, tool: asked.tool });
  const output = new CommandOutput({
    limit: limits.maxExecuteCharacters,
    tool: asked.tool,
    files: outputFiles,
    onFailure: (error) => logger.warn("A command's output could not be kept", { reason: reasonOf(error) }),
  });
  try {
    const result = await shell.execute({
      command: call.command,
      ...(call.timeoutSeconds === undefined ? {} : { timeoutSeconds: call.timeoutSeconds }),
      ...(signal === undefined ? {} : { signal }),
      onOutput(text) {
        live.add(text);
        return output.add(text);
      },
    });
    return { ...result, ...(await output.finish(result)) };
  } catch (error) {
    await output.abort();
    throw error;
  } finally {
    live.close();
  }
};

/** Says how the model reads a file from its start, in the words of its tools. */
export type HowToRead = (path: string) => string;

interface Telling {
  /** How the command ended; undefined where that goes without saying. */
  readonly ending: string | undefined;
  /** Where the note that something is missing stands: last, or before the ending and only where there is a file. */
  readonly noteComes: "before the ending" | "last";
  /** What is said where there is nothing else to say. */
  readonly silence: string;
  readonly howToRead: HowToRead;
  readonly surroundings: Surroundings;
}

/** What the model is told of a command. */
export function tellCommand(done: CommandDone, telling: Telling): ToolOutcome {
  const { ending, noteComes, silence, howToRead, surroundings } = telling;
  const { notices = [], kept, characters, lines } = done;
  const limit = surroundings.limits.maxExecuteCharacters;
  const isCut = done.truncated || done.output.length > limit;
  const isNoted = isCut && (kept !== undefined || noteComes === "last");
  const note = isNoted ? `[${noteOn(done, howToRead, surroundings)}]` : undefined;
  const shown = wellFormed(cutMiddle(done.output, limit, Math.max(characters, done.output.length))).trimEnd();
  const behind = noteComes === "last" ? [ending, ...notices, note] : [note, ending, ...notices];
  const whole = wellFormed(done.output).trimEnd();
  return {
    text: joined([shown, ...behind]) || silence,
    ...(isCut ? { fullText: joined([whole, ending, ...notices]) } : {}),
    ...(kept && note ? { kept: { ...kept, note, characters, lines, isInText: !done.truncated } } : {}),
    facts: {
      exit_code: done.exitCode ?? null,
      timed_out: done.timedOut,
      truncated: isCut,
      duration_ms: Math.round(done.durationMilliseconds),
      output_characters: characters,
      ...(kept === undefined ? {} : { full_output_path: kept.path }),
      ...(notices.length === 0 ? {} : { notices }),
    },
  };
}

/** What is missing of an output, and where it is. */
function noteOn(
  { kept, characters, lines }: CommandDone,
  howToRead: HowToRead,
  { visible }: Surroundings,
): string {
  if (kept === undefined) return "The output was cut.";
  const size = `${counted(characters, "character")} in ${counted(lines, "line")}`;
  const how = [
    ...(visible.has("read") ? [howToRead(kept.path)] : []),
    ...(visible.has("grep") ? ["Search it with grep."] : []),
  ];
  return [`The output was cut.`, `${whatIsIn(kept, size)} in the file ${kept.path}.`, ...how].join(" ");
}

function whatIsIn({ leftOut, isAll }: NonNullable<CommandDone["kept"]>, size: string): string {
  if (leftOut > 0) {
    return `It has ${size}. Its beginning and its end, without ${leftOut} characters between them, are`;
  }
  return isAll ? `All of it, ${size}, is` : `What is known of it, ${size}, is`;
}

const joined = (parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== "").join("\n");

/** With the flag, only half of a pair is a surrogate; a provider would refuse it. */
const wellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, "\uFFFD");

interface Described {
  readonly visible: ReadonlySet<ToolKind>;
  /** The limit of a command that names none; undefined for the shell's own. */
  readonly seconds: number | undefined;
  readonly longest: number;
  readonly characters: number;
}

/** What a model reads about the tool: the dialect's text with its numbers, and which tools do a part of it better. */
export function describeCommand(text: string, { visible, seconds, longest, characters }: Described): string {
  const filled = text
    .replace("{seconds}", () => (seconds === undefined ? "some" : String(seconds)))
    .replace("{longest}", () => String(longest))
    .replace("{characters}", () => String(characters));
  const better = [
    ...(visible.has("glob") ? ["glob to find files"] : []),
    ...(visible.has("grep") ? ["grep to search them"] : []),
  ];
  return better.length === 0 ? filled : `${filled}\n\nUse ${better.join(" and ")} rather than a command.`;
}
