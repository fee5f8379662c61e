import { z } from "zod";
import { readProse } from "../../base/prose.js";
import { listedPath, shownPath } from "../../base/virtual-path.js";
import { absolutePath } from "../absolute-path.js";
import type { Face } from "../face.js";
import { description, pathAliases } from "../file-arguments.js";
import { cutAnswer } from "../cut-answer.js";
import type { GrepRequest, GrepResult } from "../grep-files.js";
import type { FileToolLimits } from "../limits.js";
import { searchNotes } from "../search-notes.js";

const DESCRIPTION = readProse(new URL("./grep-files.md", import.meta.url));

const inputOf = ({ defaultGrepResults, maxGrepResults }: FileToolLimits) =>
  z.object({
    description,
    pattern: z.string().describe("Regular expression, or plain text with literal."),
    path: z.string().default("/").describe("Absolute file or folder to search; everything when left out."),
    glob: z
      .string()
      .optional()
      .describe('Only files that match: "*.py" by name at any depth, "src/**/*.ts" by path.'),
    literal: z.boolean().default(false).describe("Take the pattern as plain text."),
    case_sensitive: z.boolean().default(false),
    max_results: z.number().int().default(defaultGrepResults).describe(`1 to ${maxGrepResults}.`),
  });

export const grepFiles: Face<ReturnType<typeof inputOf>, GrepRequest, GrepResult> = {
  name: "grep",
  aliases: pathAliases("path"),
  input: inputOf,
  describe: ({ visible }) =>
    visible.has("execute") ? `${DESCRIPTION}\n- For more than that, run rg with bash.` : DESCRIPTION,
  request: (given, { limits, workingDirectory }) => ({
    path: absolutePath(given.path, workingDirectory),
    pattern: given.pattern,
    literal: given.literal,
    caseSensitive: given.case_sensitive,
    maxResults: Math.min(Math.max(given.max_results, 1), limits.maxGrepResults),
    outputMode: "content",
    ...(given.glob ? { glob: given.glob } : {}),
  }),
  answer(result, { path, pattern }, { limits }) {
    const lines = result.matches.map((match) => `${listedPath(match.path)}:${match.line}: ${match.text}`);
    const found = lines.length === 0 ? [`No line under ${path} matches ${shownPath(pattern)}.`] : lines;
    return {
      ...cutAnswer(found, limits.maxSearchCharacters, (left) =>
        searchNotes(result, lines.length - left, left),
      ),
      facts: { path, found: lines.length, stopped: result.stopped ?? null },
    };
  },
};
