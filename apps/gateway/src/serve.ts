/** Puts the gateway on a socket. */
import { once } from "node:events";
import type { Server } from "node:http";
import { DeerflowError } from "@deerflow/harness";
import { createAdaptorServer } from "@hono/node-server";
import { createApp } from "./app.js";
import type { GatewayDeps } from "./deps.js";

export interface GatewayAddress {
  /** Default 127.0.0.1: nobody else can reach the server. */
  readonly host?: string;
  /** Default 2026; 0 takes any free port. */
  readonly port?: number;
}

export interface RunningGateway {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  /** Takes no more requests and ends the open ones. The runs go on; their owner stops them. */
  close(): Promise<void>;
}

/**
 * @throws DeerflowError `port_taken`, `address_unusable`
 * @example const gateway = await startGateway(deps, { port: 0 });
 */
export async function startGateway(deps: GatewayDeps, address: GatewayAddress = {}): Promise<RunningGateway> {
  const { host = "127.0.0.1", port = 2026 } = address;
  const app = createApp(deps);
  // Without further options the adaptor makes a plain HTTP/1 server.
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  await listen(server, { host, port });
  return { url: urlOf(server, host), close: () => close(server) };
}

/** What the system says of an address that is none, none of this machine, or not for this user. */
const UNUSABLE: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "EADDRNOTAVAIL",
  "EAFNOSUPPORT",
  "EINVAL",
  "EACCES",
]);

async function listen(server: Server, address: { host: string; port: number }): Promise<void> {
  server.listen(address);
  try {
    await once(server, "listening");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "EADDRINUSE") throw new DeerflowError("port_taken", address, error);
    if (UNUSABLE.has(code)) throw new DeerflowError("address_unusable", { ...address, reason: code }, error);
    throw error;
  }
}

function urlOf(server: Server, host: string): string {
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  const name = host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
