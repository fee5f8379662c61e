/** What commands may reach of the network, as the operator wrote it. */
import { isIPv6 } from "node:net";
import { DeerflowError } from "../../base/errors.js";
import { addressClass } from "./address-class.js";
import { canonicalHost } from "./canonical-host.js";

/** `none` is the default. `allow_list` lets requests to the named hosts through a proxy that logs each. */
export type NetworkPolicy =
  | { readonly mode: "none" }
  | { readonly mode: "allow_list"; readonly allow: readonly string[] }
  | { readonly mode: "open" };

/** One entry of an allow list, understood. */
export interface AllowEntry {
  /** As it was written. */
  readonly entry: string;
  /** A name in lower-case ASCII or an address; of `*.example.com` the part behind the star. */
  readonly host: string;
  /** Every name below `host`, at any depth, but not `host` itself. */
  readonly below: boolean;
  readonly ports: readonly number[];
}

/** Where an entry names no port. */
export const DEFAULT_PORTS = [80, 443] as const;
const HIGHEST_PORT = 65_535;

/**
 * Understands a list of `example.com`, `*.example.com`, `example.com:8443`, and public addresses
 * (`93.184.216.34`, `[2606:2800::1]:443`). Names may be international. Pure.
 *
 * @throws DeerflowError `network_policy_invalid` for the first entry that is none of these
 */
export const allowEntries = (allow: readonly string[]): readonly AllowEntry[] => allow.map(allowEntry);

/**
 * A policy whose entries are all understood. Pure.
 *
 * @throws DeerflowError `network_policy_invalid`, also for a list that nothing would hold to
 */
export function networkPolicy(written: {
  readonly mode: NetworkPolicy["mode"];
  readonly allow?: readonly string[];
}): NetworkPolicy {
  const allow = written.allow ?? [];
  allowEntries(allow);
  if (written.mode === "allow_list") return { mode: "allow_list", allow };
  if (written.mode === "open" && allow[0] !== undefined) {
    throw invalid(allow[0], "the mode open does not hold to a list; the mode allow_list does");
  }
  return { mode: written.mode };
}

function allowEntry(entry: string): AllowEntry {
  if (entry.includes("://")) throw invalid(entry, "it is a URL; only the host is written, as in example.com");
  if (/[/?#@]/.test(entry))
    throw invalid(entry, "only a host and a port can be allowed, no path and no user");
  const below = entry.startsWith("*.");
  const { host: text, port } = split(below ? entry.slice(2) : entry);
  if (text.includes("*")) throw invalid(entry, "a star may only stand at the beginning, as in *.example.com");
  const found = canonicalHost(text);
  if (found === undefined) throw invalid(entry, "it is no host name and no address");
  if (port !== undefined && !(port >= 1 && port <= HIGHEST_PORT)) throw invalid(entry, "its port is no port");
  if (found.kind === "address") checkAddress(entry, found.host, below);
  else checkName(entry, found.host);
  return { entry, host: found.host, below, ports: port === undefined ? DEFAULT_PORTS : [port] };
}

/** Port 0 stands for what is written as one and is none. */
function split(text: string): { readonly host: string; readonly port: number | undefined } {
  const match = /^(?<host>\[[^\]]*\]|[^:[\]]*):(?<port>.*)$/.exec(isIPv6(text) ? "" : text);
  const { host, port } = match?.groups ?? {};
  if (host === undefined || port === undefined) return { host: text, port: undefined };
  return { host, port: /^[1-9]\d{0,4}$/.test(port) ? Number(port) : 0 };
}

function checkAddress(entry: string, address: string, below: boolean): void {
  if (below) throw invalid(entry, "an address has no names below it");
  const kind = addressClass(address);
  if (kind !== "public") throw invalid(entry, `it is a ${kind} address, and only public ones can be allowed`);
}

function checkName(entry: string, name: string): void {
  if (!name.includes(".")) throw invalid(entry, "the name of a public host has a dot in it");
  if (/(^|\.)localhost$/.test(name)) throw invalid(entry, "it is this machine itself");
}

const invalid = (entry: string, reason: string): DeerflowError =>
  new DeerflowError("network_policy_invalid", { entry, reason });
