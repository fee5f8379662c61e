/** A place where commands run. A tool sees a {@link Sandbox}; the host owns the {@link SandboxProvider}. */

/** One host folder that the sandbox shows at a virtual path. Both paths are absolute. */
export interface SandboxMount {
  readonly virtualPath: string;
  readonly hostPath: string;
  readonly mode: "read-write" | "read-only";
}

export interface CommandRequest {
  /** A bash command line. */
  readonly command: string;
  /** Virtual working directory; the provider's default when absent. */
  readonly cwd?: string;
  /** Added to the sandbox's own, otherwise empty, environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Wall-clock limit; the whole process tree is killed when it passes. */
  readonly timeoutSeconds?: number;
  /** Aborting kills the whole process tree; `execute` then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called with each piece of output as it comes, before any cut. */
  onOutput?(chunk: string): void;
}

export interface CommandResult {
  /** Standard output and error, interleaved as they came, cut to the provider's limit. Host paths never occur. */
  readonly output: string;
  /** `undefined` when a signal ended the command. */
  readonly exitCode: number | undefined;
  readonly truncated: boolean;
  readonly timedOut: boolean;
  readonly durationMilliseconds: number;
}

/** The narrow view that a tool gets. */
export interface Sandbox {
  readonly id: string;
  /** Runs a command with stdin closed. A failing command is a result, not an exception. */
  execute(request: CommandRequest): Promise<CommandResult>;
}

/** What one thread's sandbox is made of. */
export interface SandboxSpec {
  /** Stable id; the same id gives the same sandbox. */
  readonly id: string;
  readonly mounts: readonly SandboxMount[];
  /** Virtual path in which commands start. */
  readonly workingDirectory: string;
}

/** Whether a provider can work on this machine, and the reason in one sentence. */
export interface SandboxHealth {
  readonly provider: string;
  readonly available: boolean;
  readonly reason: string;
}

/** The wide view that the host owns. */
export interface SandboxProvider {
  readonly name: string;
  /** Tries the sandbox once for real. Never throws. */
  probe(): Promise<SandboxHealth>;
  acquire(spec: SandboxSpec): Promise<Sandbox>;
  release(id: string): Promise<void>;
  close(): Promise<void>;
}
