import type { DialectFaces } from "../dialect-faces.js";
import { deleteFile } from "./delete-file.js";
import { editFile } from "./edit-file.js";
import { globFiles } from "./glob-files.js";
import { grepFiles } from "./grep-files.js";
import { DEEPAGENTS_LIMITS } from "./limits.js";
import { listFiles } from "./list-files.js";
import { readFile } from "./read-file.js";
import { runCommand } from "./run-command.js";
import { writeFile } from "./write-file.js";

/** The names and arguments of deepagents. */
export const deepagents: DialectFaces = {
  limits: DEEPAGENTS_LIMITS,
  workingDirectory: "/",
  faces: {
    list: listFiles,
    read: readFile,
    write: writeFile,
    edit: editFile,
    delete: deleteFile,
    glob: globFiles,
    grep: grepFiles,
    execute: runCommand,
  },
};
