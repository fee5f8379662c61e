/** A folder of this machine together with the host's own shell. */
import { HostShell } from "../sandbox/local/host-shell.js";
import { aboveZero } from "./assert-backend.js";
import type { FileBackend, PathJudge, Shell, WithShell } from "./contract.js";
import { FilesystemBackend, type FilesystemOptions } from "./filesystem-backend.js";

export interface LocalShellOptions extends FilesystemOptions {
  /** The environment of commands. Empty by default, so that no secret of this process reaches one. */
  readonly env?: Readonly<Record<string, string>>;
  /** True puts the environment of this process under `env`. */
  readonly inheritEnv?: boolean;
  /** Wall-clock limit of a command that names none; more than 0, 120 by default. */
  readonly timeoutSeconds?: number;
  /** What is kept of a command's output, half from its beginning and half from its end; 100,000 by default. */
  readonly maxOutputCharacters?: number;
}

const DEFAULT_TIMEOUT_SECONDS = 120;
const DEFAULT_OUTPUT_CHARACTERS = 100_000;

/**
 * {@link FilesystemBackend} with a shell. This is NO boundary: a command can read and change whatever this process
 * can, whatever the file tools allow. Commands start in `rootDir`, with nothing on standard input, and nothing of them
 * outlives the call. What they print is not changed: it holds host paths, which the file tools refuse with the path to
 * use instead. A command that runs out of time keeps its output so far, has `timedOut` and the exit code 124.
 */
export class LocalShellBackend extends FilesystemBackend implements WithShell {
  readonly shell: Shell;

  /** @throws DeerflowError `filesystem_options_invalid` */
  constructor(options: LocalShellOptions) {
    super(options);
    const timeoutSeconds = aboveZero("timeoutSeconds", options.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS);
    const sandbox = new HostShell({
      root: this.virtualMode ? this.rootDir : "/",
      workingDirectory: this.rootDir,
      env: environment(options),
      timeoutSeconds,
      outputCharacters: aboveZero(
        "maxOutputCharacters",
        options.maxOutputCharacters ?? DEFAULT_OUTPUT_CHARACTERS,
      ),
    });
    const workingDirectory = this.virtualMode ? "/" : this.rootDir;
    this.shell = Object.freeze({ sandbox, workingDirectory, reachesHost: true, timeoutSeconds });
  }

  /** Judges the files only: commands go where they like. */
  override judgedBy(judge: PathJudge): FileBackend & WithShell {
    return Object.assign(super.judgedBy(judge), { shell: this.shell });
  }
}

function environment({ env = {}, inheritEnv = false }: LocalShellOptions): Readonly<Record<string, string>> {
  const inherited = inheritEnv ? Object.entries(process.env) : [];
  const known = inherited.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...Object.fromEntries(known), ...env };
}
