/** What the suites of attacks on the sandbox share: under whom it runs, how little it gets, and a host that must answer. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { BubblewrapProvider, type BubblewrapOptions } from "../sandbox/bubblewrap/bubblewrap-provider.js";
import { type FreshSandbox, openSandbox } from "./open-sandbox.js";

const NOBODY = { uid: 65_534, gid: 65_534 };
export const IS_ROOT = process.getuid?.() === 0;

type Identity = BubblewrapOptions["identity"];

/** Host users under whom the sandbox is attacked. A root host is the harder case, and an ordinary user the common one. */
export const IDENTITIES: readonly (readonly [string, Identity])[] = IS_ROOT
  ? [
      ["root", undefined],
      ["an ordinary user", NOBODY],
    ]
  : [["an ordinary user", undefined]];

export const SMALL_LIMITS = {
  cpuSeconds: 1,
  memoryMebibytes: 512,
  fileMebibytes: 2,
  temporaryMebibytes: 4,
  openFiles: 300,
  processes: 60,
};

export const attackedProvider = (identity: Identity, limits: BubblewrapOptions["limits"] = {}) =>
  new BubblewrapProvider({
    limits: { ...SMALL_LIMITS, ...limits },
    ...(identity === undefined ? {} : { identity }),
  });

export const attackedSandbox = (
  identity: Identity,
  limits: BubblewrapOptions["limits"] = {},
): Promise<FreshSandbox> => openSandbox(attackedProvider(identity, limits), identity);

/** A server of this process on 127.0.0.1. */
export class AnsweringHost {
  readonly #server: Server;
  #requests = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (_request, response) => {
      this.#requests += 1;
      response.end("host");
    });
  }

  static async open(): Promise<AnsweringHost> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new AnsweringHost(server);
  }

  get port(): number {
    // Listening on a TCP port, so the address is no string.
    return (this.#server.address() as AddressInfo).port;
  }

  get requests(): number {
    return this.#requests;
  }

  /** What `attack` gives, and how often and how late the server answered while it went on. */
  async during<T>(
    attack: Promise<T>,
  ): Promise<{ readonly result: T; readonly answers: number; readonly slowestMilliseconds: number }> {
    const waits: number[] = [];
    const over = new AbortController();
    const asking = (async () => {
      do {
        const asked = performance.now();
        await (await fetch(`http://127.0.0.1:${this.port}`)).text();
        waits.push(performance.now() - asked);
      } while (!over.signal.aborted);
    })();
    const result = await attack.finally(() => over.abort());
    await asking;
    return { result, answers: waits.length, slowestMilliseconds: Math.max(...waits) };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
