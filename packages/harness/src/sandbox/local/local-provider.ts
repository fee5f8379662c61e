/**
 * Runs commands on the host itself. This is NO boundary: a command can read and change whatever this process
 * can. It exists for machines without a sandbox and is used only where the operator names and allows it.
 *
 * The virtual paths of a command are turned into paths below a folder of links that this provider makes; the
 * output is turned back. A path that a program puts together by itself, or reads from a file, is not seen.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { DeerflowError } from "../../base/errors.js";
import { checkCommand } from "../check-command.js";
import { AcquiredSandboxes } from "../acquired-sandboxes.js";
import {
  type CommandRequest,
  type CommandResult,
  type Sandbox,
  type SandboxHealth,
  type SandboxMount,
  type SandboxProvider,
  type SandboxSpec,
  TIMEOUT_EXIT_CODE,
} from "../contract.js";
import { DEFAULT_LIMITS, type CommandLimits } from "../limits.js";
import { mountReplacements, resolveMounts } from "../mounts.js";
import { ownedFolder, sweepAbandoned } from "../owned-names.js";
import { runProcess } from "../run-process.js";
import { hiddenValues } from "../hidden-values.js";
import { COMMAND_MARKER, hostLauncher } from "./host-launcher.js";
import { toHostPaths } from "./host-paths.js";

export interface LocalOptions {
  /** Spelled out at every construction, so that nobody gets the host by default. */
  readonly allowHostBash: true;
  readonly limits?: Partial<CommandLimits>;
  /** Variables of every command, whose values no output shows. */
  readonly environment?: Readonly<Record<string, string>>;
}

interface Prepared {
  readonly spec: SandboxSpec;
  readonly mounts: readonly SandboxMount[];
  /** Host folder under which every virtual path exists as a link. */
  readonly root: string;
}

const MARK = "local-";

export class LocalProvider implements SandboxProvider {
  readonly name = "local";
  readonly #limits: CommandLimits;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #roots = new Map<string, string>();
  #swept = false;
  readonly #acquired = new AcquiredSandboxes();

  constructor({ limits, environment }: LocalOptions) {
    this.#environment = { ...environment };
    this.#limits = Object.freeze({ ...DEFAULT_LIMITS, ...limits });
  }

  async health(): Promise<SandboxHealth> {
    return process.platform === "win32"
      ? { provider: this.name, available: false, reason: "There is no bash on Windows." }
      : { provider: this.name, available: true, reason: "Commands run on the host, without any boundary." };
  }

  async acquire(spec: SandboxSpec): Promise<Sandbox> {
    const mounts = resolveMounts(spec.mounts);
    refuseNested(mounts);
    await this.release(spec.id);
    if (!this.#swept) sweepAbandoned(MARK);
    this.#swept = true;
    const root = linkMounts(mounts);
    this.#roots.set(spec.id, root);
    const prepared = { spec, mounts, root };
    return this.#acquired.add(spec.id, (request, signal) => this.#execute(prepared, request, signal));
  }

  get(id: string): Sandbox | undefined {
    return this.#acquired.get(id);
  }

  async release(id: string): Promise<void> {
    await this.#acquired.release(id);
    const root = this.#roots.get(id);
    this.#roots.delete(id);
    if (root !== undefined) rmSync(root, { recursive: true, force: true });
  }

  destroy(id: string): Promise<void> {
    return this.release(id);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#roots.keys()].map((id) => this.release(id)));
  }

  async #execute(prepared: Prepared, request: CommandRequest, signal: AbortSignal): Promise<CommandResult> {
    checkCommand(request);
    const { spec, mounts, root } = prepared;
    const onHost = (text: string) => toHostPaths(text, mounts, root);
    const temporary = mkdtempSync(join(root, "temporary-"));
    const marker = randomUUID();
    try {
      const { errorOutput: _, ...result } = await runProcess({
        file: "/bin/bash",
        arguments: hostLauncher(
          this.#limits,
          onHost(request.cwd ?? spec.workingDirectory),
          onHost(request.command),
        ),
        env: {
          PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? "/usr/bin:/bin"}`,
          HOME: onHost(spec.workingDirectory),
          LANG: "C.UTF-8",
          TERM: "dumb",
          TMPDIR: temporary,
          ...this.#environment,
          ...request.env,
          ...request.secrets,
          [COMMAND_MARKER]: marker,
        },
        marker: `${COMMAND_MARKER}=${marker}`,
        timeoutMilliseconds: (request.timeoutSeconds ?? this.#limits.wallSeconds) * 1000,
        outputCharacters: this.#limits.outputCharacters,
        replacements: [
          { from: root, to: "" },
          ...mountReplacements([...spec.mounts, ...mounts]),
          ...hiddenValues(this.#environment, request.secrets),
        ],
        signal,
        onOutput: request.onOutput && ((chunk) => request.onOutput?.(chunk)),
      });
      return { ...result, exitCode: result.timedOut ? TIMEOUT_EXIT_CODE : result.exitCode };
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  }
}

/** A link inside a linked folder would be made in the operator's own folder. */
function refuseNested(mounts: readonly SandboxMount[]): void {
  for (const { virtualPath } of mounts) {
    if (mounts.some((outer) => virtualPath.startsWith(`${outer.virtualPath}/`))) {
      throw new DeerflowError("sandbox_mount_invalid", {
        virtualPath,
        reason: "it lies inside another mount",
      });
    }
  }
}

/** A fresh folder with one link a mount, so that host paths need no quoting inside a command. */
function linkMounts(mounts: readonly SandboxMount[]): string {
  const root = realpathSync(ownedFolder(MARK));
  for (const { virtualPath, hostPath } of mounts) {
    mkdirSync(join(root, dirname(virtualPath)), { recursive: true });
    symlinkSync(hostPath, join(root, virtualPath));
  }
  return root;
}
