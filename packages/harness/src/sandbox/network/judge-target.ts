/** May a command's request go there? Decisions only; nothing here touches the network. */
import { addressClass, sameAddress } from "./address-class.js";
import type { CanonicalHost } from "./canonical-host.js";
import type { AllowEntry } from "./network-policy.js";

export interface Target extends CanonicalHost {
  readonly port: number;
}

/** Why a request was not answered by the host that it was for. */
export type RefusalCode =
  | "request_invalid"
  | "host_not_allowed"
  | "port_not_allowed"
  | "address_not_public"
  | "log_failed"
  | "name_not_found"
  | "not_connected";

export interface Refusal {
  readonly code: RefusalCode;
  /** What the log says behind the code. */
  readonly detail?: string;
}

export type Judgement = { readonly allowedBy: string } | { readonly refusal: Refusal };

/** By name and port, before anything is looked up. Pure. */
export function judgeTarget(allow: readonly AllowEntry[], { kind, host, port }: Target): Judgement {
  if (kind === "address" && addressClass(host) !== "public") return notPublic(addressClass(host));
  const entries = allow.filter((entry) => names(entry, host));
  const entry = entries.find(({ ports }) => ports.includes(port));
  if (entry !== undefined) return { allowedBy: entry.entry };
  return { refusal: { code: entries.length === 0 ? "host_not_allowed" : "port_not_allowed" } };
}

/**
 * By what the name stands for. One answer that is not public refuses all: a resolver that mixes them is set up to
 * lead inside. The host's own addresses count as inside, for its services may trust what comes from itself. Pure.
 */
export function judgeAddresses(addresses: readonly string[], own: readonly string[]): Refusal | undefined {
  if (addresses.length === 0) return { code: "name_not_found" };
  const inside = addresses.find((address) => addressClass(address) !== "public");
  if (inside !== undefined) return notPublic(addressClass(inside)).refusal;
  const isOwn = (address: string) => own.some((mine) => sameAddress(mine, address));
  return addresses.some(isOwn) ? notPublic("the host's own").refusal : undefined;
}

const names = ({ host, below }: AllowEntry, asked: string): boolean =>
  below ? asked.endsWith(`.${host}`) : asked === host;

const notPublic = (detail: string) => ({ refusal: { code: "address_not_public", detail } }) as const;

interface Answer {
  readonly status: number;
  /** Whether the policy had let it pass: then the network failed, not the command. */
  readonly allowed: boolean;
  readonly sentence: (target: string) => string;
}

const SETTING = "sandbox.network.allow";

const ANSWERS: Readonly<Record<RefusalCode, Answer>> = {
  request_invalid: {
    status: 400,
    allowed: false,
    sentence: () =>
      "The proxy of the sandbox takes http://host/path and CONNECT host:port, and nothing odd in them.",
  },
  host_not_allowed: {
    status: 403,
    allowed: false,
    sentence: (target) =>
      `${target} is not on the sandbox's allow list. The operator can add it to ${SETTING}.`,
  },
  port_not_allowed: {
    status: 403,
    allowed: false,
    sentence: (target) =>
      `The allow list has this host, but not its port. The operator can add ${target} to ${SETTING}.`,
  },
  address_not_public: {
    status: 403,
    allowed: false,
    sentence: (target) =>
      `${target} is inside the host's network. Commands reach public addresses only; no setting changes that.`,
  },
  log_failed: {
    status: 503,
    allowed: false,
    sentence: () => "The log of network requests cannot be written, so none is let through.",
  },
  name_not_found: {
    status: 502,
    allowed: true,
    sentence: (target) => `${target} is allowed, but its name was not found.`,
  },
  not_connected: {
    status: 502,
    allowed: true,
    sentence: (target) => `${target} is allowed, but did not take the connection.`,
  },
};

/** What a program inside is told, and how it is logged. Pure. */
export function answerTo({ code, detail }: Refusal, target: Pick<Target, "host" | "port">) {
  const { status, allowed, sentence } = ANSWERS[code];
  const host = target.host.includes(":") ? `[${target.host}]` : target.host;
  const shown = target.port === 80 || target.port === 443 ? host : `${host}:${target.port}`;
  return {
    status,
    sentence: sentence(shown),
    verdict: allowed ? ("allowed" as const) : ("refused" as const),
    reason: detail === undefined ? code : `${code}: ${detail}`,
  };
}
