/** One request that a command made to the network: what the log says about it. */
import { isIP, type Socket } from "node:net";
import type { NetworkRequested } from "../../policy/audit-sink.js";
import type { Target } from "./judge-target.js";

/** What the audit trail records, with the sandbox in place of the thread. */
export interface NetworkRequest extends Omit<NetworkRequested, "type" | "threadId"> {
  readonly sandboxId: string;
}

export type ReportRequest = (request: NetworkRequest) => void;

/** Names that a request brings itself are kept short in a log. */
const METHOD_CHARACTERS = 32;

/** A request under way. It is reported once, whatever becomes of it. */
export class Exchange {
  readonly #startedAt = performance.now();
  readonly #report: ReportRequest;
  #upstream: Socket | undefined;
  #allowedBy: string | undefined;
  #ended = false;

  constructor(
    readonly sandboxId: string,
    readonly method: string,
    readonly target: Target | undefined,
    report: ReportRequest,
  ) {
    this.#report = report;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The host has been reached over this connection. */
  reached(upstream: Socket, allowedBy: string): void {
    this.#upstream = upstream;
    this.#allowedBy = allowedBy;
  }

  end(verdict: NetworkRequest["verdict"] = "allowed", reason = this.#allowedBy ?? "stopped"): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#report({
      sandboxId: this.sandboxId,
      host: this.target?.host ?? "",
      port: this.target?.port ?? 0,
      method: this.method.slice(0, METHOD_CHARACTERS),
      verdict,
      reason,
      bytesIn: this.#upstream?.bytesRead ?? 0,
      bytesOut: this.#upstream?.bytesWritten ?? 0,
      milliseconds: Math.round(performance.now() - this.#startedAt),
    });
    this.#upstream?.destroy();
  }
}

/** Host and port as a URL has them. */
export const authorityOf = ({ host, port }: Target, defaultPort?: number): string => {
  const shown = isIP(host) === 6 ? `[${host}]` : host;
  return port === defaultPort ? shown : `${shown}:${port}`;
};
