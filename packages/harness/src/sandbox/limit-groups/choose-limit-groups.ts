/** The best way to keep commands in bounds that works on this machine, tried for real. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { DEFAULT_LIMITS } from "../limits.js";
import { type ControlGroupOptions, findCgroupV1 } from "./cgroup-v1.js";
import { findCgroupV2 } from "./cgroup-v2.js";
import type { LimitGroups } from "./contract.js";
import { limitsSentence, type PassedOver } from "./limit-sentences.js";
import { PROCESS_LIMITS } from "./process-limits.js";

export interface ChosenLimits {
  readonly groups: LimitGroups;
  /** One sentence: what is used, and why nothing better is. */
  readonly sentence: string;
}

export interface ChooseOptions extends Partial<ControlGroupOptions> {
  /** Host user of the commands. */
  readonly identity?: { readonly uid: number; readonly gid: number } | undefined;
}

const FINDERS = [
  { tier: "cgroup v2", find: findCgroupV2 },
  { tier: "cgroup v1", find: findCgroupV1 },
] as const;

const FIRST_DESCRIPTOR = 3;

/** Never throws: without control groups, limits of single processes remain. */
export async function chooseLimitGroups(options: ChooseOptions = {}): Promise<ChosenLimits> {
  const passedOver: PassedOver[] = [];
  for (const { tier, find } of FINDERS) {
    const found = await tried(() => find(controlGroups(options)), options.identity);
    if (typeof found !== "string") return { groups: found, sentence: limitsSentence(tier, passedOver) };
    passedOver.push({ tier, reason: found });
  }
  return { groups: PROCESS_LIMITS, sentence: limitsSentence(PROCESS_LIMITS.tier, passedOver) };
}

const controlGroups = ({ root = "/sys/fs/cgroup", own, remove }: ChooseOptions): ControlGroupOptions => ({
  root,
  own: own ?? readFileSync("/proc/self/cgroup", "utf8"),
  ...(remove === undefined ? {} : { remove }),
});

/** The groups when a program starts in one, or why not. */
async function tried(
  find: () => LimitGroups | string,
  identity: ChooseOptions["identity"],
): Promise<LimitGroups | string> {
  try {
    const groups = find();
    if (typeof groups === "string") return groups;
    return (await startsInside(groups, identity)) ? groups : "no program could be started inside one";
  } catch {
    return "this process may not make groups there";
  }
}

async function startsInside(groups: LimitGroups, identity: ChooseOptions["identity"]): Promise<boolean> {
  const group = groups.open(DEFAULT_LIMITS);
  try {
    const numbers = group.descriptors.map((_, index) => FIRST_DESCRIPTOR + index);
    const { file, arguments: rest } = group.wrap({ file: "/bin/sh", arguments: ["-c", "exit 0"] }, numbers);
    const child = spawn(file, rest, {
      stdio: ["ignore", "ignore", "ignore", ...group.descriptors],
      ...identity,
    });
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve(code === 0));
    });
  } finally {
    await group.close();
  }
}
