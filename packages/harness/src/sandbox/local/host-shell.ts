/**
 * The host's own bash, without any boundary and without virtual paths: what a command names is what the host has
 * there, and what it prints stands as it is.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DeerflowError } from "../../base/errors.js";
import { sha256 } from "../../base/hash.js";
import { makeFolder } from "../../base/make-folder.js";
import { checkCommand } from "../check-command.js";
import { CommandFiles } from "../command-files.js";
import { type CommandRequest, type CommandResult, type Sandbox, TIMEOUT_EXIT_CODE } from "../contract.js";
import { DEFAULT_LIMITS } from "../limits.js";
import { runProcess } from "../run-process.js";
import { hiddenValues } from "../hidden-values.js";
import { COMMAND_MARKER, hostLauncher } from "./host-launcher.js";

export interface HostShellOptions {
  /** Host folder that the working directory of a request is taken from. */
  readonly root: string;
  /** Host folder in which commands start; made when it is missing. */
  readonly workingDirectory: string;
  /** The environment of commands, whole. A request may add to it. */
  readonly env: Readonly<Record<string, string>>;
  /** Wall-clock limit of a command that names none. */
  readonly timeoutSeconds: number;
  readonly outputCharacters: number;
}

export class HostShell implements Sandbox {
  readonly id: string;
  readonly files = new CommandFiles((request) => this.execute(request));
  readonly #options: HostShellOptions;

  constructor(options: HostShellOptions) {
    this.#options = options;
    this.id = `host:${sha256(options.workingDirectory)}`;
  }

  async execute(request: CommandRequest): Promise<CommandResult> {
    checkCommand(request);
    const { root, workingDirectory, env, timeoutSeconds, outputCharacters } = this.#options;
    prepare(workingDirectory);
    const folder = request.cwd === undefined ? workingDirectory : join(root, request.cwd);
    const marker = randomUUID();
    const { errorOutput: _, ...result } = await runProcess({
      file: "/bin/bash",
      arguments: hostLauncher(DEFAULT_LIMITS, folder, request.command),
      env: { ...env, ...request.env, ...request.secrets, [COMMAND_MARKER]: marker },
      marker: `${COMMAND_MARKER}=${marker}`,
      timeoutMilliseconds: (request.timeoutSeconds ?? timeoutSeconds) * 1000,
      outputCharacters,
      replacements: hiddenValues({}, request.secrets),
      signal: request.signal,
      onOutput: request.onOutput && ((chunk) => request.onOutput?.(chunk)),
    });
    return { ...result, exitCode: result.timedOut ? TIMEOUT_EXIT_CODE : result.exitCode };
  }
}

function prepare(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    const reason = "the folder in which it would start is missing and cannot be made";
    throw new DeerflowError("command_invalid", { reason }, error);
  }
}
