import { z } from "zod";
import { readProse } from "../../base/prose.js";
import { absolutePath } from "../absolute-path.js";
import { editAnswer } from "../edit-answer.js";
import type { EditRequest, EditResult } from "../edit-file.js";
import type { Face } from "../face.js";
import { pathAliases } from "../file-arguments.js";
import { filePath } from "./path.js";

const DESCRIPTION = readProse(new URL("./edit-file.md", import.meta.url));

const input = z.object({
  file_path: filePath,
  old_string: z.string().describe("The text to replace, exactly as it stands in the file."),
  new_string: z.string().describe("The text to put in its place; not the same."),
  replace_all: z
    .boolean()
    .default(false)
    .describe("Replace every occurrence; else there must be exactly one."),
});

export const editFile: Face<typeof input, EditRequest, EditResult> = {
  name: "edit_file",
  aliases: {
    ...pathAliases("file_path"),
    old_str: "old_string",
    new_str: "new_string",
    old_text: "old_string",
    new_text: "new_string",
  },
  input: () => input,
  describe: () => DESCRIPTION,
  request: (given, { workingDirectory }) => ({
    path: absolutePath(given.file_path, workingDirectory),
    oldText: given.old_string,
    newText: given.new_string,
    replaceAll: given.replace_all,
  }),
  answer: editAnswer,
};
