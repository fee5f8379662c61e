/** What every command gets: the process's surroundings as values, so that tests can give their own. */
import type { HostOptions } from "@deerflow/harness";
import type { Output } from "./terminal/output.js";

export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly output: Output;
  /** Calls `listener` at each Ctrl-C; returns what takes it back. */
  onInterrupt(listener: () => void): () => void;
}

/** Options that stand before every command. */
export interface GlobalOptions {
  readonly config?: string;
  readonly debug?: boolean;
}

export const hostOptions = ({ env, cwd }: CommandContext, { config }: GlobalOptions): HostOptions => ({
  env,
  cwd,
  ...(config === undefined ? {} : { configPath: config }),
});
