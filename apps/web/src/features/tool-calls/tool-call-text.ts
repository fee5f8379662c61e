/** What a card says, decided apart from how it looks. */
import { listOf, recordOf, textOf, type JsonRecord, type ToolCallView } from "@deerflow/client";
import { baseName } from "../../lib/format.js";
import { toolKind } from "./tool-kinds.js";

/** One argument as a person reads it. */
export interface ShownArgument {
  readonly name: string;
  readonly value: string;
}

const asText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, undefined, 2);

/** The headline: the model's own reason, else undefined. And what the call is about, in one line. */
export function cardHeading(call: Pick<ToolCallView, "name" | "headline" | "args">): {
  readonly headline: string | undefined;
  readonly subject: string | undefined;
} {
  const { subject } = toolKind(call.name);
  const value = subject === undefined ? undefined : textOf(call.args[subject]);
  const line = value?.split("\n").find((text) => text.trim() !== "");
  return {
    headline: call.headline === "" ? undefined : call.headline,
    subject: subject === "path" && line !== undefined ? baseName(line) : line,
  };
}

/** All arguments but the headline; the long text last. */
export function shownArguments(name: string, args: JsonRecord): readonly ShownArgument[] {
  const { body } = toolKind(name);
  const names = Object.keys(args).filter((key) => key !== "description" && args[key] !== undefined);
  const ordered = names.toSorted((left, right) => Number(left === body) - Number(right === body));
  return ordered.map((key) => ({ name: key, value: asText(args[key]) }));
}

const SHOWN_LINES = 6;

/** The last lines of a text; a final line break opens no further line. */
export const lastLines = (text: string, lines = SHOWN_LINES): string =>
  text.replace(/\n$/, "").split("\n").slice(-lines).join("\n");

/** The last lines of the text that is being written, for a live look. */
export function liveTail(name: string, args: JsonRecord, lines = SHOWN_LINES): string {
  const { body } = toolKind(name);
  const text = body === undefined ? "" : (textOf(args[body]) ?? "");
  return text.split("\n").slice(-lines).join("\n");
}

/** A question to the person, with the answers it offers. */
export interface Question {
  readonly question: string;
  readonly options: readonly string[];
}

export function questionOf(call: Pick<ToolCallView, "args" | "artifact">): Question {
  const asked = recordOf(call.artifact["human_input"]);
  const options =
    [listOf(asked["options"]), listOf(call.args["options"])].find((list) => list.length > 0) ?? [];
  return {
    question: textOf(asked["question"]) ?? textOf(call.args["question"]) ?? "",
    options: options.flatMap(
      (option) =>
        textOf(option) ?? textOf(recordOf(option)["label"]) ?? textOf(recordOf(option)["value"]) ?? [],
    ),
  };
}

/** The files that a call handed over. */
export function handedFiles(call: Pick<ToolCallView, "name" | "state" | "args">): readonly string[] {
  if (call.name !== "present_files" || call.state !== "done") return [];
  const paths = listOf(call.args["filepaths"]).flatMap((path) => textOf(path) ?? []);
  return [...new Set(paths)];
}
