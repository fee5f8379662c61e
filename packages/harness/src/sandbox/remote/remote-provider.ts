/**
 * Runs commands in the sandboxes of another program's provider: any that keeps deepagents' sandbox protocol. Its
 * walls, limits and network are its own; the folders of a thread are mirrored into it.
 */
import { DeerflowError } from "../../base/errors.js";
import { AcquiredSandboxes } from "../acquired-sandboxes.js";
import type { Sandbox, SandboxHealth, SandboxMount, SandboxProvider, SandboxSpec } from "../contract.js";
import { DEFAULT_LIMITS } from "../limits.js";
import { resolveMounts } from "../mounts.js";
import { WarmPool } from "../warm-pool.js";
import { loadProvider, type LoadedProvider, type ProviderPlace } from "./load-provider.js";
import { Mirror } from "./mirror.js";
import { MIRROR_CAPS, type MirrorCaps } from "./mirror-caps.js";
import { RemoteCalls, remoteFailed, type RemoteProtocol } from "./remote-calls.js";
import { RemoteSandbox } from "./remote-sandbox.js";

export interface RemoteOptions extends ProviderPlace {
  /** Where commands start; the thread's own folder by default. */
  readonly workingDirectory?: string;
  /** Variables of every command; no output shows their values, but the provider sees them. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Seconds and characters of one command. */
  readonly limits?: { readonly wallSeconds?: number; readonly outputCharacters?: number };
  readonly caps?: Partial<MirrorCaps>;
  /** Sandboxes at once. Default 3. */
  readonly replicas?: number;
  /** Seconds that a sandbox is kept after its last use; 0 keeps it to the end. Default 600. */
  readonly idleSeconds?: number;
}

interface Opened {
  readonly protocol: RemoteProtocol;
  readonly sandbox: RemoteSandbox;
}

export class RemoteProvider implements SandboxProvider {
  readonly name = "remote";
  readonly #options: RemoteOptions;
  readonly #acquired = new AcquiredSandboxes();
  #pool: Promise<{ readonly loaded: LoadedProvider; readonly places: WarmPool<Opened> }> | undefined;

  constructor(options: RemoteOptions) {
    this.#options = { ...options };
  }

  /** Loads the provider and looks at it; opens no sandbox, for that may cost money. */
  async health(): Promise<SandboxHealth> {
    const row = {
      provider: this.name,
      limits: "What the provider keeps; the limits of this configuration do not reach it.",
      network: "What the provider gives; sandbox.network does not reach it.",
    };
    try {
      const { loaded } = await this.#loaded();
      const shared = loaded.isShared ? " It is one sandbox, which threads use one after the other." : "";
      const reason = `Commands run in sandboxes of ${this.#options.use}; none was opened to try.${shared}`;
      return { ...row, available: true, reason };
    } catch (error) {
      const reason = DeerflowError.is(error) ? error.sentence : "Its provider cannot be loaded.";
      return { ...row, available: false, reason };
    }
  }

  async acquire(spec: SandboxSpec): Promise<Sandbox> {
    const mounts = resolveMounts(spec.mounts);
    const { files } = await this.#open(spec, mounts);
    return this.#acquired.add(
      spec.id,
      async (request, signal) => (await this.#open(spec, mounts)).execute(request, signal),
      () => ({ files }),
    );
  }

  get(id: string): Sandbox | undefined {
    return this.#acquired.get(id);
  }

  /** The sandbox stays for a while. */
  async release(id: string): Promise<void> {
    await this.#acquired.release(id);
    (await this.#pool)?.places.rest(id);
  }

  async destroy(id: string): Promise<void> {
    await this.#acquired.release(id);
    await (await this.#pool)?.places.drop(id);
  }

  async close(): Promise<void> {
    await this.#acquired.releaseAll();
    await (await this.#pool)?.places.dropAll();
  }

  #loaded() {
    this.#pool ??= loadProvider(this.#options).then((loaded) => ({
      loaded,
      places: new WarmPool<Opened>({
        provider: this.name,
        most: loaded.isShared ? 1 : (this.#options.replicas ?? 3),
        idleSeconds: this.#options.idleSeconds ?? 600,
        end: ({ protocol }) => loaded.close(protocol),
      }),
    }));
    const pool = this.#pool;
    // The package may be installed meanwhile.
    pool.catch(() => {
      this.#pool = undefined;
    });
    return pool;
  }

  async #open(spec: SandboxSpec, mounts: readonly SandboxMount[]): Promise<RemoteSandbox> {
    const { loaded, places } = await this.#loaded();
    const made = JSON.stringify(mounts);
    const { sandbox } = await places.take(spec.id, made, async () => {
      const protocol = await loaded.open().catch((error: unknown) => {
        throw DeerflowError.is(error) ? error : remoteFailed("its provider could not open one", error);
      });
      return { protocol, sandbox: this.#sandbox(protocol, spec, mounts) };
    });
    return sandbox;
  }

  #sandbox(protocol: RemoteProtocol, spec: SandboxSpec, mounts: readonly SandboxMount[]): RemoteSandbox {
    const { limits, caps, environment = {}, workingDirectory = spec.workingDirectory } = this.#options;
    const calls = new RemoteCalls(protocol);
    return new RemoteSandbox({
      calls,
      mirror: new Mirror(calls, mounts, { ...MIRROR_CAPS, ...caps }),
      workingDirectory,
      environment,
      wallSeconds: limits?.wallSeconds ?? DEFAULT_LIMITS.wallSeconds,
      outputCharacters: limits?.outputCharacters ?? DEFAULT_LIMITS.outputCharacters,
    });
  }
}
