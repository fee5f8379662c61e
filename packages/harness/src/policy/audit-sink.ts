/** Where security-relevant events go. Today a log; a durable audit trail implements the same interface. */
import type { Logger } from "../base/logger.js";

/**
 * What the audit did about a command. The event is written before the tool is called, so that nothing runs that is not
 * written down: `allowed` and `asked-and-approved` commands go to the tool, which may still refuse its arguments.
 */
export type CommandOutcome =
  | "allowed"
  | "refused"
  | "asked-and-approved"
  | "asked-and-rejected"
  /** A person answered in the command's place. */
  | "asked-and-answered"
  | "denied-because-nobody-can-be-asked";

/** A shell command was judged. */
export interface CommandAudited {
  readonly type: "command.audited";
  readonly threadId: string;
  readonly runId?: string;
  readonly toolCallId?: string;
  /** Without what looks like a secret; one that was refused because it is too long is cut. */
  readonly command: string;
  readonly verdict: "pass" | "warn" | "ask" | "block";
  /** With `audit_only`, everything runs and the verdict says what it would have been. */
  readonly mode: "enforce" | "audit_only";
  readonly outcome: CommandOutcome;
  /** Rules that spoke, in the order of the command. */
  readonly ruleIds: readonly string[];
  /** Rules that would have spoken and are switched off; absent where there are none. */
  readonly switchedOff?: readonly string[];
  /** The part of the command that decided; absent where nothing spoke. */
  readonly span?: { readonly start: number; readonly end: number };
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
  /** `CONNECT` for everything encrypted. */
  readonly method: string;
  /** What the policy says. `allowed` also where the host was not found or did not answer. */
  readonly verdict: "allowed" | "refused";
  /** The entry of the allow list, or the code of the refusal and what it found. */
  readonly reason: string;
  /** Bytes from the host. */
  readonly bytesIn: number;
  /** Bytes to the host. */
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
