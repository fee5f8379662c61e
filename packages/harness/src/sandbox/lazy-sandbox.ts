/** A sandbox that is acquired at its first command and let go afterwards, so that a chat without a shell costs none. */
import type {
  CommandRequest,
  CommandResult,
  Sandbox,
  SandboxFiles,
  SandboxProvider,
  SandboxSpec,
} from "./contract.js";

export class LazySandbox implements Sandbox {
  readonly #provider: SandboxProvider;
  readonly #spec: SandboxSpec;
  #acquired: Promise<Sandbox> | undefined;

  constructor(provider: SandboxProvider, spec: SandboxSpec) {
    this.#provider = provider;
    this.#spec = spec;
  }

  get id(): string {
    return this.#spec.id;
  }

  readonly files: SandboxFiles = {
    read: (path) => this.#use((sandbox) => sandbox.files.read(path)),
    write: (path, content) => this.#use((sandbox) => sandbox.files.write(path, content)),
  };

  execute(request: CommandRequest): Promise<CommandResult> {
    return this.#use((sandbox) => sandbox.execute(request));
  }

  async #use<T>(work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
    this.#acquired ??= this.#provider.acquire(this.#spec);
    const acquired = this.#acquired;
    try {
      return await work(await acquired);
    } catch (error) {
      // A failed acquisition must not be remembered: the next command tries again.
      if (await rejects(acquired)) this.#acquired = undefined;
      throw error;
    }
  }

  /** Lets the sandbox go. A later command acquires it anew. */
  async release(): Promise<void> {
    const acquired = this.#acquired;
    this.#acquired = undefined;
    if (acquired !== undefined && !(await rejects(acquired))) await this.#provider.release(this.#spec.id);
  }
}

const rejects = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => false,
    () => true,
  );
