import { z } from "zod";
import { readProse } from "../../base/prose.js";
import { listedPath, shownPath } from "../../base/virtual-path.js";
import type { Face } from "../face.js";
import { pathAliases } from "../file-arguments.js";
import { cutAnswer } from "../cut-answer.js";
import { type GlobRequest, type GlobResult, searchRoot } from "../glob-files.js";
import { searchNotes } from "../search-notes.js";

const DESCRIPTION = readProse(new URL("./glob-files.md", import.meta.url));

const input = z.object({
  pattern: z.string().describe('Glob, such as "*.py", "src/**/*.ts" or "*.{md,txt}".'),
  path: z
    .string()
    .optional()
    .describe(
      "Absolute folder to search. When left out, the folder that an absolute pattern names, else everything.",
    ),
});

export const globFiles: Face<typeof input, GlobRequest, GlobResult> = {
  name: "glob",
  aliases: pathAliases("path"),
  input: () => input,
  describe: () => DESCRIPTION,
  request: ({ pattern, path }, { limits, workingDirectory }) => ({
    pattern,
    path: searchRoot(path, pattern, workingDirectory),
    includeDirectories: false,
    maxResults: limits.defaultGlobResults,
  }),
  answer(result, { path, pattern }, { limits }) {
    const count = result.paths.length;
    const found =
      count === 0
        ? [`No files under ${shownPath(path)} match ${shownPath(pattern)}.`]
        : result.paths.map(listedPath);
    return {
      ...cutAnswer(found, limits.maxSearchCharacters, (left) => searchNotes(result, count - left, left)),
      facts: { path, found: count, stopped: result.stopped ?? null },
    };
  },
};
