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

export type AuditEvent = CommandAudited | ToolRefused;

export interface AuditSink {
  /** Resolves when the event is safe. A sink that rejects stops the call that it would have recorded. */
  record(event: AuditEvent): Promise<void>;
}

const COMMAND_CHARACTERS = 200;

/** Writes every event to the log: what passed as information, what did not as a warning; long commands cut. */
export const loggingAuditSink = (logger: Logger): AuditSink => ({
  async record({ type, ...facts }) {
    const harmless = "verdict" in facts && facts.verdict === "pass";
    const entry =
      "command" in facts ? { ...facts, command: facts.command.slice(0, COMMAND_CHARACTERS) } : facts;
    if (harmless) logger.info(type, entry);
    else logger.warn(type, entry);
  },
});
