import { z } from "zod";
import { DeerflowError } from "../../base/errors.js";
import { readProse } from "../../base/prose.js";
import { listedPath, shownPath } from "../../base/virtual-path.js";
import type { GrepMatch } from "../../filesystem/line-search.js";
import { absolutePath } from "../absolute-path.js";
import type { Face } from "../face.js";
import { pathAliases } from "../file-arguments.js";
import { cutAnswer } from "../cut-answer.js";
import { type GrepRequest, type GrepResult, OUTPUT_MODES, type OutputMode } from "../grep-files.js";
import { searchNotes } from "../search-notes.js";

const DESCRIPTION = readProse(new URL("./grep-files.md", import.meta.url));

const input = z.object({
  pattern: z.string().describe("The text to look for, taken literally; upper and lower case count."),
  path: z.string().optional().describe("Absolute file or folder to search; everything when left out."),
  glob: z
    .string()
    .optional()
    .describe('Only files that match: "*.py" by name at any depth, "src/**/*.ts" by path.'),
  output_mode: z
    .enum(OUTPUT_MODES)
    .default("files_with_matches")
    .describe("The paths of the files, their matching lines, or how many lines match in each."),
  max_count: z.number().int().optional().describe("How many lines to find at most, over all files."),
});

export const grepFiles: Face<typeof input, GrepRequest, GrepResult> = {
  name: "grep",
  aliases: pathAliases("path"),
  input: () => input,
  describe: ({ visible }) =>
    visible.has("execute")
      ? `${DESCRIPTION}\n- For a regular expression, run rg or grep -E with execute.`
      : DESCRIPTION,
  request(given, { limits, workingDirectory }) {
    const wanted = given.max_count ?? limits.defaultGrepResults;
    if (wanted < 1) throw new DeerflowError("arguments_invalid", { reason: "max_count must be 1 or more" });
    return {
      path: absolutePath(given.path ?? "/", workingDirectory),
      pattern: given.pattern,
      literal: true,
      caseSensitive: true,
      maxResults: Math.min(wanted, limits.maxGrepResults),
      outputMode: given.output_mode,
      ...(given.glob ? { glob: given.glob } : {}),
    };
  },
  answer(result, request, { limits, visible }) {
    const { path, pattern, outputMode } = request;
    const lines = LINES[outputMode](result.matches);
    const nothing = [`No matches for ${shownPath(pattern)} under ${shownPath(path)}.`];
    const hint = lines.length === 0 && result.stopped === undefined && looksLikeRegex(pattern);
    const notes = (left: number) => [
      ...(hint ? [visible.has("execute") ? LITERAL_HINT_WITH_SHELL : LITERAL_HINT] : []),
      ...searchNotes(result, undefined, left),
    ];
    return {
      ...cutAnswer(lines.length === 0 ? nothing : lines, limits.maxSearchCharacters, notes),
      facts: { path, found: result.matches.length, stopped: result.stopped ?? null },
    };
  },
};

/** How each mode shows the matches, which come sorted by path and line. */
const LINES: Readonly<Record<OutputMode, (matches: readonly GrepMatch[]) => readonly string[]>> = {
  files_with_matches: (matches) => [...byPath(matches).keys()].map(listedPath),
  content: (matches) =>
    [...byPath(matches)].flatMap(([path, lines]) => [
      `${listedPath(path)}:`,
      ...lines.map(({ line, text }) => `  ${line}: ${text}`),
    ]),
  count: (matches) => [...byPath(matches)].map(([path, lines]) => `${listedPath(path)}: ${lines.length}`),
};

function byPath(matches: readonly GrepMatch[]): ReadonlyMap<string, readonly GrepMatch[]> {
  const files = new Map<string, GrepMatch[]>();
  for (const match of matches) {
    const lines = files.get(match.path);
    if (lines === undefined) files.set(match.path, [match]);
    else lines.push(match);
  }
  return files;
}

const LITERAL_HINT =
  "[The pattern looks like a regular expression, but is taken literally. Look for a plain part of it.]";
const LITERAL_HINT_WITH_SHELL =
  "[The pattern looks like a regular expression, but is taken literally. Look for a plain part of it, or run rg with execute.]";

/** Alternatives, "any characters", or an escaped class. */
const looksLikeRegex = (pattern: string): boolean => /\||\.[*+]|\\[dDwWsSbB]/.test(pattern);
