/** Settings that are taken once at the start; all others hold from the next run on. */
import { isDeepStrictEqual } from "node:util";
import type { DeerflowConfig } from "./schema.js";

interface RestartRow {
  readonly setting: keyof DeerflowConfig;
  /** Why a running process cannot follow, as the end of the warning's sentence. */
  readonly because: string;
  /** What makes it hold besides a restart. */
  readonly or?: string;
  /** The keys of the section that a running process does follow. */
  readonly except?: readonly string[];
}

export const RESTART_REQUIRED: readonly RestartRow[] = [
  { setting: "log_level", because: "the logger is made at the start" },
  { setting: "sandbox", because: "the sandbox is probed and chosen at the start" },
  {
    setting: "database",
    because: "connections are opened at the start",
    or: "`deerflow database switch`",
    except: ["retention"],
  },
  { setting: "checkpointer", because: "connections are opened at the start" },
  { setting: "store", because: "connections are opened at the start" },
  { setting: "identity", because: "who may do what must not change under a running request" },
  { setting: "gateway", because: "the server listens from the start on" },
];

/** The rows whose setting differs. Pure. */
export const restartNeeded = (before: DeerflowConfig, after: DeerflowConfig): readonly RestartRow[] =>
  RESTART_REQUIRED.filter((row) => !isDeepStrictEqual(kept(row, before, after), after[row.setting]));

/** `after`, but with the settings that need a restart as they were at the start. Pure. */
export function withoutRestart(before: DeerflowConfig, after: DeerflowConfig): DeerflowConfig {
  const settings = Object.fromEntries(RESTART_REQUIRED.map((row) => [row.setting, kept(row, before, after)]));
  return Object.freeze({ ...after, ...settings });
}

/** What holds of a setting: as it was, but for the keys that a running process follows. */
function kept({ setting, except = [] }: RestartRow, before: DeerflowConfig, after: DeerflowConfig): unknown {
  if (except.length === 0) return before[setting];
  const followed = Object.entries(after[setting] ?? {}).filter(([key]) => except.includes(key));
  return Object.freeze({ ...Object(before[setting]), ...Object.fromEntries(followed) });
}
