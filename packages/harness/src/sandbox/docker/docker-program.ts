/** The docker program of this machine. */
import { findExecutable } from "../../base/find-executable.js";
import type { ProcessOutcome, ProcessRequest } from "../run-process.js";
import { runProcess } from "../run-process.js";

/** What docker itself reads to find its engine and its user's settings; nothing else of our environment reaches it. */
const NEEDED = [
  "PATH",
  "HOME",
  "DOCKER_HOST",
  "DOCKER_CONTEXT",
  "DOCKER_CONFIG",
  "DOCKER_CERT_PATH",
  "DOCKER_TLS_VERIFY",
  "DOCKER_API_VERSION",
  "XDG_RUNTIME_DIR",
  "SSH_AUTH_SOCK",
] as const;

/** Characters of an answer of docker itself that are read. */
const ANSWER_CHARACTERS = 100_000;

type Environment = Readonly<Record<string, string | undefined>>;
export type DockerRun = Pick<ProcessRequest, "timeoutMilliseconds"> & Partial<ProcessRequest>;

export class DockerProgram {
  readonly #file: string | undefined;
  readonly #env: Readonly<Record<string, string>>;

  /** @param env where `docker` is looked for on the PATH, and its settings */
  constructor(env: Environment) {
    this.#file = findExecutable("docker", env["PATH"]);
    this.#env = Object.fromEntries(
      NEEDED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
    );
  }

  get isThere(): boolean {
    return this.#file !== undefined;
  }

  /** @throws Error when it is not there; the signal's reason when it aborts */
  async run(args: readonly string[], request: DockerRun): Promise<ProcessOutcome> {
    if (this.#file === undefined) throw new Error(NOT_THERE);
    return runProcess({
      outputCharacters: ANSWER_CHARACTERS,
      replacements: [],
      ...request,
      file: this.#file,
      arguments: args,
      env: { ...request.env, ...this.#env },
    });
  }

  /** What docker answers. @throws Error with docker's own words when it fails */
  async ask(
    args: readonly string[],
    seconds: number,
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const answer = await this.run(args, { timeoutMilliseconds: seconds * 1000, env });
    if (answer.timedOut) throw new Error(`docker ${args[0]} gave no answer within ${seconds} seconds`);
    if (answer.exitCode !== 0) throw new Error(answer.errorOutput.trim() || `docker ${args[0]} failed`);
    return answer.output.trim();
  }
}

export const NOT_THERE = "docker is not on the PATH.";
