/** The tools of one agent, made for its files and its sandbox. */
import type { FileBackend } from "../filesystem/contract.js";
import type { Sandbox } from "../sandbox/contract.js";
import { DIALECTS, type Dialect } from "./dialects.js";
import { editFile } from "./edit-file.js";
import { globFiles } from "./glob-files.js";
import { grepFiles } from "./grep-files.js";
import { DEFAULT_LIST_CHARACTERS, listFiles } from "./list-files.js";
import { DEFAULT_READ_CHARACTERS, readFile } from "./read-file.js";
import { type CommandLimits, DEFAULT_COMMAND_LIMITS, runCommand } from "./run-command.js";
import { DEFAULT_MAX_WRITE_BYTES, writeFile } from "./write-file.js";

export interface FileToolsOptions {
  readonly files: FileBackend;
  readonly dialect?: Dialect;
  /** The most that one call without `append` may write, in bytes; 0 for no limit. */
  readonly maxWriteBytes?: number;
  /** The most of a file that a model sees at once. Default 50,000. */
  readonly maxReadCharacters?: number;
  /** The most of a listing that a model sees at once. Default 20,000. */
  readonly maxListCharacters?: number;
}

/** The six file tools, in the order in which a model sees them. */
export function createFileTools(options: FileToolsOptions) {
  const { files, dialect = "deerflow", maxWriteBytes = DEFAULT_MAX_WRITE_BYTES } = options;
  const { maxReadCharacters = DEFAULT_READ_CHARACTERS, maxListCharacters = DEFAULT_LIST_CHARACTERS } =
    options;
  const names = DIALECTS[dialect];
  return [
    listFiles(files, names.list, maxListCharacters),
    globFiles(files, names.glob),
    grepFiles(files, names.grep),
    readFile(files, names.read, maxReadCharacters),
    writeFile(files, names.write, maxWriteBytes),
    editFile(files, names.edit),
  ];
}

export interface ExecuteToolOptions {
  readonly sandbox: Sandbox;
  readonly dialect?: Dialect;
  readonly limits?: Partial<CommandLimits>;
}

/** The shell tool. */
export const createExecuteTool = ({ sandbox, dialect = "deerflow", limits = {} }: ExecuteToolOptions) =>
  runCommand(sandbox, DIALECTS[dialect].execute, { ...DEFAULT_COMMAND_LIMITS, ...limits });
