/** How a command is started in the host's bash. */
import { type CommandLimits, limitLines } from "../limits.js";

const SHELL = ["--noprofile", "--norc", "-c"] as const;

/** The environment variable by which the descendants of a command are found. */
export const COMMAND_MARKER = "DEERFLOW_COMMAND_ID";

/** The arguments of bash for a command that starts in `folder`, with standard error joined to standard output. */
export const hostLauncher = (limits: CommandLimits, folder: string, command: string): readonly string[] => [
  ...SHELL,
  launcher(limits),
  "bash",
  folder,
  command,
];

/** All limits but the number of processes, which would count those of the operator too. */
const launcher = (limits: CommandLimits): string =>
  [
    "exec 2>&1",
    ...limitLines(limits)
      .split("\n")
      .filter((line) => !line.startsWith("ulimit -u ")),
    'cd -- "$1" || exit 1',
    // It would name the folder that this process works in.
    "unset OLDPWD",
    'exec bash --noprofile --norc -c "$2" bash',
  ].join("\n");
