/** The harness's log, as a person at a terminal wants it: what deserves attention, in one line each. */
import { lineLogger, type Logger } from "@deerflow/harness";
import type { Output } from "./output.js";

/** With `debug` every entry as a JSON line. */
export function terminalLogger(output: Output, debug: boolean): Logger {
  if (debug) return lineLogger("debug", (line) => output.note(`${line}\n`));
  const note = (message: string): void => output.note(output.colors.dim(`! ${message}\n`));
  return { debug: () => undefined, info: () => undefined, warn: note, error: note };
}
