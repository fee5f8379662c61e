/** A database server that a suite runs by itself: one run of its program, and where it listens. */
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const START_PATIENCE_MS = 60_000;

/** A port of 127.0.0.1 that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => (typeof address === "object" && address ? resolve(address.port) : reject()));
    });
  });
}

export class ServerProcess {
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  #isEnded = false;
  #errors = "";

  constructor(program: string, settings: readonly string[], options: Pick<SpawnOptions, "uid" | "gid"> = {}) {
    this.#process = spawn(program, settings, { ...options, stdio: ["ignore", "ignore", "pipe"] });
    this.#process.stderr?.on("data", (chunk) => {
      this.#errors = `${this.#errors}${chunk}`.slice(-5_000);
    });
    this.#ended = new Promise((resolve) => {
      this.#process.once("close", () => {
        this.#isEnded = true;
        resolve();
      });
    });
  }

  /** Undefined for one that could not be started. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Sends the signal, and waits until the program is over. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.#process.kill(signal);
    await this.#ended;
  }

  /**
   * Waits until an attempt succeeds.
   *
   * @throws Error when the program ends before; with what it said
   */
  async untilAnswering(attempt: () => Promise<unknown>): Promise<void> {
    const started = performance.now();
    for (;;) {
      if (this.#isEnded) throw new Error(`The server ended while it started: ${this.#errors}`);
      try {
        await attempt();
        return;
      } catch (error) {
        if (performance.now() - started > START_PATIENCE_MS) throw error;
      }
      await sleep(50);
    }
  }
}
