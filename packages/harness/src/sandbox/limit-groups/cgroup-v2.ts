/** Groups of the present kind, one tree for all controllers. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ControlGroupOptions } from "./cgroup-v1.js";
import type { CommandLimits } from "../limits.js";
import type { LimitGroup, LimitGroups } from "./contract.js";
import {
  ControlFolder,
  entering,
  groupName,
  type RemoveFolder,
  type Setting,
  sweepGroups,
} from "./control-folder.js";
import { CPU_PERIOD_MICROSECONDS, MEBIBYTE, SPARE_PROCESSES } from "./group-numbers.js";

const NEEDED = ["memory", "pids"] as const;
const WANTED = [...NEEDED, "cpu"] as const;
const ENTRANCE = "cgroup.procs";
/** Where this process moves to, when its group must be without processes to have limited groups below it. */
const OWN_LEAF = "deerflow-host";

/** The groups, or why there can be none, as the end of a sentence. */
export function findCgroupV2({
  root,
  own,
  remove = rmdirSync,
  write = writeFileSync,
}: ControlGroupOptions): LimitGroups | string {
  const tree = [root, join(root, "unified")].find((folder) => existsSync(join(folder, "cgroup.controllers")));
  if (tree === undefined) return "this system has none";
  // 0::path; in a container the path may be the host's, and what is mounted is the group itself.
  const path = /^0::(.*)$/m.exec(own)?.[1] ?? "/";
  const base =
    [join(tree, path), tree].find((folder) => existsSync(join(folder, "cgroup.controllers"))) ?? tree;
  const offered = words(join(base, "cgroup.controllers"));
  const missing = NEEDED.filter((controller) => !offered.includes(controller));
  if (missing.length > 0) return `it has no ${missing.join(" and no ")} controller here`;
  const controllers = WANTED.filter((controller) => offered.includes(controller));
  const reason = enable(base, controllers, { remove, write });
  if (reason !== undefined) return reason;
  sweepGroups(base, remove);
  const hasCpu = words(join(base, "cgroup.subtree_control")).includes("cpu");
  return { tier: "cgroup v2", open: (limits) => openGroup(base, limits, hasCpu, remove) };
}

function openGroup(base: string, limits: CommandLimits, hasCpu: boolean, remove: RemoveFolder): LimitGroup {
  const folder = new ControlFolder(join(base, groupName()), ENTRANCE, settingsOf(limits, hasCpu), remove);
  return {
    descriptors: [folder.entrance],
    wrap: entering,
    hits: () => [
      ...(folder.count("memory.events", "oom_kill") > 0 ? ["memory" as const] : []),
      ...(folder.count("pids.events", "max") > 0 ? ["processes" as const] : []),
    ],
    close: () => folder.close(),
  };
}

const settingsOf = (limits: CommandLimits, hasCpu: boolean): readonly Setting[] => [
  { file: "memory.max", value: String(limits.memoryMebibytes * MEBIBYTE) },
  // Only some kernels swap.
  { file: "memory.swap.max", value: "0", mayMiss: true },
  { file: "pids.max", value: String(limits.processes + SPARE_PROCESSES) },
  ...(hasCpu && limits.processors > 0
    ? [
        {
          file: "cpu.max",
          value: `${limits.processors * CPU_PERIOD_MICROSECONDS} ${CPU_PERIOD_MICROSECONDS}`,
        },
      ]
    : []),
];

const words = (path: string): readonly string[] => {
  try {
    return readFileSync(path, "utf8").split(/\s+/).filter(Boolean);
  } catch {
    return [];
  }
};

const isOn = (base: string): boolean => {
  const on = words(join(base, "cgroup.subtree_control"));
  return NEEDED.every((controller) => on.includes(controller));
};

/**
 * Lets groups below `base` have limits. The kernel allows that only where no process is in `base` itself, so this
 * process steps aside, and only when it is alone there: it moves nobody else.
 * @returns why it cannot be
 */
function enable(
  base: string,
  controllers: readonly string[],
  { remove, write }: Required<Pick<ControlGroupOptions, "remove" | "write">>,
): string | undefined {
  const written = (path: string, text: string) => succeeds(() => write(path, text));
  if (isOn(base)) return undefined;
  const control = join(base, "cgroup.subtree_control");
  const value = controllers.map((controller) => `+${controller}`).join(" ");
  if (written(control, value)) return undefined;
  const members = words(join(base, ENTRANCE));
  if (members.length !== 1 || members[0] !== String(process.pid)) {
    return "its controllers are not handed on to groups below this process's, in which other processes are too";
  }
  const leaf = join(base, OWN_LEAF);
  const didMove = succeeds(() => mkdirSync(leaf)) && written(join(leaf, ENTRANCE), "0");
  if (didMove && written(control, value)) return undefined;
  if (didMove) written(join(base, ENTRANCE), "0");
  if (existsSync(leaf)) remove(leaf);
  return "this process may not hand its controllers on to groups below its own";
}

function succeeds(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
