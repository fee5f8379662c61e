/** What the command audit objects to: one row a rule, in the order of severity. */

export type Severity = "warn" | "block";

interface CommandRule {
  readonly severity: Severity;
  /** What the command does; continues the sentence "The command …". */
  readonly reason: string;
  /** What to do instead; a sentence for the model. */
  readonly instead: string;
}

/** Ids are public: they stand in logs and in the audit trail. */
export const COMMAND_RULES = {
  "command-unusable": {
    severity: "block",
    reason: "is empty, longer than 10,000 characters, or holds a NUL character",
    instead: "Put a long program into a file and run the file.",
  },
  "command-too-deep": {
    severity: "block",
    reason: "is nested too deeply to be judged",
    instead: "Write it as plain commands, one after the other.",
  },
  "audit-failed": {
    severity: "block",
    reason: "could not be judged because of a defect in the audit itself",
    instead: "Write it in a simpler way.",
  },
  "delete-system": {
    severity: "block",
    reason: "deletes the root, a system folder or a home folder",
    instead: "Delete the exact files that are no longer needed, inside the workspace.",
  },
  "permissions-system": {
    severity: "block",
    reason: "changes owner or rights of the root, a system folder or a home folder and all below it",
    instead: "Change only files inside the workspace.",
  },
  "write-disk": {
    severity: "block",
    reason: "writes to a disk or to the machine's memory directly",
    instead: "Write to a file inside the workspace.",
  },
  "write-system": {
    severity: "block",
    reason: "changes a system file or a system program",
    instead: "Keep configuration and programs inside the workspace.",
  },
  "write-startup": {
    severity: "block",
    reason: "changes a file that every new shell or login reads",
    instead: "Set what is needed inside the command itself.",
  },
  "read-secret": {
    severity: "block",
    reason: "reads password hashes or the environment of a process, where secrets live",
    instead: "Ask the user for what is needed.",
  },
  "run-download": {
    severity: "block",
    reason: "runs something that it has just downloaded",
    instead: "Download to a file, read the file, and run it in a later command if it is harmless.",
  },
  "run-decoded": {
    severity: "block",
    reason: "runs text that is decoded or computed on the way, so that nobody can read it before",
    instead: "Write the commands in plain text.",
  },
  "run-unknown-input": {
    severity: "block",
    reason: "feeds a shell with input that cannot be read beforehand",
    instead: "Name the script file: bash script.sh.",
  },
  "loader-variable": {
    severity: "block",
    reason: "sets a variable that loads code into every program that follows",
    instead: "Call the program that is meant directly.",
  },
  "network-shell": {
    severity: "block",
    reason: "connects a shell or a file descriptor to the network",
    instead: "Use the web tools, or curl with an https address.",
  },
  "fork-bomb": {
    severity: "block",
    reason: "starts processes without end",
    instead: "Start a fixed number of processes and wait for them.",
  },
  "delete-unresolved": {
    severity: "warn",
    reason: "deletes recursively below a folder that is not known beforehand and may be the root",
    instead: "Write the folder out, or guard it with ${name:?}.",
  },
  "change-user": {
    severity: "warn",
    reason: "switches to another user",
    instead: "Commands run as an ordinary user; do without.",
  },
  "install-package": {
    severity: "warn",
    reason: "installs packages into the runtime",
    instead: "Check first whether what is installed will do.",
  },
  "permissions-open": {
    severity: "warn",
    reason: "makes a file writable by everyone",
    instead: "Give only the rights that are needed, like chmod u+x.",
  },
  "path-variable": {
    severity: "warn",
    reason: "changes where programs are looked for",
    instead: "Call the program by its path.",
  },
  "command-unresolved": {
    severity: "warn",
    reason: "runs a program whose name is not known beforehand",
    instead: "Write the program's name out.",
  },
  "syntax-unclear": {
    severity: "warn",
    reason: "is not complete or not valid as bash",
    instead: "Check quotes, brackets and keywords.",
  },
} as const satisfies Record<string, CommandRule>;

export type CommandRuleId = keyof typeof COMMAND_RULES;
