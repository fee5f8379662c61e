/** Finds the commands in the arguments of a call. */
import type { ToolCall } from "@langchain/core/messages/tool";
import { textFrom } from "../tools/tolerant-arguments.js";

/** The argument of our tools that holds the command, under every name that models have for it. */
const OWN_ARGUMENTS = ["command", "cmd", "script", "commands"];
/** Arguments of other tools that hold a command, or a part of one. */
const ARGUMENTS =
  /^(.*[-_])?(commands?|cmds?|scripts?|code|bash|shell|argv|program|statements?|input|line|command[-_]?line|shell[-_]?command)$/i;

/**
 * Every command of a call, as its tool will understand it; none where no argument is named for one. A list may be
 * the words of one command or several commands, so it is given as both. Pure.
 * @param isOwn whether the tool is one of this package, which takes one command and turns what is no text into one
 */
export function commandsOf(
  args: ToolCall["args"],
  { isOwn }: { readonly isOwn: boolean },
): readonly string[] {
  if (isOwn) {
    const given = OWN_ARGUMENTS.map((name): unknown => (Object.hasOwn(args, name) ? args[name] : undefined));
    const first = given.find((value) => value !== undefined && value !== null);
    return first === undefined ? [] : [textFrom(first)];
  }
  return Object.entries(args).flatMap(([name, value]) =>
    ARGUMENTS.test(name.replaceAll(/([a-z])([A-Z])/g, "$1_$2")) ? textsOf(value) : [],
  );
}

function textsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [textFrom(value)];
  const words = value.map((word: unknown) => textFrom(word));
  if (words.length === 0) return [];
  const areWords = words.length > 1 && words.every((word) => !/\s/.test(word));
  return areWords ? [words.join(" ")] : [...new Set([words.map(quoted).join(" "), words.join("\n")])];
}

const quoted = (word: string): string =>
  /\s/.test(word) ? `'${word.replaceAll("'", String.raw`'\''`)}'` : word;
