/** What keeps all processes of a command together in bounds: one group a command. */
import type { CommandLimits } from "../limits.js";

/** Best first. */
export const LIMIT_TIERS = ["cgroup v2", "cgroup v1", "process limits"] as const;
export type LimitTier = (typeof LIMIT_TIERS)[number];

export type LimitHit = "memory" | "processes";

export interface Program {
  readonly file: string;
  readonly arguments: readonly string[];
}

export interface LimitGroup {
  /**
   * Descriptors of this process that the started program needs. The group closes them.
   * Empty where nothing has to be done to start inside.
   */
  readonly descriptors: readonly number[];
  /**
   * What to start so that `program` starts inside the group, under the same process number. It fails, with a
   * line on standard error, when it cannot enter.
   * @param numbers under which the program gets the descriptors, each of one digit
   */
  wrap(program: Program, numbers: readonly number[]): Program;
  /** Which limits stood in the command's way so far. */
  hits(): readonly LimitHit[];
  /** Takes the group away, once its processes have ended; what still runs in it is killed. Never throws. */
  close(): Promise<void>;
}

export interface LimitGroups {
  readonly tier: LimitTier;
  /** @throws the system's error when a group cannot be made */
  open(limits: CommandLimits): LimitGroup;
}
