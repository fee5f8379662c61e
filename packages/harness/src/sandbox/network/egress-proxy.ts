/**
 * The one way out of a sandbox with an allow list: an HTTP proxy of the host on a UNIX socket. Requests to named
 * hosts go through, over addresses that were looked at; every request is reported, also a refused one.
 */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { chmodSync, chownSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { ownedFolder, sweepAbandoned } from "../owned-names.js";
import { canonicalAuthority } from "./canonical-host.js";
import { forwardRequest, tunnel } from "./forward-request.js";
import { answerTo, type Refusal, type Target } from "./judge-target.js";
import type { AllowEntry } from "./network-policy.js";
import { authorityOf, Exchange, type NetworkRequest } from "./network-request.js";
import { type NetworkReach, reachTarget, type Reached } from "./reach-target.js";

export interface EgressOptions {
  readonly sandboxId: string;
  readonly allow: readonly AllowEntry[];
  readonly reach: NetworkReach;
  /** Told of every request when it has ended. After a rejection no further request is let through. */
  readonly onRequest?: (request: NetworkRequest) => void | Promise<void>;
  /** Host user that may connect; only the caller's own when absent. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  readonly limits?: Partial<EgressLimits>;
}

export interface EgressLimits {
  /** Bytes of the head of one request. */
  readonly headBytes: number;
  /** Connections at once; one more is closed without an answer. */
  readonly connections: number;
  /** Milliseconds until a connection over which nothing comes is closed. */
  readonly idleMilliseconds: number;
  /** Milliseconds for the head of a request. */
  readonly headMilliseconds: number;
}

export const EGRESS_LIMITS: EgressLimits = Object.freeze({
  headBytes: 32 * 1024,
  connections: 64,
  idleMilliseconds: 300_000,
  headMilliseconds: 20_000,
});

/** Name of the socket in the proxy's folder. */
export const EGRESS_SOCKET = "egress.sock";

const MARK = "egress-";

const ORIGIN = /^http:\/\/(?<authority>[^/?#]*)(?<path>[/?][^#]*)?$/i;
const HTTP_PORT = 80;

export class EgressProxy {
  readonly #options: EgressOptions;
  readonly #limits: EgressLimits;
  readonly #server: Server;
  readonly #folder: string;
  readonly #clients = new Set<Duplex>();
  readonly #exchanges = new Set<Exchange>();
  readonly #reports = new Set<Promise<void>>();
  #logFailed = false;

  private constructor(options: EgressOptions, folder: string) {
    this.#options = options;
    this.#limits = { ...EGRESS_LIMITS, ...options.limits };
    this.#folder = folder;
    this.#server = this.#listener();
  }

  /** Takes away the folders of proxies whose process was killed. */
  static sweep(): void {
    sweepAbandoned(MARK, undefined, [EGRESS_SOCKET]);
  }

  /** @throws the system's error when no socket can be made */
  static async open(options: EgressOptions): Promise<EgressProxy> {
    const folder = ownedFolder(MARK);
    const proxy = new EgressProxy(options, folder);
    try {
      await proxy.#listen(join(folder, EGRESS_SOCKET));
      return proxy;
    } catch (error) {
      await proxy.close();
      throw error;
    }
  }

  /** The host folder that holds the socket and nothing else. */
  get folder(): string {
    return this.#folder;
  }

  /** Ends every connection; resolves when every request has been reported. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const exchange of this.#exchanges) exchange.end();
    for (const client of this.#clients) client.destroy();
    await closed;
    await Promise.all(this.#reports);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #listener(): Server {
    const server = createServer({
      maxHeaderSize: this.#limits.headBytes,
      headersTimeout: this.#limits.headMilliseconds,
      connectionsCheckingInterval: Math.min(this.#limits.headMilliseconds, 1000),
      requestTimeout: 0, // Uploads may be long; the idle time limits them.
      requireHostHeader: false,
    });
    server.maxConnections = this.#limits.connections;
    server.setTimeout(this.#limits.idleMilliseconds);
    server.on("connection", (client) => this.#hold(client));
    server.on("clientError", (error, client) => this.#malformed(error, client));
    server.on("connect", (request, client, head) =>
      this.#guard(client, this.#connect(request, client, head)),
    );
    const plain = (request: IncomingMessage, response: ServerResponse) =>
      this.#guard(request.socket, this.#plain(request, response));
    // With a listener of their own, these two get no answer before they are judged.
    for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, plain);
    return server;
  }

  async #listen(path: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(path, () => resolve());
    });
    const { owner } = this.#options;
    chmodSync(path, 0o600);
    if (owner === undefined) return;
    for (const owned of [path, this.#folder]) chownSync(owned, owner.uid, owner.gid);
  }

  /** Every connection has somebody who listens to its errors, whoever reads from it at the time. */
  #hold(client: Socket): void {
    this.#clients.add(client);
    client.on("error", () => undefined);
    client.on("close", () => this.#clients.delete(client));
  }

  /** What nobody thought of ends one connection, not the host. */
  #guard(client: Duplex, work: Promise<void>): void {
    work.catch(() => client.destroy());
  }

  async #connect(request: IncomingMessage, client: Duplex, head: Uint8Array): Promise<void> {
    const target = canonicalAuthority(request.url ?? "");
    const exchange = this.#exchange(request, target);
    const reached = await this.#reach(isSound(request, target, target?.port) ? target : undefined, exchange);
    if ("refusal" in reached) {
      client.end(refusalHead(this.#refuse(exchange, reached.refusal)));
      return;
    }
    await tunnel(client, head, reached.upstream, this.#limits.idleMilliseconds);
    exchange.end();
  }

  async #plain(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authority = "", path = "/" } = ORIGIN.exec(request.url ?? "")?.groups ?? {};
    const target = canonicalAuthority(authority, HTTP_PORT);
    const exchange = this.#exchange(request, target);
    const reached = await this.#reach(isSound(request, target, HTTP_PORT) ? target : undefined, exchange);
    if ("refusal" in reached || target === undefined) {
      const { status, sentence } = this.#refuse(exchange, "refusal" in reached ? reached.refusal : INVALID);
      const body = `${sentence}\n`;
      const headers = { "Content-Type": "text/plain", "Content-Length": body.length, Connection: "close" };
      response.writeHead(status, sentence, headers).end(body);
      return;
    }
    const to = { authority: authorityOf(target, HTTP_PORT), path: path.startsWith("?") ? `/${path}` : path };
    await forwardRequest(request, response, reached.upstream, to);
    exchange.end();
  }

  async #reach(target: Target | undefined, exchange: Exchange): Promise<Reached> {
    if (target === undefined) return { refusal: INVALID };
    if (this.#logFailed) return { refusal: { code: "log_failed" } };
    const reached = await reachTarget(target, this.#options.allow, this.#options.reach);
    if (!("upstream" in reached)) return reached;
    exchange.reached(reached.upstream, reached.allowedBy);
    // The proxy was closed in the meantime, and the request reported.
    if (exchange.ended) reached.upstream.destroy();
    return reached;
  }

  #exchange(request: IncomingMessage, target: Target | undefined): Exchange {
    const exchange = new Exchange(this.#options.sandboxId, request.method ?? "", target, (event) => {
      this.#exchanges.delete(exchange);
      this.#report(event);
    });
    this.#exchanges.add(exchange);
    return exchange;
  }

  #refuse(exchange: Exchange, refusal: Refusal) {
    const answer = answerTo(refusal, exchange.target ?? { host: "", port: 0 });
    exchange.end(answer.verdict, answer.reason);
    return answer;
  }

  #report(event: NetworkRequest): void {
    const told = (async () => this.#options.onRequest?.(event))().catch(() => {
      this.#logFailed = true;
    });
    this.#reports.add(told);
    void told.finally(() => this.#reports.delete(told));
  }

  /** Called for what is no HTTP, and also for connections that broke; only the first is a request. */
  #malformed(error: NodeJS.ErrnoException, client: Duplex): void {
    if (error.code?.startsWith("HPE_") === true) {
      const exchange = new Exchange(this.#options.sandboxId, "", undefined, (event) => this.#report(event));
      if (client.writable) client.write(refusalHead(this.#refuse(exchange, INVALID)));
    }
    client.destroy();
  }
}

const INVALID: Refusal = { code: "request_invalid" };

/** Whether what the request says of its host agrees with where it goes. One that says two things is up to something. */
function isSound(
  { rawHeaders, httpVersionMajor }: IncomingMessage,
  target: Target | undefined,
  defaultPort: number | undefined,
): boolean {
  const named = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "host",
  );
  if (httpVersionMajor !== 1 || named.length > 1) return false;
  const [only] = named;
  if (only === undefined) return true;
  const host = canonicalAuthority(only, defaultPort);
  return host?.host === target?.host && host?.port === target?.port;
}

/** Programs show the line of the status and not what follows, so the sentence is said in both. */
function refusalHead({ status, sentence }: { readonly status: number; readonly sentence: string }): string {
  const body = `${sentence}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Refused"}: ${sentence}`,
    "Content-Type: text/plain",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
