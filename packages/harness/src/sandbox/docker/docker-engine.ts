/** The engine behind the docker program, as far as containers of ours are concerned. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { reasonOf } from "../../base/errors.js";
import { isProcessAlive, processIdentity } from "../../base/process-identity.js";
import {
  imageArguments,
  LIST_ARGUMENTS,
  portArguments,
  removeArguments,
  VERSION_ARGUMENTS,
} from "./docker-arguments.js";
import { type DockerProgram, NOT_THERE } from "./docker-program.js";

const START_SECONDS = 60;
const ANSWER_SECONDS = 20;
export const DEFAULT_PREFIX = "deer-flow-sandbox";
export const UNTESTED = "This provider is untested against a real engine.";

export class DockerEngine {
  readonly #docker: DockerProgram;
  readonly #prefix: string;
  #swept: Promise<void> | undefined;

  constructor(docker: DockerProgram, prefix = DEFAULT_PREFIX) {
    this.#docker = docker;
    this.#prefix = prefix;
  }

  /** The version of an engine that answers and has the image. @throws Error with a whole sentence */
  async versionWith(image: string): Promise<string> {
    if (!this.#docker.isThere) throw new Error(NOT_THERE);
    const version = await this.ask(VERSION_ARGUMENTS).catch((error: unknown) => {
      throw new Error(`The Docker engine does not answer: ${reasonOf(error).replace(/\.?$/, ".")}`);
    });
    await this.ask(imageArguments(image)).catch(() => {
      throw new Error(`The image is not there; run: docker pull ${image}.`);
    });
    return version;
  }

  /**
   * Starts a container under a new name, after removing what dead processes left.
   * @param env for values that must not stand in the arguments
   */
  async start(
    argumentsFor: (container: { readonly name: string; readonly owner: string }) => readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    this.#swept ??= this.#removeStale().catch(() => undefined);
    await this.#swept;
    const name = `${this.#prefix}-${randomBytes(8).toString("hex")}`;
    const args = argumentsFor({ name, owner: processIdentity() });
    await this.#docker.ask(args, START_SECONDS, env).catch(async (error: unknown) => {
      // It may be there all the same, when only the answer was lost.
      await this.remove(name).catch(() => undefined);
      throw error;
    });
    return name;
  }

  async remove(container: string): Promise<void> {
    await this.#docker.ask(removeArguments([container]), START_SECONDS);
  }

  /** The address on this machine at which a port of a container is reached. */
  async addressOf(container: string, port: number): Promise<string> {
    const answer = await this.ask(portArguments(container, port));
    const address = /^127\.0\.0\.1:\d{1,5}$/m.exec(answer)?.[0];
    if (address === undefined) throw new Error("docker did not say where the container's port is");
    return `http://${address}`;
  }

  ask(args: readonly string[]): Promise<string> {
    return this.#docker.ask(args, ANSWER_SECONDS);
  }

  /** Removes what processes of this machine left that are gone. */
  async #removeStale(): Promise<void> {
    const lines = (await this.ask(LIST_ARGUMENTS)).split("\n");
    const stale = lines
      .map((line) => line.split("\t"))
      .filter(([, owner = ""]) => owner.startsWith(`${hostname()}/`) && !isProcessAlive(owner))
      .map(([id = ""]) => id);
    if (stale.length > 0) await this.#docker.ask(removeArguments(stale), START_SECONDS);
  }
}
