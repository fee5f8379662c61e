/** A place where commands run. A tool sees a {@link Sandbox}; the host owns the {@link SandboxProvider}. */
import type { FilesystemPermission } from "../policy/file-permission.js";

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
  /** Variables like `env`, whose values no output shows: each is replaced by a mark. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Wall-clock limit; the whole process tree is killed when it passes. */
  readonly timeoutSeconds?: number;
  /** Aborting kills the whole process tree; `execute` then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called with each piece of output as it comes, masked, before any cut. A promise holds the program back. */
  onOutput?(chunk: string): void | Promise<void>;
}

export interface CommandResult {
  /**
   * Standard output and error, interleaved as they came, cut to the provider's limit. The host paths of mounts never
   * occur, but for those of a single name, as `/data`.
   */
  readonly output: string;
  /** 124 after a timeout, as timeout(1) has it; `undefined` when a signal ended the command. */
  readonly exitCode: number | undefined;
  readonly truncated: boolean;
  readonly timedOut: boolean;
  readonly durationMilliseconds: number;
  /** Whole sentences for the model about what the sandbox did: a limit that was hit, files that were put back. */
  readonly notices?: readonly string[];
}

/** The exit code of a command that ran out of time. */
export const TIMEOUT_EXIT_CODE = 124;

/** Whole files, by their path inside the sandbox. */
export interface SandboxFiles {
  /** Undefined when no file is there. @throws DeerflowError `sandbox_failed` */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Makes the folders on the way. @throws DeerflowError `path_denied`, `sandbox_failed` */
  write(path: string, content: Uint8Array): Promise<void>;
}

/** The narrow view that a tool gets. */
export interface Sandbox {
  readonly id: string;
  /** Runs a command with stdin closed. A failing command is a result, not an exception. */
  execute(request: CommandRequest): Promise<CommandResult>;
  readonly files: SandboxFiles;
  /**
   * The same sandbox, in whose commands these rules hold too; absent where a sandbox can keep none.
   * @throws DeerflowError `permissions_unenforceable` for a rule that cannot be kept
   */
  keeping?(rules: PathRules): Sandbox;
}

/** Rules about paths, for the commands of a sandbox: what may not be read is hidden, what may not be written is read-only. */
export interface PathRules {
  readonly rules: readonly FilesystemPermission[];
  /** What a leading `~` stands for. */
  readonly home?: string | undefined;
  /** True where names that differ only in case are one file. */
  readonly foldsCase?: boolean | undefined;
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
  /** What keeps memory, processors and the number of processes in bounds, in one sentence. */
  readonly limits?: string;
  /** What commands reach of the network, in one sentence. */
  readonly network?: string;
}

/** The wide view that the host owns. */
export interface SandboxProvider {
  readonly name: string;
  /** Tries the sandbox once for real. Never throws. */
  health(): Promise<SandboxHealth>;
  /** The same id gives the same sandbox again, with what is in its mounts now. */
  acquire(spec: SandboxSpec): Promise<Sandbox>;
  /**
   * Looks whether a sandbox of this spec would keep the rules, without acquiring it; absent where none keeps any.
   * @throws DeerflowError `permissions_invalid`, `permissions_unenforceable`
   */
  assertKept?(rules: PathRules, spec: SandboxSpec): void;
  /** One that was acquired and not let go since. */
  get(id: string): Sandbox | undefined;
  /** Lets it go: its commands end. What it holds may be kept for the next `acquire`. */
  release(id: string): Promise<void>;
  /** Lets it go for good: nothing of it is kept but what lies in its mounts. */
  destroy(id: string): Promise<void>;
  /** Ends everything of this provider. */
  close(): Promise<void>;
}
