/** Settings that are taken once at the start; all others hold from the next run on. */
import { isDeepStrictEqual } from "node:util";
import type { DeerflowConfig } from "./schema.js";

interface RestartRow {
  readonly setting: keyof DeerflowConfig;
  /** Why a running process cannot follow, as the end of the warning's sentence. */
  readonly because: string;
}

export const RESTART_REQUIRED: readonly RestartRow[] = [
  { setting: "log_level", because: "the logger is made at the start" },
  { setting: "sandbox", because: "the sandbox is probed and chosen at the start" },
  { setting: "database", because: "connections are opened at the start" },
  { setting: "checkpointer", because: "connections are opened at the start" },
  { setting: "store", because: "connections are opened at the start" },
  { setting: "identity", because: "who may do what must not change under a running request" },
  { setting: "gateway", because: "the server listens from the start on" },
];

/** The rows whose setting differs. Pure. */
export const restartNeeded = (before: DeerflowConfig, after: DeerflowConfig): readonly RestartRow[] =>
  RESTART_REQUIRED.filter(({ setting }) => !isDeepStrictEqual(before[setting], after[setting]));

/** `after`, but with the settings that need a restart as they were at the start. Pure. */
export function withoutRestart(before: DeerflowConfig, after: DeerflowConfig): DeerflowConfig {
  const kept = Object.fromEntries(RESTART_REQUIRED.map(({ setting }) => [setting, before[setting]]));
  return Object.freeze({ ...after, ...kept });
}
