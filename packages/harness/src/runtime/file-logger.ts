/** A logger whose lines are kept in a file. */
import { appendFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../base/make-folder.js";
import { lineLogger, type Logger, type LogLevel } from "../base/logger.js";

/**
 * Appends one JSON line per entry; makes the folder and the file, for the owner only, at the first.
 * @throws what the disk says, at the entry that cannot be written
 */
export function fileLogger(path: string, level: LogLevel): Logger {
  let made = false;
  return lineLogger(level, (line) => {
    if (!made) makeFolder(dirname(path));
    made = true;
    appendFileSync(path, `${line}\n`, { mode: 0o600 });
  });
}
