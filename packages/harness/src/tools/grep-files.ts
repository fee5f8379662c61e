import { z } from "zod";
import { readProse } from "../base/prose.js";
import { listedPath, parseVirtualPath, shownPath } from "../base/virtual-path.js";
import type { FileBackend } from "../filesystem/contract.js";
import { grep } from "../filesystem/grep.js";
import { defineTool } from "./define-tool.js";
import { description, PATH_ALIASES } from "./file-arguments.js";
import { searchNotes } from "./search-notes.js";

const DESCRIPTION = readProse(new URL("./grep-files.md", import.meta.url));
const MAX_RESULTS = 500;

const input = z.object({
  description,
  pattern: z.string().describe("Regular expression, or plain text with literal."),
  path: z.string().default("/").describe("Absolute file or folder to search; everything when left out."),
  glob: z.string().optional().describe("Only files that this glob matches, as in the glob tool."),
  literal: z.boolean().default(false).describe("Take the pattern as plain text."),
  case_sensitive: z.boolean().default(false),
  max_results: z.number().int().default(100).describe(`1 to ${MAX_RESULTS}.`),
});

/** Finds lines in files. */
export const grepFiles = (files: FileBackend, name: string) =>
  defineTool({
    name,
    operation: "grep",
    description: DESCRIPTION,
    input,
    aliases: PATH_ALIASES,
    async run(given, { signal }) {
      const path = parseVirtualPath(given.path);
      const query = {
        path,
        pattern: given.pattern,
        literal: given.literal,
        caseSensitive: given.case_sensitive,
        maxResults: Math.min(Math.max(given.max_results, 1), MAX_RESULTS),
        ...(given.glob ? { glob: given.glob } : {}),
      };
      const result = await grep(files, query, signal === undefined ? {} : { signal });
      const lines = result.matches.map((match) => `${listedPath(match.path)}:${match.line}: ${match.text}`);
      const found =
        lines.length === 0 ? [`No line under ${path} matches ${shownPath(given.pattern)}.`] : lines;
      return {
        text: [...found, ...searchNotes(result, lines.length)].join("\n"),
        facts: { path, found: lines.length, stopped: result.stopped ?? null },
      };
    },
  });
