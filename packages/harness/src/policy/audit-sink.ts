/** Where security-relevant events go. Today a log; a durable audit trail implements the same interface. */
import type { Logger } from "../base/logger.js";

/** A shell command was judged, and ran unless the verdict is `block`. */
export interface CommandAudited {
  readonly type: "command.audited";
  readonly threadId: string;
  readonly command: string;
  readonly verdict: "pass" | "warn" | "block";
  /** Rules that spoke, in the order of the command. */
  readonly ruleIds: readonly string[];
}

/** A tool call was refused by a gate, with the code of the refusal. */
export interface ToolRefused {
  readonly type: "tool.refused";
  readonly threadId: string;
  readonly toolName: string;
  readonly code: string;
}

/** A command in a sandbox with an allow list asked for something on the network; the request has ended. */
export interface NetworkRequested {
  readonly type: "network.requested";
  readonly threadId: string;
  /** Empty where the request named none that could be understood; then the port is 0. */
  readonly host: string;
  readonly port: number;
  readonly method: string;
  readonly verdict: "allowed" | "refused";
  /** The entry of the allow list, or the code of the refusal and what it found. */
  readonly reason: string;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly milliseconds: number;
}

export type AuditEvent = CommandAudited | ToolRefused | NetworkRequested;

export interface AuditSink {
  /** Resolves when the event is safe. A sink that rejects stops the call that it would have recorded. */
  record(event: AuditEvent): Promise<void>;
}

const COMMAND_CHARACTERS = 200;
const HARMLESS: readonly string[] = ["pass", "allowed"];

/** Writes every event to the log: what passed as information, what did not as a warning; long commands cut. */
export const loggingAuditSink = (logger: Logger): AuditSink => ({
  async record({ type, ...facts }) {
    const harmless = "verdict" in facts && HARMLESS.includes(facts.verdict);
    const entry =
      "command" in facts ? { ...facts, command: facts.command.slice(0, COMMAND_CHARACTERS) } : facts;
    if (harmless) logger.info(type, entry);
    else logger.warn(type, entry);
  },
});
