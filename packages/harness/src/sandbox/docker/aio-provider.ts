/**
 * Runs commands in AIO sandboxes (github.com/agent-infra/sandbox): containers that answer HTTP on one port. Started
 * here with a key of their own and reached from this machine alone, or one that runs already, into which the
 * folders of a thread are mirrored. UNTESTED AGAINST A REAL ENGINE AND A REAL AIO SANDBOX.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { reasonOf } from "../../base/errors.js";
import { KeyedLock } from "../../base/keyed-lock.js";
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
import { OutputWindow } from "../output-window.js";
import { PathMask } from "../path-mask.js";
import { Mirror } from "../remote/mirror.js";
import { mirrored } from "../remote/mirrored.js";
import { MIRROR_CAPS } from "../remote/mirror-caps.js";
import { bashCall, RemoteCalls } from "../remote/remote-calls.js";
import { END_COMMAND, SEALED_COMMAND } from "../sealed-command.js";
import { hiddenValues } from "../hidden-values.js";
import { providerFailed, WarmPool } from "../warm-pool.js";
import { AioClient } from "./aio-client.js";
import { aioArguments, execEnvironment } from "./docker-arguments.js";
import { DockerEngine, UNTESTED } from "./docker-engine.js";
import { DockerProgram } from "./docker-program.js";
import type { DockerOptions } from "./docker-provider.js";

export interface AioOptions extends Omit<DockerOptions, "image"> {
  /** Started for each sandbox; one of this and `baseUrl` is needed. */
  readonly image?: string;
  /** One that runs already. Threads have it one after the other, and see what others left outside their folders. */
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Seconds that a container may take until it answers. Default 60. */
  readonly startSeconds?: number;
}

interface Opened {
  readonly client: AioClient;
  readonly container?: string;
  /** Of one that has not the host's folders. */
  readonly mirror?: Mirror;
}

/** The port that an AIO sandbox serves. */
const PORT = 8080;
const KEY_VARIABLE = "SANDBOX_API_KEY";
const GRACE_SECONDS = 10;
const POLL_MILLISECONDS = 250;
const NEEDS_NETWORK =
  "An AIO sandbox has the network of its container, so it needs sandbox.network.mode: open.";

export class AioProvider implements SandboxProvider {
  readonly name = "docker";
  readonly #options: AioOptions;
  readonly #limits: CommandLimits;
  readonly #engine: DockerEngine;
  readonly #places: WarmPool<Opened>;
  readonly #acquired = new AcquiredSandboxes();
  /** Where files are mirrored, a command must see what the one before it left. */
  readonly #lock = new KeyedLock();

  constructor(options: AioOptions) {
    this.#options = { ...options };
    this.#limits = Object.freeze({ ...DEFAULT_LIMITS, ...options.limits });
    this.#engine = new DockerEngine(new DockerProgram(options.env ?? process.env), options.containerPrefix);
    this.#places = new WarmPool({
      provider: this.name,
      most: options.baseUrl === undefined ? (options.replicas ?? 3) : 1,
      idleSeconds: options.idleSeconds ?? 600,
      end: async ({ container }) => (container === undefined ? undefined : this.#engine.remove(container)),
    });
  }

  async health(): Promise<SandboxHealth> {
    const row = {
      provider: this.name,
      limits: "What the container has; commands share it.",
      network: "Commands reach what the container reaches.",
    };
    try {
      return { ...row, available: true, reason: `${await this.#found()} ${UNTESTED}` };
    } catch (error) {
      return { ...row, available: false, reason: `${reasonOf(error)} ${UNTESTED}` };
    }
  }

  async acquire(spec: SandboxSpec): Promise<Sandbox> {
    const mounts = resolveMounts(spec.mounts);
    await this.#open(spec, mounts);
    return this.#acquired.add(spec.id, async (request, signal) => {
      checkCommand(request);
      signal.throwIfAborted();
      const opened = await this.#open(spec, mounts);
      const parts = { spec, mounts, request, signal };
      const { mirror } = opened;
      if (mirror === undefined) return this.#run(opened, parts);
      return this.#lock.hold(spec.id, () => mirrored(mirror, signal, () => this.#run(opened, parts)));
    });
  }

  get(id: string): Sandbox | undefined {
    return this.#acquired.get(id);
  }

  /** It stays for a while. */
  async release(id: string): Promise<void> {
    await this.#acquired.release(id);
    this.#places.rest(id);
  }

  async destroy(id: string): Promise<void> {
    await this.#acquired.release(id);
    await this.#places.drop(id);
  }

  async close(): Promise<void> {
    await this.#acquired.releaseAll();
    await this.#places.dropAll();
  }

  /** What there is, as a sentence. @throws Error with a whole sentence */
  async #found(): Promise<string> {
    const { network = "none", baseUrl, apiKey, image } = this.#options;
    if (network !== "open") throw new Error(NEEDS_NETWORK);
    if (baseUrl !== undefined) {
      if (await new AioClient(baseUrl, apiKey).answers())
        return "Commands run in the AIO sandbox of base_url.";
      throw new Error("The AIO sandbox of sandbox.docker.base_url does not answer, or refuses the key.");
    }
    if (image === undefined) throw new Error("It needs sandbox.docker.image or base_url.");
    return `Commands run in AIO sandboxes of ${image} (Docker ${await this.#engine.versionWith(image)}).`;
  }

  #open(spec: SandboxSpec, mounts: readonly SandboxMount[]): Promise<Opened> {
    const { network = "none", baseUrl, apiKey, image } = this.#options;
    const begin = async (): Promise<Opened> => {
      if (network !== "open") throw new Error(NEEDS_NETWORK);
      if (image === undefined || baseUrl !== undefined) {
        const client = new AioClient(baseUrl ?? "", apiKey);
        return { client, mirror: new Mirror(new RemoteCalls(client), mounts, MIRROR_CAPS) };
      }
      return this.#start(image, mounts);
    };
    return this.#places
      .take(spec.id, JSON.stringify(mounts), begin)
      .catch((error: unknown) => Promise.reject(providerFailed(this.name, error)));
  }

  async #start(image: string, mounts: readonly SandboxMount[]): Promise<Opened> {
    const key = randomBytes(32).toString("hex");
    const plan = { image, mounts, limits: this.#limits, port: PORT, keyVariable: KEY_VARIABLE };
    const container = await this.#engine.start((own) => aioArguments({ ...plan, ...own }), {
      [KEY_VARIABLE]: key,
    });
    try {
      const client = new AioClient(await this.#engine.addressOf(container, PORT), key);
      await this.#waitFor(client);
      // Everybody on this machine reaches the port.
      if (await client.answers(false))
        throw new Error("its image answers without the key, so it is not used");
      return { client, container };
    } catch (error) {
      await this.#engine.remove(container).catch(() => undefined);
      throw error;
    }
  }

  async #waitFor(client: AioClient): Promise<void> {
    const seconds = this.#options.startSeconds ?? 60;
    const until = performance.now() + seconds * 1000;
    while (!(await client.answers())) {
      if (performance.now() > until)
        throw new Error(`the container did not answer within ${seconds} seconds`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
    }
  }

  async #run({ client }: Opened, { spec, mounts, request, signal }: RunParts): Promise<CommandResult> {
    const { environment = {} } = this.#options;
    const variables = { ...environment, ...request.env, ...request.secrets };
    const seconds = request.timeoutSeconds ?? this.#limits.wallSeconds;
    const mark = randomUUID();
    const folder = request.cwd ?? spec.workingDirectory;
    const args = [mark, folder, String(seconds), request.command, ...Object.keys(variables)];
    const output = new ShownOutput(
      [...mountReplacements(mounts), ...hiddenValues(environment, request.secrets)],
      this.#limits.outputCharacters,
      request,
    );
    const startedAt = performance.now();
    let isOver = false;
    try {
      const exitCode = await client.run({
        command: `${bashCall(SEALED_COMMAND, args)} </dev/null 2>/dev/null`,
        env: {
          ...execEnvironment({ variables }),
          HOME: spec.workingDirectory,
          LANG: "C.UTF-8",
          TERM: "dumb",
        },
        hardSeconds: seconds + GRACE_SECONDS,
        signal,
        onOutput: (chunk) => output.add(chunk),
      });
      const durationMilliseconds = Math.round(performance.now() - startedAt);
      const timedOut = exitCode !== 0 && durationMilliseconds >= seconds * 1000;
      isOver = !timedOut;
      const shown = await output.end();
      return { ...shown, exitCode: timedOut ? TIMEOUT_EXIT_CODE : exitCode, timedOut, durationMilliseconds };
    } finally {
      if (!isOver) await client.execute(bashCall(END_COMMAND, [mark])).catch(() => undefined);
    }
  }
}

interface RunParts {
  readonly spec: SandboxSpec;
  readonly mounts: readonly SandboxMount[];
  readonly request: CommandRequest;
  readonly signal: AbortSignal;
}

/** Output as it is told and kept: masked, and cut. */
class ShownOutput {
  readonly #mask: PathMask;
  readonly #window: OutputWindow;
  readonly #request: CommandRequest;

  constructor(
    replacements: ConstructorParameters<typeof PathMask>[0],
    characters: number,
    request: CommandRequest,
  ) {
    this.#mask = new PathMask(replacements);
    this.#window = new OutputWindow(characters);
    this.#request = request;
  }

  add(chunk: string): Promise<void> {
    return this.#take(this.#mask.add(chunk));
  }

  async end() {
    await this.#take(this.#mask.end());
    return { output: this.#window.text(), truncated: this.#window.truncated };
  }

  async #take(text: string): Promise<void> {
    if (text === "") return;
    this.#window.add(text);
    await this.#request.onOutput?.(text);
  }
}
