/** A sandbox that is acquired at its first command and let go afterwards, so that a chat without a shell costs none. */
import { DeerflowError } from "../base/errors.js";
import type {
  CommandRequest,
  CommandResult,
  PathRules,
  Sandbox,
  SandboxFiles,
  SandboxProvider,
  SandboxSpec,
} from "./contract.js";

/** What is acquired, shared by all views of one sandbox. */
interface Lease {
  acquired?: Promise<Sandbox> | undefined;
}

export class LazySandbox implements Sandbox {
  /** Here only where the provider's sandboxes keep rules. Looks at once whether they keep these. */
  readonly keeping?: (rules: PathRules) => LazySandbox;
  readonly #provider: SandboxProvider;
  readonly #spec: SandboxSpec;
  readonly #lease: Lease;
  readonly #rules: PathRules | undefined;
  #kept: { readonly of: Sandbox; readonly sandbox: Sandbox } | undefined;

  constructor(provider: SandboxProvider, spec: SandboxSpec, view: { lease?: Lease; rules?: PathRules } = {}) {
    this.#provider = provider;
    this.#spec = spec;
    this.#lease = view.lease ?? {};
    this.#rules = view.rules;
    // Rules of its own are for good: others could only loosen them.
    if (provider.assertKept === undefined || view.rules !== undefined) return;
    this.keeping = (rules) => {
      provider.assertKept?.(rules, spec);
      return new LazySandbox(provider, spec, { lease: this.#lease, rules });
    };
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
    const lease = this.#lease;
    lease.acquired ??= this.#provider.acquire(this.#spec);
    const acquired = lease.acquired;
    try {
      return await work(this.#underRules(await acquired));
    } catch (error) {
      // A failed acquisition must not be remembered: the next command tries again.
      if (await rejects(acquired)) lease.acquired = undefined;
      throw error;
    }
  }

  /** @throws DeerflowError `permissions_unenforceable`, when the sandbox turns out to keep none */
  #underRules(sandbox: Sandbox): Sandbox {
    if (this.#rules === undefined) return sandbox;
    if (this.#kept?.of === sandbox) return this.#kept.sandbox;
    if (sandbox.keeping === undefined) {
      const hint = `The sandbox of ${this.#provider.name} keeps no rules, though its provider said so.`;
      throw new DeerflowError("permissions_unenforceable", { rules: "all of them", hint });
    }
    this.#kept = { of: sandbox, sandbox: sandbox.keeping(this.#rules) };
    return this.#kept.sandbox;
  }

  /** Lets the sandbox go. A later command acquires it anew. */
  async release(): Promise<void> {
    const { acquired } = this.#lease;
    this.#lease.acquired = undefined;
    if (acquired !== undefined && !(await rejects(acquired))) await this.#provider.release(this.#spec.id);
  }
}

const rejects = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => false,
    () => true,
  );
