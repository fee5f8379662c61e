import { z } from "zod";
import { readProse } from "../../base/prose.js";
import { listedPath } from "../../base/virtual-path.js";
import type { Face } from "../face.js";
import { description, pathAliases } from "../file-arguments.js";
import { cutAnswer } from "../cut-answer.js";
import { type GlobRequest, type GlobResult, searchRoot } from "../glob-files.js";
import type { FileToolLimits } from "../limits.js";
import { searchNotes } from "../search-notes.js";

const DESCRIPTION = readProse(new URL("./glob-files.md", import.meta.url));

const inputOf = ({ defaultGlobResults, maxGlobResults }: FileToolLimits) =>
  z.object({
    description,
    pattern: z.string().describe('Glob, such as "*.py", "src/**/*.ts" or "*.{md,txt}".'),
    path: z.string().optional().describe("Absolute folder to search; everything when left out."),
    include_dirs: z.boolean().default(false).describe("Also find folders."),
    max_results: z.number().int().default(defaultGlobResults).describe(`1 to ${maxGlobResults}.`),
  });

export const globFiles: Face<ReturnType<typeof inputOf>, GlobRequest, GlobResult> = {
  name: "glob",
  aliases: pathAliases("path"),
  input: inputOf,
  describe: () => DESCRIPTION,
  request: ({ pattern, path, include_dirs, max_results }, { limits, workingDirectory }) => ({
    pattern,
    path: searchRoot(path, pattern, workingDirectory),
    includeDirectories: include_dirs,
    maxResults: Math.min(Math.max(max_results, 1), limits.maxGlobResults),
  }),
  answer(result, { path, pattern }, { limits }) {
    const count = result.paths.length;
    const found = count === 0 ? [`Nothing under ${path} matches ${pattern}.`] : result.paths.map(listedPath);
    return {
      ...cutAnswer(found, limits.maxSearchCharacters, (left) => searchNotes(result, count - left, left)),
      facts: { path, found: count, stopped: result.stopped ?? null },
    };
  },
};
