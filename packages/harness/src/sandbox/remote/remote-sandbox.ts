/** One sandbox of a remote provider, with the folders of a thread mirrored into it around every command. */
import { randomUUID } from "node:crypto";
import { withTimeLimit } from "../../base/abort.js";
import { KeyedLock } from "../../base/keyed-lock.js";
import { checkCommand } from "../check-command.js";
import {
  type CommandRequest,
  type CommandResult,
  type SandboxFiles,
  TIMEOUT_EXIT_CODE,
} from "../contract.js";
import { quoted } from "../file-scripts.js";
import { OutputWindow } from "../output-window.js";
import { maskPaths } from "../path-mask.js";
import { END_COMMAND, SEALED_COMMAND, VALUE_PREFIX } from "../sealed-command.js";
import { hiddenValues } from "../hidden-values.js";
import type { Mirror } from "./mirror.js";
import { mirrored } from "./mirrored.js";
import { bashCall, type RemoteCalls, remoteFailed } from "./remote-calls.js";

export interface RemoteSandboxOptions {
  readonly calls: RemoteCalls;
  readonly mirror: Mirror;
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly wallSeconds: number;
  readonly outputCharacters: number;
}

/** Seconds that a provider may take beyond the command's own limit. */
const GRACE_SECONDS = 10;

/** Commands run one after the other, for each must see the files that the one before it left. */
export class RemoteSandbox {
  readonly #options: RemoteSandboxOptions;
  readonly #lock = new KeyedLock();

  constructor(options: RemoteSandboxOptions) {
    this.#options = options;
  }

  readonly files: SandboxFiles = {
    read: (path) =>
      this.#alone(async () => {
        await this.#options.mirror.sync();
        return (await this.#options.calls.download([path])).get(path);
      }),
    write: (path, content) =>
      this.#alone(async () => {
        await this.#options.mirror.sync();
        const taken = await this.#options.calls.upload([[path, content]]);
        if (!taken.has(path)) throw remoteFailed("it refused the file");
        await this.#options.mirror.sync();
      }),
  };

  execute(request: CommandRequest, signal: AbortSignal): Promise<CommandResult> {
    checkCommand(request);
    signal.throwIfAborted();
    return this.#alone(() => mirrored(this.#options.mirror, signal, () => this.#run(request, signal)));
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.hold("", work);
  }

  async #run(request: CommandRequest, signal: AbortSignal): Promise<CommandResult> {
    const { calls, environment, wallSeconds } = this.#options;
    const seconds = request.timeoutSeconds ?? wallSeconds;
    const mark = randomUUID();
    const variables = { ...environment, ...request.env, ...request.secrets };
    const command = this.#commandLine({ request, mark, seconds, variables });
    const startedAt = performance.now();
    try {
      const answer = await calls.execute(command, seconds + GRACE_SECONDS, signal);
      const durationMilliseconds = Math.round(performance.now() - startedAt);
      const timedOut = KILLED.includes(answer.exitCode ?? 0) && durationMilliseconds >= seconds * 1000;
      if (timedOut) await this.#end(mark);
      const { output, truncated } = await this.#shown(answer.output, request);
      const exitCode = timedOut ? TIMEOUT_EXIT_CODE : (answer.exitCode ?? undefined);
      return { output, exitCode, truncated: truncated || answer.truncated, timedOut, durationMilliseconds };
    } catch (error) {
      await this.#end(mark);
      throw error;
    }
  }

  /** The protocol takes a command line and nothing else, so its variables stand in it too. */
  #commandLine(parts: {
    readonly request: CommandRequest;
    readonly mark: string;
    readonly seconds: number;
    readonly variables: Readonly<Record<string, string>>;
  }): string {
    const { workingDirectory } = this.#options;
    const { request, mark, seconds, variables } = parts;
    const folder = request.cwd ?? workingDirectory;
    const values = Object.values(variables).map((value, index) => `${VALUE_PREFIX}${index}=${quoted(value)}`);
    const given = [...values, `HOME=${quoted(workingDirectory)}`];
    const args = [mark, folder, String(seconds), request.command, ...Object.keys(variables)];
    // Standard error holds only the report that nobody reads here.
    return `export ${given.join(" ")}\n${bashCall(SEALED_COMMAND, args)} </dev/null 2>/dev/null`;
  }

  async #shown(given: string, request: CommandRequest) {
    const hidden = hiddenValues(this.#options.environment, request.secrets);
    const output = maskPaths(hidden, given);
    if (output !== "") await request.onOutput?.(output);
    const window = new OutputWindow(this.#options.outputCharacters);
    window.add(output);
    return { output: window.text(), truncated: window.truncated };
  }

  /** Kills what is left of a command; a provider that does not answer keeps it. */
  async #end(mark: string): Promise<void> {
    const { calls } = this.#options;
    await withTimeLimit(GRACE_SECONDS, undefined, () =>
      calls.script(END_COMMAND, [mark], GRACE_SECONDS),
    ).catch(() => undefined);
  }
}

/** What timeout(1) and a shell say of a program that was killed. */
const KILLED: readonly number[] = [TIMEOUT_EXIT_CODE, 137];
