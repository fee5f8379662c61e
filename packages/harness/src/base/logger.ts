/** Where the harness says what is worth knowing but is no failure. */
export interface Logger {
  debug(message: string, facts?: Readonly<Record<string, unknown>>): void;
  info(message: string, facts?: Readonly<Record<string, unknown>>): void;
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void;
  error(message: string, facts?: Readonly<Record<string, unknown>>): void;
}

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A logger that writes one JSON line per entry through `write`, at `level` and above. */
export function lineLogger(level: LogLevel, write: (line: string) => void): Logger {
  const log =
    (entry: LogLevel) =>
    (message: string, facts: Readonly<Record<string, unknown>> = {}) => {
      if (LOG_LEVELS.indexOf(entry) < LOG_LEVELS.indexOf(level)) return;
      write(JSON.stringify({ time: new Date().toISOString(), level: entry, message, ...facts }));
    };
  return { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
}

/** Says nothing: the default of every constructor that takes a logger. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
