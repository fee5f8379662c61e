import { z } from "zod";
import { readProse } from "../../base/prose.js";
import { absolutePath } from "../absolute-path.js";
import type { Face } from "../face.js";
import { description, pathAliases } from "../file-arguments.js";
import { writeAnswer } from "../write-answer.js";
import type { WriteRequest, WriteResult } from "../write-file.js";
import { path } from "./path.js";

const DESCRIPTION = readProse(new URL("./write-file.md", import.meta.url));

const input = z.object({
  description,
  path,
  content: z.string().describe("The text to write."),
  append: z.boolean().default(false).describe("Add to the end instead of replacing the whole file."),
});

export const writeFile: Face<typeof input, WriteRequest, WriteResult> = {
  name: "write_file",
  aliases: { ...pathAliases("path"), text: "content" },
  input: () => input,
  describe: () => DESCRIPTION,
  request: ({ path, content, append }, { workingDirectory }) => ({
    path: absolutePath(path, workingDirectory),
    content,
    append,
  }),
  answer: writeAnswer,
};
