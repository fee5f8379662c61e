import { z } from "zod";
import { readProse } from "../../base/prose.js";
import { absolutePath } from "../absolute-path.js";
import { deleteAnswer } from "../delete-answer.js";
import type { DeleteRequest, DeleteResult } from "../delete-file.js";
import type { Face } from "../face.js";
import { description, pathAliases } from "../file-arguments.js";
import { path } from "./path.js";

const DESCRIPTION = readProse(new URL("../delete-file.md", import.meta.url));

const input = z.object({ description, path });

export const deleteFile: Face<typeof input, DeleteRequest, DeleteResult> = {
  name: "delete",
  aliases: pathAliases("path"),
  input: () => input,
  describe: () => DESCRIPTION,
  request: (given, { workingDirectory }) => ({ path: absolutePath(given.path, workingDirectory) }),
  answer: deleteAnswer,
};
