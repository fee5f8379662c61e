/** What bubblewrap is told for one command: the wall of the sandbox, as data. */
import type { SandboxMount } from "../contract.js";
import type { CommandLimits } from "../limits.js";
import { launcherArguments } from "./launcher-script.js";
import { USER_INSIDE } from "./system-folders.js";

/** Where node lies inside, wherever it lies on the host. */
export const NODE_INSIDE = "/opt/deerflow/bin/node";
const SEARCH_PATH = "/opt/deerflow/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const MEBIBYTE = 1024 * 1024;

/** A folder in the root: bound, or made as the link that it is on the host (`/bin -> usr/bin`). */
export interface RootFolder {
  readonly path: string;
  readonly linkTarget?: string;
}

/** One option with its values. A value is bytes where it is a name that is no UTF-8. */
export type Option = readonly (string | Uint8Array)[];

/** What commands reach of the network. The walls give a network namespace of its own, with nothing in it. */
export interface NetworkPart {
  /** Added to the walls: `--share-net` keeps the network namespace that bubblewrap itself runs in. */
  readonly options: readonly Option[];
  /** Variables of the command, which the request's own may replace. */
  readonly env: Readonly<Record<string, string>>;
}

export const NO_NETWORK: NetworkPart = Object.freeze({ options: [], env: {} });

export interface BubblewrapInput {
  readonly mounts: readonly SandboxMount[];
  /** Virtual. */
  readonly cwd: string;
  /** The home folder inside. Virtual. */
  readonly home: string;
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: CommandLimits;
  /** Name of the command's own folder for temporary files, below `/tmp`. */
  readonly temporaryName: string;
  readonly rootFolders: readonly RootFolder[];
  /** Host folder to show at `/etc`. */
  readonly systemFolder: string;
  /** Mounted over the host's devices: what keeps commands from changing those. */
  readonly devices: readonly Option[];
  /** Real path of node on the host. */
  readonly nodePath: string;
  readonly seccomp: Uint8Array;
  readonly network: NetworkPart;
  /** Mounts over the mounts: what path rules hide or make read-only. */
  readonly overlays: readonly Option[];
}

export interface BubblewrapPlan {
  /** The command line after `bwrap`. Holds no host path, for a sandboxed program can read it. */
  readonly arguments: readonly string[];
  /** For descriptors 3, 4, … in this order. */
  readonly feeds: readonly Uint8Array[];
}

const FIRST_FEED = 3;
const NUL = Buffer.from([0]);

/**
 * Everything for one command. Pure.
 *
 * @throws Error when a value holds a NUL, which separates the arguments
 */
export function bubblewrapPlan(input: BubblewrapInput): BubblewrapPlan {
  const options = [
    ...WALL,
    ...environment(input),
    ...system(input),
    ...input.network.options,
    ...input.mounts.map(({ mode, hostPath, virtualPath }) => [
      mode === "read-only" ? "--ro-bind" : "--bind",
      hostPath,
      virtualPath,
    ]),
    ...input.overlays,
    ["--dir", `/tmp/${input.temporaryName}`],
    ["--remount-ro", "/"],
    ["--chdir", "/"],
    ["--seccomp", String(FIRST_FEED + 1)],
  ].flat();
  const parts = options.map((part) => Buffer.from(part));
  if (parts.some((part) => part.includes(0))) throw new Error("a sandbox option holds a NUL");
  const launcher = launcherArguments(input.limits, input.cwd, input.command);
  return {
    arguments: ["--args", String(FIRST_FEED), "--as-pid-1", "--", ...launcher],
    feeds: [Buffer.concat(parts.flatMap((part) => [part, NUL])), input.seccomp],
  };
}

/** Namespaces, user and rights. Inside, user 1000 is the host user that runs bubblewrap, root or not. */
const WALL: readonly Option[] = [
  ["--unshare-all"],
  ["--unshare-user"],
  ["--uid", USER_INSIDE, "--gid", USER_INSIDE],
  ["--disable-userns"],
  ["--cap-drop", "ALL"],
  ["--hostname", "deerflow"],
  ["--die-with-parent"],
  ["--new-session"],
];

function environment({ home, env, temporaryName, network }: BubblewrapInput): readonly Option[] {
  const variables = {
    PATH: SEARCH_PATH,
    HOME: home,
    USER: "deerflow",
    LOGNAME: "deerflow",
    SHELL: "/bin/bash",
    LANG: "C.UTF-8",
    TERM: "dumb",
    TMPDIR: `/tmp/${temporaryName}`,
    ...network.env,
    ...env,
  };
  return [["--clearenv"], ...Object.entries(variables).map((variable) => ["--setenv", ...variable])];
}

function system({
  rootFolders,
  systemFolder,
  devices,
  nodePath,
  limits,
}: BubblewrapInput): readonly Option[] {
  const size = ["--size", String(limits.temporaryMebibytes * MEBIBYTE)];
  return [
    ...rootFolders.map(({ path, linkTarget }) =>
      linkTarget === undefined ? ["--ro-bind", path, path] : ["--symlink", linkTarget, path],
    ),
    ["--ro-bind", systemFolder, "/etc"],
    nodePath.startsWith("/usr/")
      ? ["--symlink", nodePath, NODE_INSIDE]
      : ["--ro-bind", nodePath, NODE_INSIDE],
    ["--proc", "/proc"],
    // Without this, a sandbox of a root host can set the kernel's own settings in /proc/sys: inside it is the
    // host's root, only without capabilities, and those files ask for no capability.
    ["--remount-ro", "/proc"],
    ["--dev", "/dev"],
    ...devices,
    [...size, "--tmpfs", "/dev/shm"],
    ["--remount-ro", "/dev"],
    [...size, "--tmpfs", "/tmp"],
    ["--symlink", "/tmp", "/var/tmp"],
  ];
}
