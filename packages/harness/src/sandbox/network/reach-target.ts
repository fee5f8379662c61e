/** From a judged name to a connection with an address that was judged too. */
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { ABORTED, orAborted, withTimeLimit } from "../../base/abort.js";
import { judgeAddresses, judgeTarget, type Refusal, type Target } from "./judge-target.js";
import type { AllowEntry } from "./network-policy.js";

/** How names are looked up and addresses are called; replaced where a host has its own ways, and in tests. */
export interface NetworkReach {
  /** All addresses of a name; none or a rejection when there is none. */
  readonly lookup: (name: string) => Promise<readonly string[]>;
  /** Starts a connection to exactly this address. */
  readonly connect: (address: string, port: number) => Socket;
}

export const SYSTEM_REACH: NetworkReach = {
  lookup: async (name) => (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address),
  connect: (host, port) =>
    connect({ host, port, allowHalfOpen: true, noDelay: true, autoSelectFamily: false }),
};

const LOOKUP_SECONDS = 10;
const CONNECT_SECONDS = 10;

export type Reached =
  | { readonly upstream: Socket; readonly allowedBy: string }
  | { readonly refusal: Refusal };

/**
 * A name is looked up once; what is connected to is one of the answers that were judged, so that a resolver that
 * answers differently the next time gains nothing. Never rejects.
 */
export async function reachTarget(
  target: Target,
  allow: readonly AllowEntry[],
  reach: NetworkReach,
): Promise<Reached> {
  const judgement = judgeTarget(allow, target);
  if ("refusal" in judgement) return judgement;
  const addresses = await addressesOf(target, reach);
  const refusal = judgeAddresses(addresses, ownAddresses());
  if (refusal !== undefined) return { refusal };
  for (const address of addresses) {
    const upstream = await connected(() => reach.connect(address, target.port));
    if (upstream !== undefined) return { upstream, allowedBy: judgement.allowedBy };
  }
  return { refusal: { code: "not_connected" } };
}

async function addressesOf({ kind, host }: Target, { lookup }: NetworkReach): Promise<readonly string[]> {
  if (kind === "address") return [host];
  try {
    const found = await withTimeLimit(LOOKUP_SECONDS, undefined, (limit) => orAborted(lookup(host), limit));
    return found === ABORTED ? [] : found;
  } catch {
    return []; // Not found, or no resolver: the same for the one who asked.
  }
}

async function connected(start: () => Socket): Promise<Socket | undefined> {
  const sockets: Socket[] = [];
  try {
    const socket = start();
    sockets.push(socket);
    // Stays: an error after the connection must find somebody who listens.
    socket.on("error", () => undefined);
    await withTimeLimit(CONNECT_SECONDS, undefined, (signal) => once(socket, "connect", { signal }));
    return socket;
  } catch {
    sockets.forEach((socket) => socket.destroy());
    return undefined; // The next address may answer.
  }
}

const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
