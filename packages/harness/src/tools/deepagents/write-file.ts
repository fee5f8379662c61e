import { z } from "zod";
import { readProse } from "../../base/prose.js";
import { absolutePath } from "../absolute-path.js";
import type { Face } from "../face.js";
import { pathAliases } from "../file-arguments.js";
import { writeAnswer } from "../write-answer.js";
import type { WriteRequest, WriteResult } from "../write-file.js";
import { filePath } from "./path.js";

const DESCRIPTION = readProse(new URL("./write-file.md", import.meta.url));

const input = z.object({
  file_path: filePath,
  content: z.string().describe("The text to write."),
  append: z.boolean().default(false).describe("Add to the end instead of replacing the whole file."),
});

export const writeFile: Face<typeof input, WriteRequest, WriteResult> = {
  name: "write_file",
  aliases: { ...pathAliases("file_path"), text: "content" },
  input: () => input,
  describe: () => DESCRIPTION,
  request: ({ file_path, content, append }, { workingDirectory }) => ({
    path: absolutePath(file_path, workingDirectory),
    content,
    append,
  }),
  answer: writeAnswer,
};
