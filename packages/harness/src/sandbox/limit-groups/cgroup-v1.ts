/** Groups of the old kind, where memory, processes and processors have a tree each. */
import { existsSync } from "node:fs";
import { join } from "node:path";
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

export interface ControlGroupOptions {
  /** Where the control group file systems lie, `/sys/fs/cgroup`. */
  readonly root: string;
  /** The text of `/proc/self/cgroup`. */
  readonly own: string;
  readonly remove?: RemoveFolder;
  /** How a file of the kernel's is written. */
  readonly write?: (path: string, text: string) => void;
}

const CONTROLLERS = ["memory", "pids", "cpu"] as const;
type Controller = (typeof CONTROLLERS)[number];

/** Writing there moves one thread, and the one that writes has no other; `cgroup.procs` may wait for all processors. */
const ENTRANCE = "tasks";

function settingsOf(controller: Controller, limits: CommandLimits): readonly Setting[] {
  if (controller === "pids") return [{ file: "pids.max", value: String(limits.processes + SPARE_PROCESSES) }];
  if (controller === "cpu") {
    return [
      { file: "cpu.cfs_period_us", value: String(CPU_PERIOD_MICROSECONDS) },
      { file: "cpu.cfs_quota_us", value: String(limits.processors * CPU_PERIOD_MICROSECONDS) },
    ];
  }
  const bytes = String(limits.memoryMebibytes * MEBIBYTE);
  return [
    { file: "memory.limit_in_bytes", value: bytes },
    // Memory and swap together; only some kernels count it.
    { file: "memory.memsw.limit_in_bytes", value: bytes, mayMiss: true },
  ];
}

/** The groups, or why there can be none, as the end of a sentence. */
export function findCgroupV1({ root, own, remove }: ControlGroupOptions): LimitGroups | string {
  const bases = Object.fromEntries(
    CONTROLLERS.map((controller) => [controller, baseOf(root, own, controller)]),
  ) as Record<Controller, string | undefined>;
  const missing = (["memory", "pids"] as const).filter((controller) => bases[controller] === undefined);
  if (missing.length > 0) return `it has no ${missing.join(" and no ")} controller here`;
  for (const base of Object.values(bases)) if (base !== undefined) sweepGroups(base, remove);
  return { tier: "cgroup v1", open: (limits) => openGroup(bases, limits, remove) };
}

function openGroup(
  bases: Readonly<Record<Controller, string | undefined>>,
  limits: CommandLimits,
  remove: RemoveFolder | undefined,
): LimitGroup {
  const name = groupName();
  const folders = new Map<Controller, ControlFolder>();
  const close = async () => {
    await Promise.all([...folders.values()].map((folder) => folder.close()));
  };
  try {
    for (const controller of CONTROLLERS) {
      const base = bases[controller];
      if (base === undefined || (controller === "cpu" && limits.processors === 0)) continue;
      folders.set(
        controller,
        new ControlFolder(join(base, name), ENTRANCE, settingsOf(controller, limits), remove),
      );
    }
  } catch (error) {
    void close();
    throw error;
  }
  return {
    descriptors: [...folders.values()].map(({ entrance }) => entrance),
    wrap: entering,
    hits: () => [
      ...((folders.get("memory")?.count("memory.oom_control", "oom_kill") ?? 0) > 0
        ? ["memory" as const]
        : []),
      ...((folders.get("pids")?.count("pids.events", "max") ?? 0) > 0 ? ["processes" as const] : []),
    ],
    close,
  };
}

/** The group of this process in one tree: below it, its own limits hold too. */
function baseOf(root: string, own: string, controller: Controller): string | undefined {
  // number:controllers:path
  const line = own.split("\n").map((text) => text.split(":"));
  const [, names, ...path] =
    line.find(([, controllers]) => controllers?.split(",").includes(controller)) ?? [];
  if (names === undefined) return undefined;
  const tree = [join(root, names), join(root, controller)].find((folder) => existsSync(folder));
  if (tree === undefined) return undefined;
  // In a container the path is the host's, and what is mounted is the group itself.
  return [join(tree, path.join(":")), tree].find((folder) => existsSync(folder));
}
