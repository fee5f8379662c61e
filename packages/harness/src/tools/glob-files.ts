import { z } from "zod";
import { readProse } from "../base/prose.js";
import { listedPath, parseVirtualPath } from "../base/virtual-path.js";
import type { FileBackend } from "../filesystem/contract.js";
import { glob } from "../filesystem/glob.js";
import { defineTool } from "./define-tool.js";
import { description, PATH_ALIASES } from "./file-arguments.js";
import { searchNotes } from "./search-notes.js";

const DESCRIPTION = readProse(new URL("./glob-files.md", import.meta.url));
const MAX_RESULTS = 1000;

const input = z.object({
  description,
  pattern: z.string().describe('Glob, such as "*.py", "src/**/*.ts" or "*.{md,txt}".'),
  path: z.string().default("/").describe("Absolute folder to search; everything when left out."),
  include_dirs: z.boolean().default(false).describe("Also find folders."),
  max_results: z.number().int().default(200).describe(`1 to ${MAX_RESULTS}.`),
});

/** Finds files by name. */
export const globFiles = (files: FileBackend, name: string) =>
  defineTool({
    name,
    operation: "glob",
    description: DESCRIPTION,
    input,
    aliases: PATH_ALIASES,
    async run(given, { signal }) {
      const path = parseVirtualPath(given.path);
      const query = {
        pattern: given.pattern,
        path,
        includeDirectories: given.include_dirs,
        maxResults: Math.min(Math.max(given.max_results, 1), MAX_RESULTS),
      };
      const result = await glob(files, query, signal === undefined ? {} : { signal });
      const found =
        result.paths.length === 0
          ? [`Nothing under ${path} matches ${given.pattern}.`]
          : result.paths.map(listedPath);
      return {
        text: [...found, ...searchNotes(result, result.paths.length)].join("\n"),
        facts: { path, found: result.paths.length, stopped: result.stopped ?? null },
      };
    },
  });
