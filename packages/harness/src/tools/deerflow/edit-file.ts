import { z } from "zod";
import { readProse } from "../../base/prose.js";
import { absolutePath } from "../absolute-path.js";
import { editAnswer } from "../edit-answer.js";
import type { EditRequest, EditResult } from "../edit-file.js";
import type { Face } from "../face.js";
import { description, pathAliases } from "../file-arguments.js";
import { path } from "./path.js";

const DESCRIPTION = readProse(new URL("./edit-file.md", import.meta.url));

const input = z.object({
  description,
  path,
  old_str: z.string().describe("The text to replace, exactly as it stands in the file."),
  new_str: z.string().describe("The text to put in its place."),
  replace_all: z
    .boolean()
    .default(false)
    .describe("Replace every occurrence; else there must be exactly one."),
});

export const editFile: Face<typeof input, EditRequest, EditResult> = {
  name: "str_replace",
  aliases: {
    ...pathAliases("path"),
    old_string: "old_str",
    new_string: "new_str",
    old_text: "old_str",
    new_text: "new_str",
  },
  input: () => input,
  describe: () => DESCRIPTION,
  request: (given, { workingDirectory }) => ({
    path: absolutePath(given.path, workingDirectory),
    oldText: given.old_str,
    newText: given.new_str,
    replaceAll: given.replace_all,
  }),
  answer: editAnswer,
};
