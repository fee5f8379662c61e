/**
 * Runs commands in one container a sandbox, through the docker program. Written against the documentation of docker
 * and tried with its command line and a stand-in for its engine: UNTESTED AGAINST A REAL ENGINE.
 *
 * The container lives from the first command on; memory and the number of processes are bounded for all commands in
 * it together. A container whose owner died is removed at the start.
 */
import { randomUUID } from "node:crypto";
import { DeerflowError, reasonOf } from "../../base/errors.js";
import { AcquiredSandboxes } from "../acquired-sandboxes.js";
import { checkCommand } from "../check-command.js";
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
import { type CommandLimits, DEFAULT_LIMITS } from "../limits.js";
import { mountReplacements, resolveMounts } from "../mounts.js";
import type { PathReplacement } from "../path-mask.js";
import type { ProcessOutcome } from "../run-process.js";
import { reportedExitCode } from "../sealed-command.js";
import { hiddenValues } from "../hidden-values.js";
import { providerFailed, WarmPool } from "../warm-pool.js";
import {
  endArguments,
  type ExecPlan,
  execArguments,
  execEnvironment,
  runArguments,
} from "./docker-arguments.js";
import { DockerEngine, UNTESTED } from "./docker-engine.js";
import { DockerProgram } from "./docker-program.js";

export interface DockerOptions {
  /** Has bash, and is there already: nothing is fetched. */
  readonly image: string;
  readonly limits?: Partial<CommandLimits>;
  /** Variables of every command; no output shows their values. */
  readonly environment?: Readonly<Record<string, string>>;
  /** `allow_list` is refused: there is no proxy into a container. Default `none`. */
  readonly network?: "none" | "allow_list" | "open";
  /** Containers at once. Default 3. */
  readonly replicas?: number;
  /** Seconds that a container is kept after its last use; 0 keeps it to the end. Default 600. */
  readonly idleSeconds?: number;
  /** Begins the name of every container. */
  readonly containerPrefix?: string;
  /** Where docker and its settings are looked for; the environment of this process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What all commands of one acquired sandbox share. */
interface Prepared {
  readonly spec: SandboxSpec;
  readonly mounts: readonly SandboxMount[];
  readonly replacements: readonly PathReplacement[];
}

export class DockerProvider implements SandboxProvider {
  readonly name = "docker";
  readonly #options: DockerOptions;
  readonly #limits: CommandLimits;
  readonly #docker: DockerProgram;
  readonly #containers: WarmPool<string>;
  readonly #engine: DockerEngine;
  readonly #acquired = new AcquiredSandboxes();

  constructor(options: DockerOptions) {
    this.#options = { ...options };
    this.#limits = Object.freeze({ ...DEFAULT_LIMITS, ...options.limits });
    this.#docker = new DockerProgram(options.env ?? process.env);
    this.#engine = new DockerEngine(this.#docker, options.containerPrefix);
    this.#containers = new WarmPool({
      provider: this.name,
      most: options.replicas ?? 3,
      idleSeconds: options.idleSeconds ?? 600,
      end: (container) => this.#engine.remove(container),
    });
  }

  /** Asks the engine and looks for the image; starts nothing. */
  async health(): Promise<SandboxHealth> {
    const { provider, limits, network } = {
      provider: this.name,
      limits: "Memory, processors and processes of a container are bounded by its control group.",
      network:
        this.#options.network === "open" ? "Containers reach the network." : "Containers have no network.",
    };
    try {
      if (this.#options.network === "allow_list") throw new Error(NO_ALLOW_LIST);
      const version = await this.#engine.versionWith(this.#options.image);
      const reason = `Commands run in containers of ${this.#options.image} (Docker ${version}). ${UNTESTED}`;
      return { provider, available: true, reason, limits, network };
    } catch (error) {
      return { provider, available: false, reason: `${reasonOf(error)} ${UNTESTED}` };
    }
  }

  async acquire(spec: SandboxSpec): Promise<Sandbox> {
    const mounts = resolveMounts(spec.mounts);
    const prepared = { spec, mounts, replacements: mountReplacements(mounts) };
    await this.#container(prepared);
    return this.#acquired.add(spec.id, (request, signal) => this.#execute(prepared, request, signal));
  }

  get(id: string): Sandbox | undefined {
    return this.#acquired.get(id);
  }

  /** The container stays for a while. */
  async release(id: string): Promise<void> {
    await this.#acquired.release(id);
    this.#containers.rest(id);
  }

  async destroy(id: string): Promise<void> {
    await this.#acquired.release(id);
    await this.#containers.drop(id);
  }

  async close(): Promise<void> {
    await this.#acquired.releaseAll();
    await this.#containers.dropAll();
  }

  #container(prepared: Prepared): Promise<string> {
    const made = JSON.stringify(prepared.mounts);
    return this.#containers
      .take(prepared.spec.id, made, () => this.#start(prepared))
      .catch((error: unknown) => Promise.reject(providerFailed(this.name, error)));
  }

  async #start({ mounts }: Prepared): Promise<string> {
    const { image, network = "none" } = this.#options;
    if (network === "allow_list") throw new Error(NO_ALLOW_LIST);
    const user = process.getuid && process.getgid && { uid: process.getuid(), gid: process.getgid() };
    const plan = { image, mounts, limits: this.#limits, network, ...(user === undefined ? {} : { user }) };
    return this.#engine.start((own) => runArguments({ ...plan, ...own }));
  }

  async #execute(prepared: Prepared, request: CommandRequest, signal: AbortSignal): Promise<CommandResult> {
    checkCommand(request);
    signal.throwIfAborted();
    const { spec } = prepared;
    const container = await this.#container(prepared);
    const { environment } = this.#options;
    const plan: ExecPlan = {
      container,
      mark: randomUUID(),
      folder: request.cwd ?? spec.workingDirectory,
      home: spec.workingDirectory,
      command: request.command,
      variables: { ...environment, ...request.env, ...request.secrets },
    };
    const hidden = hiddenValues(environment, request.secrets);
    const replacements = [...prepared.replacements, ...hidden];
    let isOver = false;
    try {
      const outcome = await this.#docker.run(execArguments(plan), {
        env: execEnvironment(plan),
        timeoutMilliseconds: (request.timeoutSeconds ?? this.#limits.wallSeconds) * 1000,
        outputCharacters: this.#limits.outputCharacters,
        replacements,
        signal,
        onOutput: request.onOutput && ((chunk) => request.onOutput?.(chunk)),
      });
      isOver = !outcome.timedOut;
      if (GONE.test(outcome.errorOutput)) await this.#containers.drop(spec.id);
      return this.#resultOf(plan, outcome);
    } finally {
      if (!isOver) await this.#end(spec.id, plan);
    }
  }

  #resultOf({ mark }: ExecPlan, { errorOutput, ...outcome }: ProcessOutcome): CommandResult {
    if (outcome.timedOut) return { ...outcome, exitCode: TIMEOUT_EXIT_CODE };
    const exitCode = reportedExitCode(mark, errorOutput);
    // Everything of the command goes to standard output; only docker itself complains beside it.
    if (exitCode === undefined && errorOutput.trim() !== "") {
      throw new DeerflowError("sandbox_failed", { provider: this.name, reason: errorOutput.trim() });
    }
    return { ...outcome, exitCode };
  }

  /** Ends a command whose docker program is gone; with the whole container where nothing else helps. */
  async #end(id: string, { container, mark }: ExecPlan): Promise<void> {
    await this.#engine.ask(endArguments(container, mark)).catch(() => this.#containers.drop(id));
  }
}

/** Docker's words for a container that will run no command any more; the next command starts another. */
const GONE = /^Error response from daemon: .*(No such container|is not running)/m;

const NO_ALLOW_LIST =
  "Containers have no proxy, so sandbox.network.mode: allow_list works with bubblewrap only.";
