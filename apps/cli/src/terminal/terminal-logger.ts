/** The harness's log, as a person at a terminal wants it: what deserves attention, in one line each. */
import { lineLogger, type Logger } from "@deerflow/harness";
import type { Output } from "./output.js";

export interface TerminalLog {
  /** Every entry, as a JSON line. */
  readonly debug: boolean;
  /** Entries with facts too (requests, runs): somebody watches a server. Who runs one task sees them as its result. */
  readonly operator: boolean;
}

export function terminalLogger(output: Output, { debug, operator }: TerminalLog): Logger {
  if (debug) return lineLogger("debug", (line) => output.note(`${line}\n`));
  const note = (message: string, facts: Readonly<Record<string, unknown>> = {}): void => {
    const known = Object.entries(facts).map(([name, value]) => `${name}: ${String(value)}`);
    if (known.length > 0 && !operator) return;
    const details = known.length === 0 ? "" : ` (${known.join(", ")})`;
    output.note(output.colors.dim(`! ${message}${details}\n`));
  };
  return { debug: () => undefined, info: () => undefined, warn: note, error: note };
}
