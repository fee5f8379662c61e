/** What is said about limits, to a person who looks at the health and to a model whose command met one. */
import type { CommandLimits } from "../limits.js";
import type { LimitHit, LimitTier } from "./contract.js";

/** Why a better tier is not used, as the end of a sentence. */
export interface PassedOver {
  readonly tier: LimitTier;
  readonly reason: string;
}

const WHAT: Readonly<Record<LimitTier, string>> = {
  "cgroup v2": "A control group (cgroup v2) keeps each command's memory, processes and processors in bounds",
  "cgroup v1": "Control groups (cgroup v1) keep each command's memory, processes and processors in bounds",
  "process limits": "Limits of each single process keep memory and processor time in bounds",
};

/** One sentence. */
export function limitsSentence(tier: LimitTier, passedOver: readonly PassedOver[]): string {
  const because = passedOver.map((better) => `${better.tier} is not used because ${better.reason}`);
  return `${[WHAT[tier], ...because].join("; ")}.`;
}

const NOTICES: Readonly<Record<LimitHit, (limits: CommandLimits) => string>> = {
  memory: ({ memoryMebibytes }) =>
    `The system ended a part of it because it used more than ${memoryMebibytes} MiB of memory.`,
  processes: ({ processes }) => `It could not have more than ${processes} processes and threads at once.`,
};

export const limitNotices = (hits: readonly LimitHit[], limits: CommandLimits): readonly string[] =>
  hits.map((hit) => NOTICES[hit](limits));
