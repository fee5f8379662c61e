/** The tools of one agent, made for its files and its shell. */
import type { DynamicStructuredTool } from "langchain";
import { type Logger, silentLogger } from "../base/logger.js";
import { shellOf } from "../filesystem/capabilities.js";
import type { FileBackend } from "../filesystem/contract.js";
import type { Sandbox } from "../sandbox/contract.js";
import { deleteFile } from "./delete-file.js";
import { type Dialect, DIALECTS } from "./dialects.js";
import type { Faces } from "./dialect-faces.js";
import { editFile } from "./edit-file.js";
import { faceTool, type FixedWorkplace, TOOL_KINDS, type ToolKind } from "./face.js";
import { globFiles } from "./glob-files.js";
import { grepFiles } from "./grep-files.js";
import type { FileToolLimits } from "./limits.js";
import { listFiles } from "./list-files.js";
import type { OutputFiles } from "./output-files.js";
import { readFile } from "./read-file.js";
import { runCommand } from "./run-command.js";
import type { VideoFrames } from "./video-frames.js";
import { writeFile } from "./write-file.js";

export interface FileToolsOptions {
  readonly files: FileBackend;
  /** Default deerflow. */
  readonly dialect?: Dialect;
  /** Only these are made; all of them by default. */
  readonly kinds?: readonly ToolKind[];
  /** Where commands run. Without it there is no shell tool. */
  readonly shell?: Sandbox | undefined;
  /** Takes outputs of commands that are too long to be shown. Without it what an answer does not show is lost. */
  readonly outputFiles?: OutputFiles | undefined;
  /** In place of the dialect's own numbers. */
  readonly limits?: Partial<FileToolLimits>;
  /** By the tool's name, in place of the dialect's own text; taken as they are. */
  readonly descriptions?: Readonly<Partial<Record<string, string>>>;
  /** Takes frames out of videos; without it a video is only named. */
  readonly videoFrames?: VideoFrames;
  /** Is told of failures that nobody foresaw; the model is told only that there was one. */
  readonly logger?: Logger;
}

/**
 * The file tools, in the order in which a model sees them. Whatever goes wrong in one of them is its answer, with
 * status `error`; only an interrupt and the user's stop are thrown.
 */
export function createFileTools(options: FileToolsOptions): DynamicStructuredTool[] {
  const { files, dialect = "deerflow", kinds = TOOL_KINDS, shell, descriptions = {} } = options;
  const { faces, limits, workingDirectory } = DIALECTS[dialect];
  const visible = new Set(TOOL_KINDS.filter((kind) => kinds.includes(kind) && isSupported(kind, options)));
  const workplace: FixedWorkplace = {
    files,
    shell,
    outputFiles: options.outputFiles,
    visible,
    limits: { ...limits, ...options.limits },
    workingDirectory: shellOf(files)?.workingDirectory ?? workingDirectory,
    videoFrames: options.videoFrames,
    logger: options.logger ?? silentLogger,
  };
  return [...visible].map((kind) => {
    const { name } = faces[kind];
    const description = Object.hasOwn(descriptions, name) ? descriptions[name] : undefined;
    const tool = MAKERS[kind](faces, { description, workplace });
    FILES.set(tool, files);
    if (kind === "execute" && shell !== undefined) SHELLS.set(tool, shell);
    return tool;
  });
}

const FILES = new WeakMap<object, FileBackend>();

/** The files that a tool works on, with the rules that stand around them; undefined for a tool of another maker. */
export const filesOf = (tool: unknown): FileBackend | undefined =>
  typeof tool === "object" && tool !== null ? FILES.get(tool) : undefined;

const SHELLS = new WeakMap<object, Sandbox>();

/** Where a tool runs commands; undefined for one that runs none, and for a tool of another maker. */
export const sandboxOf = (tool: unknown): Sandbox | undefined =>
  typeof tool === "object" && tool !== null ? SHELLS.get(tool) : undefined;

/** What cannot work is not offered. */
function isSupported(kind: ToolKind, { files, shell }: FileToolsOptions): boolean {
  if (kind === "delete") return files.canRemove !== false;
  return kind !== "execute" || shell !== undefined;
}

interface Making {
  readonly description: string | undefined;
  readonly workplace: FixedWorkplace;
}

/** One row per kind: its operation, told through the dialect's face. */
const MAKERS: Readonly<Record<ToolKind, (faces: Faces, making: Making) => DynamicStructuredTool>> = {
  list: ({ list }, making) => faceTool({ kind: "list", face: list, perform: listFiles, ...making }),
  read: ({ read }, making) => faceTool({ kind: "read", face: read, perform: readFile, ...making }),
  write: ({ write }, making) => faceTool({ kind: "write", face: write, perform: writeFile, ...making }),
  edit: ({ edit }, making) => faceTool({ kind: "edit", face: edit, perform: editFile, ...making }),
  delete: (faces, making) => faceTool({ kind: "delete", face: faces.delete, perform: deleteFile, ...making }),
  glob: ({ glob }, making) => faceTool({ kind: "glob", face: glob, perform: globFiles, ...making }),
  grep: ({ grep }, making) => faceTool({ kind: "grep", face: grep, perform: grepFiles, ...making }),
  execute: ({ execute }, making) =>
    faceTool({ kind: "execute", face: execute, perform: runCommand, ...making }),
};
