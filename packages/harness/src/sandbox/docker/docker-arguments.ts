/** What the docker command line is told: every argument as data, nothing through a shell. Pure. */
import { VALUE_PREFIX, MARK_VARIABLE, SEALED_COMMAND, END_COMMAND } from "../sealed-command.js";
import type { SandboxMount } from "../contract.js";
import type { CommandLimits } from "../limits.js";

/** Containers of this program bear it; its value names the process that owns them. */
export const OWNER_LABEL = "deerflow.owner";

/** What commands reach: nothing, or what the engine's default network reaches. */
export type ContainerNetwork = "none" | "open";

export interface ContainerPlan {
  readonly name: string;
  readonly image: string;
  /** As `processIdentity` gives it. */
  readonly owner: string;
  readonly mounts: readonly SandboxMount[];
  /** Host user under which commands run, so that files in the mounts belong to it. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly limits: CommandLimits;
  readonly network: ContainerNetwork;
}

const MEBIBYTE = 1024 * 1024;

/** Starts a container that does nothing but wait for commands. */
export const runArguments = (plan: ContainerPlan): readonly string[] =>
  [
    ["run", "--detach", "--rm", "--init", "--pull", "never"],
    ["--name", plan.name, "--label", `${OWNER_LABEL}=${plan.owner}`, "--hostname", "deerflow"],
    ["--network", plan.network === "none" ? "none" : "bridge"],
    WALL,
    limitArguments(plan.limits),
    plan.user === undefined ? [] : ["--user", `${plan.user.uid}:${plan.user.gid}`],
    plan.mounts.flatMap((mount) => ["--mount", mountArgument(mount)]),
    // The image's own entry point could be anything.
    ["--entrypoint", "sleep", plan.image, "infinity"],
  ].flat();

/** A command can neither gain rights nor change the container itself. */
const WALL = ["--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--read-only"] as const;

export function limitArguments(limits: CommandLimits): readonly string[] {
  const memory = `${limits.memoryMebibytes}m`;
  return [
    // The same for memory and memory with swap: no swap.
    ["--memory", memory, "--memory-swap", memory, "--pids-limit", String(limits.processes)],
    limits.processors === 0 ? [] : ["--cpus", String(limits.processors)],
    ["--ulimit", `nofile=${limits.openFiles}`, "--ulimit", "core=0"],
    ["--ulimit", `cpu=${limits.cpuSeconds}`],
    ["--ulimit", `fsize=${limits.fileMebibytes * MEBIBYTE}`],
    ["--tmpfs", `/tmp:rw,exec,nosuid,nodev,mode=1777,size=${limits.temporaryMebibytes}m`],
  ].flat();
}

/** The value is a line of comma-separated fields, in which a quote is doubled. */
export const mountArgument = ({ hostPath, virtualPath, mode }: SandboxMount): string =>
  ["type=bind", `source=${hostPath}`, `target=${virtualPath}`, ...(mode === "read-only" ? ["readonly"] : [])]
    .map((field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(",");

/** What a container is started with that serves an AIO sandbox. */
export interface AioPlan extends Omit<ContainerPlan, "network" | "user"> {
  /** The port inside. */
  readonly port: number;
  /** Variable whose value, the key, comes from the docker program's own environment. */
  readonly keyVariable: string;
}

/**
 * Starts an AIO sandbox, to be reached from this machine alone. Its own programs change users and write all over the
 * container, so it keeps its capabilities and a writable root; system calls stay filtered.
 */
export const aioArguments = (plan: AioPlan): readonly string[] =>
  [
    ["run", "--detach", "--rm", "--pull", "never"],
    ["--name", plan.name, "--label", `${OWNER_LABEL}=${plan.owner}`, "--hostname", "deerflow"],
    ["--publish", `127.0.0.1::${plan.port}`, "--env", plan.keyVariable],
    limitArguments(plan.limits),
    plan.mounts.flatMap((mount) => ["--mount", mountArgument(mount)]),
    [plan.image],
  ].flat();

export const portArguments = (container: string, port: number): readonly string[] => [
  "port",
  container,
  `${port}/tcp`,
];

export interface ExecPlan {
  readonly container: string;
  /** Marks the command's processes; no other command has it. */
  readonly mark: string;
  /** Virtual. */
  readonly folder: string;
  /** The home folder inside. Virtual. */
  readonly home: string;
  readonly command: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Runs a command. Its variables are not in the arguments but in {@link execEnvironment}: any user may list arguments. */
export const execArguments = (plan: ExecPlan): readonly string[] =>
  [
    ["exec"],
    Object.entries(fixedVariables(plan)).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    Object.keys(execEnvironment(plan)).flatMap((name) => ["--env", name]),
    [plan.container, ...BASH, SEALED_COMMAND, "bash"],
    [plan.mark, plan.folder, NO_LIMIT, plan.command, ...Object.keys(plan.variables)],
  ].flat();

/** The host watches the time, and sees the output until then. */
const NO_LIMIT = "";

const BASH = ["bash", "--noprofile", "--norc", "-c"] as const;

const fixedVariables = ({ home, mark }: ExecPlan) => ({
  HOME: home,
  USER: "deerflow",
  LANG: "C.UTF-8",
  TERM: "dumb",
  [MARK_VARIABLE]: mark,
});

/** Values for the docker program's own environment: under names of ours, so that a variable cannot steer docker itself. */
export const execEnvironment = ({
  variables,
}: Pick<ExecPlan, "variables">): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.values(variables).map((value, index) => [`${VALUE_PREFIX}${index}`, value]));

/** Kills a command inside its container: the end of `docker exec` on the host does not. */
export const endArguments = (container: string, mark: string): readonly string[] => [
  "exec",
  container,
  ...BASH,
  END_COMMAND,
  "bash",
  mark,
];

export const removeArguments = (containers: readonly string[]): readonly string[] => [
  "rm",
  "--force",
  "--volumes",
  ...containers,
];

/** Lists the containers of this program as lines of id, tab and owner. */
export const LIST_ARGUMENTS: readonly string[] = [
  ["ps", "--all", "--no-trunc", "--filter", `label=${OWNER_LABEL}`],
  ["--format", `{{.ID}}\t{{.Label "${OWNER_LABEL}"}}`],
].flat();

export const VERSION_ARGUMENTS: readonly string[] = ["version", "--format", "{{.Server.Version}}"];

export const imageArguments = (image: string): readonly string[] => [
  "image",
  "inspect",
  "--format",
  "{{.Id}}",
  image,
];
