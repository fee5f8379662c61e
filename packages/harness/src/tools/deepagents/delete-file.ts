import { z } from "zod";
import { readProse } from "../../base/prose.js";
import { absolutePath } from "../absolute-path.js";
import { deleteAnswer } from "../delete-answer.js";
import type { DeleteRequest, DeleteResult } from "../delete-file.js";
import type { Face } from "../face.js";
import { pathAliases } from "../file-arguments.js";

const DESCRIPTION = readProse(new URL("../delete-file.md", import.meta.url));

const input = z.object({ file_path: z.string().describe("Absolute path of the file or folder.") });

export const deleteFile: Face<typeof input, DeleteRequest, DeleteResult> = {
  name: "delete",
  aliases: pathAliases("file_path"),
  input: () => input,
  describe: () => DESCRIPTION,
  request: (given, { workingDirectory }) => ({ path: absolutePath(given.file_path, workingDirectory) }),
  answer: deleteAnswer,
};
