/** How much of a tool's result a model sees, and where the rest is kept. */
import { z } from "zod";
import { flag, integer, section } from "./schema-parts.js";

const MEBIBYTE = 1024 * 1024;

const folderName = z
  .string()
  .regex(
    /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/,
    "one folder name of letters, digits, dots, hyphens and underscores",
  );

export const toolOutputSection = section({
  enabled: flag(true).describe("Puts long results of tools into files and shows the model what they are."),
  externalize_min_chars: integer({ min: 0, fallback: 12_000 }).describe(
    "Characters from which on a result goes into a file; 0 for never.",
  ),
  preview_head_chars: integer({ min: 0, fallback: 2000 }).describe("Characters shown of its start."),
  preview_tail_chars: integer({ min: 0, fallback: 1000 }).describe("Characters shown of its end."),
  fallback_max_chars: integer({ min: 0, fallback: 30_000 }).describe(
    "Characters from which on a result that lies in no file is cut; 0 for never.",
  ),
  fallback_head_chars: integer({ min: 0, fallback: 8000 }).describe("Characters kept of its start then."),
  fallback_tail_chars: integer({ min: 0, fallback: 3000 }).describe("Characters kept of its end then."),
  storage_subdir: folderName.default(".tool-results").describe("The folder for the files, in the outputs."),
  exempt_tools: z
    .array(z.string())
    .default(["read_file", "read_file_tool"])
    .describe("Tools whose results are never touched. The file tools never need it."),
  tool_overrides: z
    .record(z.string(), integer({ min: 0, fallback: 0 }))
    .default({})
    .describe("Another externalize_min_chars for a tool, by its name."),
  retention_max_files: integer({ min: 1, fallback: 2000 }).describe(
    "Files that are kept of a thread; beyond it the oldest are removed.",
  ),
  retention_max_bytes: integer({ min: 1, fallback: 500 * MEBIBYTE }).describe(
    "Bytes that are kept of a thread.",
  ),
  command_output_max_mb: integer({ min: 1, fallback: 64 }).describe(
    "Mebibytes of one command's output that go into a file; of a longer one its beginning and its end.",
  ),
  message_max_chars: integer({ min: 0, fallback: 200_000 }).describe(
    "Characters of a message of the user; a longer one goes into a file, too. 0 for any.",
  ),
});
