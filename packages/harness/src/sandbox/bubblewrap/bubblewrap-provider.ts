/** Runs every command in a bubblewrap sandbox of its own: no network, no host files but the mounts. */
import { randomUUID } from "node:crypto";
import { lstatSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { DeerflowError, reasonOf } from "../../base/errors.js";
import { checkCommand } from "../check-command.js";
import { AcquiredSandboxes, type RunOne } from "../acquired-sandboxes.js";
import {
  type CommandRequest,
  type CommandResult,
  type PathRules,
  type Sandbox,
  type SandboxHealth,
  type SandboxMount,
  type SandboxProvider,
  type SandboxSpec,
  TIMEOUT_EXIT_CODE,
} from "../contract.js";
import { findExecutable } from "../../base/find-executable.js";
import { DISK_NOTICE, DiskWatch } from "../disk-watch.js";
import { GroupedCommands } from "../limit-groups/grouped-commands.js";
import { DEFAULT_LIMITS, type CommandLimits } from "../limits.js";
import { mountReplacements, resolveMounts } from "../mounts.js";
import { compileRules } from "../path-rules/compile-rules.js";
import type { CommandStarts } from "../path-rules/contract.js";
import { freeCommands } from "../path-rules/free-commands.js";
import { PathKeeper } from "../path-rules/path-keeper.js";
import { runInTurn } from "../path-rules/run-in-turn.js";
import { maskPaths, type PathReplacement } from "../path-mask.js";
import { OutputPipes, PIPES_FOLDER } from "../output-pipes.js";
import { ownedFolder, ownedPrefix, sweepAbandoned } from "../owned-names.js";
import { type ProcessOutcome, runProcess } from "../run-process.js";
import { hiddenValues } from "../hidden-values.js";
import { bubblewrapPlan, NODE_INSIDE, type Option, type RootFolder } from "./bubblewrap-arguments.js";
import { complaintsIn, withComplaints } from "./complaints.js";
import { DEVICE_FILES, DeviceFiles } from "./device-files.js";
import { type Launch, launchOf } from "./launch.js";
import { NetworkAccess, type NetworkForCommand, type NetworkOptions } from "./network-access.js";
import { seccompFilter } from "./seccomp-filter.js";
import { SYSTEM_FOLDERS, SystemFolders } from "./system-folders.js";

export interface BubblewrapOptions extends NetworkOptions {
  readonly limits?: Partial<CommandLimits>;
  /** Variables of every command, whose values no output shows. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Where `bwrap` and `socat` are looked for; the `PATH` of this process by default. */
  readonly searchPath?: string;
  /**
   * Host user for the sandbox's processes, when this process is root. The mounted folders must belong to it.
   * Without it a root host can limit the number of processes by control groups only.
   */
  readonly identity?: { readonly uid: number; readonly gid: number };
}

const PROBE_MARK = "probe-";

/** What all commands of one acquired sandbox share. */
interface Prepared {
  readonly spec: SandboxSpec;
  readonly mounts: readonly SandboxMount[];
  readonly replacements: readonly PathReplacement[];
}

interface ForCommand extends Prepared {
  readonly network: NetworkForCommand;
  readonly overlays: readonly Option[];
  readonly hidden: readonly PathReplacement[];
}

/** Host paths that are the sandbox's own making. */
const OWN_REPLACEMENTS: readonly PathReplacement[] = [
  { from: SYSTEM_FOLDERS, to: "/etc/", kind: "text" },
  { from: PIPES_FOLDER, to: "/dev/", kind: "text" },
  { from: DEVICE_FILES, to: "/dev/", kind: "text" },
  // As the kernel names them where the temporary folder is a file system of its own.
  { from: `/${ownedPrefix()}`, to: "/", kind: "text" },
];

/** The folders of the root that hold programs and libraries, where the host has them. */
function rootFolders(): readonly RootFolder[] {
  return ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"].flatMap((path) => {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined) return [];
    return [entry.isSymbolicLink() ? { path, linkTarget: readlinkSync(path) } : { path }];
  });
}

export class BubblewrapProvider implements SandboxProvider {
  readonly name = "bubblewrap";
  readonly #limits: CommandLimits;
  readonly #options: BubblewrapOptions;
  readonly #bubblewrap: string | undefined;
  readonly #seccomp = seccompFilter(process.arch);
  readonly #nodePath = realpathSync(process.execPath);
  readonly #acquired = new AcquiredSandboxes();
  readonly #systemFolders = new SystemFolders();
  readonly #devices: DeviceFiles;
  readonly #pipes = new OutputPipes();
  readonly #groups: GroupedCommands;
  readonly #disks: DiskWatch;
  readonly #network: NetworkAccess;

  /** @throws DeerflowError `network_policy_invalid` */
  constructor(options: BubblewrapOptions = {}) {
    this.#options = { ...options };
    this.#network = new NetworkAccess(options);
    this.#limits = Object.freeze({ ...DEFAULT_LIMITS, ...options.limits });
    this.#groups = new GroupedCommands(this.#limits, { identity: options.identity });
    this.#devices = new DeviceFiles({ identity: options.identity });
    this.#disks = new DiskWatch({ freeMebibytes: this.#limits.freeDiskMebibytes });
    this.#bubblewrap = findExecutable("bwrap", options.searchPath ?? process.env["PATH"]);
  }

  async health(): Promise<SandboxHealth> {
    const reason = await this.#obstacle().catch(reasonOf);
    return reason === undefined
      ? {
          provider: this.name,
          available: true,
          reason: "Commands run isolated.",
          limits: await this.#groups.sentence(),
          network: this.#network.sentence,
        }
      : { provider: this.name, available: false, reason };
  }

  async acquire(spec: SandboxSpec): Promise<Sandbox> {
    const mounts = resolveMounts(spec.mounts);
    const prepared = { spec, mounts, replacements: this.#replacements([...spec.mounts, ...mounts]) };
    const runAs =
      (starts: CommandStarts): RunOne =>
      (request, signal) =>
        this.#runInTurn(starts, prepared, request, signal);
    return this.#acquired.add(spec.id, runAs(freeCommands(mounts)), (another) => ({
      keeping: (rules) => another(runAs(new PathKeeper({ rules, mounts }))),
    }));
  }

  assertKept(rules: PathRules, spec: SandboxSpec): void {
    compileRules(rules, spec.mounts);
  }

  get(id: string): Sandbox | undefined {
    return this.#acquired.get(id);
  }

  release(id: string): Promise<void> {
    return this.#acquired.release(id);
  }

  /** Nothing outlives a command but what is in the mounts. */
  destroy(id: string): Promise<void> {
    return this.#acquired.release(id);
  }

  async close(): Promise<void> {
    await this.#acquired.releaseAll();
    await this.#systemFolders.close();
    await this.#devices.close();
    this.#pipes.close();
    await this.#groups.close();
  }

  /** Why the sandbox cannot work here; `undefined` when it did work just now. */
  async #obstacle(): Promise<string | undefined> {
    if (process.platform !== "linux") return "bubblewrap works on Linux only.";
    if (this.#bubblewrap === undefined) return "bwrap is not on the PATH; install the package bubblewrap.";
    if (this.#seccomp === undefined) return `There is no system call filter for ${process.arch} processors.`;
    sweepAbandoned(PROBE_MARK);
    const folder = ownedFolder(PROBE_MARK);
    try {
      const workspace = { virtualPath: "/mnt/probe", hostPath: folder, mode: "read-only" } as const;
      const spec = { id: `probe-${randomUUID()}`, mounts: [workspace], workingDirectory: "/" };
      const sandbox = await this.acquire(spec);
      const { exitCode, output } = await sandbox.execute({ command: "node --version", timeoutSeconds: 20 });
      await this.release(spec.id);
      return exitCode === 0 ? undefined : `node does not run inside the sandbox: ${output.trim()}.`;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  #replacements(mounts: readonly SandboxMount[]): readonly PathReplacement[] {
    const node = { from: this.#nodePath, to: NODE_INSIDE };
    return this.#nodePath.startsWith("/usr/")
      ? mountReplacements(mounts)
      : [...mountReplacements(mounts), node];
  }

  async #runInTurn(
    starts: CommandStarts,
    prepared: Prepared,
    request: CommandRequest,
    signal: AbortSignal,
  ): Promise<CommandResult> {
    checkCommand(request);
    const host = { ...this.#parts(), nodePath: this.#nodePath };
    return this.#network.during(prepared.spec.id, host, (network) => {
      const hidden = this.#hidden(prepared, network, request);
      const options = {
        starts,
        wallSeconds: this.#limits.wallSeconds,
        masked: (text: string) => maskPaths(hidden, text),
        run: (timed: CommandRequest, overlays: readonly Option[]) =>
          this.#execute({ ...prepared, network, overlays, hidden }, timed, signal),
      };
      return runInTurn(options, request, signal);
    });
  }

  /** What neither output nor notices show. */
  #hidden(
    { replacements }: Prepared,
    network: NetworkForCommand,
    { secrets }: CommandRequest,
  ): readonly PathReplacement[] {
    return [
      ...replacements,
      ...network.replacements,
      ...OWN_REPLACEMENTS,
      ...hiddenValues(this.#options.environment, secrets),
    ];
  }

  async #execute(prepared: ForCommand, request: CommandRequest, signal: AbortSignal): Promise<CommandResult> {
    const { mounts, network } = prepared;
    await this.#disks.check(mounts);
    const plan = await this.#plan(prepared, request);
    const full = new AbortController();
    const stopWatching = this.#disks.watch(mounts, () => full.abort());
    try {
      const { outcome, notices } = await this.#groups.during((limited) =>
        runProcess({
          ...launchOf(plan, [...network.wrappers, limited]),
          ...this.#conditions(prepared, request, signal),
          stop: full.signal,
        }),
      );
      return await this.#result(request, outcome, full.signal.aborted ? [...notices, DISK_NOTICE] : notices);
    } finally {
      stopWatching();
    }
  }

  async #plan({ spec, mounts, network, overlays }: ForCommand, request: CommandRequest): Promise<Launch> {
    const { bubblewrap, seccomp } = this.#parts();
    const plan = bubblewrapPlan({
      mounts,
      cwd: request.cwd ?? spec.workingDirectory,
      home: spec.workingDirectory,
      command: request.command,
      env: { ...this.#options.environment, ...request.env, ...request.secrets },
      limits: this.#limits,
      temporaryName: `command-${randomUUID()}`,
      rootFolders: rootFolders(),
      systemFolder: await this.#systemFolders.folderFor(spec.workingDirectory),
      devices: await this.#devices.options(),
      nodePath: this.#nodePath,
      seccomp,
      network: network.part,
      overlays,
    });
    return { file: bubblewrap, ...plan };
  }

  /** All but what is started. */
  #conditions({ hidden }: ForCommand, request: CommandRequest, signal: AbortSignal) {
    const { identity } = this.#options;
    return {
      hasNamespace: true,
      takePipe: () => this.#pipes.take(),
      // Empty, because a sandboxed program can read the environment of bubblewrap itself.
      env: {},
      timeoutMilliseconds: (request.timeoutSeconds ?? this.#limits.wallSeconds) * 1000,
      outputCharacters: this.#limits.outputCharacters,
      replacements: hidden,
      signal,
      onOutput: request.onOutput && ((chunk: string) => request.onOutput?.(chunk)),
      ...(identity === undefined ? {} : { identity }),
    };
  }

  /** @throws DeerflowError `sandbox_failed` when the command was not started */
  async #result(
    request: CommandRequest,
    { errorOutput, ...result }: ProcessOutcome,
    notices: readonly string[],
  ): Promise<CommandResult> {
    const { failure, output } = complaintsIn(errorOutput);
    if (failure !== undefined) {
      throw new DeerflowError("sandbox_failed", { provider: this.name, reason: failure });
    }
    const whole = withComplaints(result.output, output);
    if (output !== "") await request.onOutput?.(whole.slice(result.output.length));
    return {
      ...result,
      output: whole,
      exitCode: result.timedOut ? TIMEOUT_EXIT_CODE : result.exitCode,
      ...(notices.length === 0 ? {} : { notices }),
    };
  }

  /** @throws DeerflowError `sandbox_failed` where the sandbox cannot work */
  #parts(): { readonly bubblewrap: string; readonly seccomp: Uint8Array } {
    if (this.#bubblewrap === undefined || this.#seccomp === undefined) {
      throw new DeerflowError("sandbox_failed", { provider: this.name, reason: "it is not available here" });
    }
    return { bubblewrap: this.#bubblewrap, seccomp: this.#seccomp };
  }
}
