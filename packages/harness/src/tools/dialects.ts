/** What the file and shell tools are called, per dialect. Gates and audit know operations, never these names. */

export const TOOL_KINDS = ["list", "glob", "grep", "read", "write", "edit", "execute"] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];
export type ToolNames = Readonly<Record<ToolKind, string>>;

export const DIALECTS = {
  /** The names that DeerFlow's skills and web client expect. */
  deerflow: {
    list: "ls",
    glob: "glob",
    grep: "grep",
    read: "read_file",
    write: "write_file",
    edit: "str_replace",
    execute: "bash",
  },
} as const satisfies Record<string, ToolNames>;

export type Dialect = keyof typeof DIALECTS;
