/** What every command gets: the process's surroundings as values, so that tests can give their own. */
import type { HostOptions } from "@deerflow/harness";
import { terminalLogger } from "./terminal/terminal-logger.js";
import type { Output } from "./terminal/output.js";

export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Of this package. */
  readonly version: string;
  readonly output: Output;
  /** Calls `listener` at each Ctrl-C; returns what takes it back. */
  onInterrupt(listener: () => void): () => void;
}

/** Options that stand before every command. */
export interface GlobalOptions {
  readonly config?: string;
  readonly debug?: boolean;
}

export const hostOptions = (
  { env, cwd, output }: CommandContext,
  { config, debug = false }: GlobalOptions,
  operator = false,
): HostOptions => ({
  env,
  cwd,
  logger: terminalLogger(output, { debug, operator }),
  ...(config === undefined ? {} : { configPath: config }),
});
