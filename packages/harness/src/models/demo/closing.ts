/** The last words of a task. */
import { readProse } from "../../base/prose.js";
import { counted } from "./counted.js";
import { inline } from "./markdown.js";
import { nameOfFile } from "./plan-context.js";

const CLOSING = readProse(new URL("./closing.md", import.meta.url));

/** The chat's last message: what came out, where it lies, what was shown on purpose, and who speaks. */
export const closingText = (summary: string, facts: readonly string[]): string =>
  [summary, ...(facts.length === 0 ? [] : [facts.join("\n")]), CLOSING].join("\n\n");

/** What a task is told that asks for more than the script does. */
export const unreadTask = (routine: string): string =>
  `The demo model does not read what a task asks, apart from the names of files and columns: ${routine}.`;

const MOST_NAMES = 10;

/** Names the files that were left alone; nothing where there are none. */
export function otherFiles(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const names = paths.slice(0, MOST_NAMES).map((path) => inline(nameOfFile(path)));
  const more = paths.length > MOST_NAMES ? ` and ${paths.length - MOST_NAMES} more` : "";
  return [`I left ${counted(paths.length, "other file")} alone: ${names.join(", ")}${more}.`];
}
