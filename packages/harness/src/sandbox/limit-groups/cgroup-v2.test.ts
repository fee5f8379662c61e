/** Over a folder that imitates the files of the kernel. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../limits.js";
import { findCgroupV2 } from "./cgroup-v2.js";
import type { LimitGroups } from "./contract.js";

const OWN = "0::/services/deerflow\n";
let root: string;
let base: string;

/** A group in which this process is, with what the kernel offers and hands on. */
function imitate(files: Readonly<Record<string, string>>): void {
  mkdirSync(base, { recursive: true });
  writeFileSync(join(root, "cgroup.controllers"), "cpu memory pids");
  const all = {
    "cgroup.controllers": "cpu memory pids",
    "cgroup.subtree_control": "",
    "cgroup.procs": "",
    ...files,
  };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(base, name), text);
}

const remove = (path: string) => rmSync(path, { recursive: true });
/** As the kernel refuses to hand controllers on while a process is in the group. */
const busyWhileInhabited = (path: string, text: string) => {
  const inhabited = readFileSync(join(base, "cgroup.procs"), "utf8").trim() !== "";
  if (path === join(base, "cgroup.subtree_control") && inhabited) throw new Error("EBUSY");
  writeFileSync(path, text);
  if (path.endsWith("deerflow-host/cgroup.procs")) writeFileSync(join(base, "cgroup.procs"), "");
};
const find = () => findCgroupV2({ root, own: OWN, remove, write: busyWhileInhabited });

function found(): LimitGroups {
  const groups = find();
  if (typeof groups === "string") throw new Error(groups);
  return groups;
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "deerflow-cgroup-"));
  base = join(root, "services/deerflow");
});
afterEach(() => rmSync(root, { recursive: true }));

describe("control groups of version 2", () => {
  it("are made below the group of this process, with their limits, and taken away", async () => {
    imitate({ "cgroup.subtree_control": "cpu memory pids" });
    const group = found().open({ ...DEFAULT_LIMITS, memoryMebibytes: 64, processes: 20, processors: 2 });
    const [name = ""] = readdirSync(base).filter((entry) => entry.startsWith("deerflow."));
    const read = (file: string) => readFileSync(join(base, name, file), "utf8");
    expect([read("memory.max"), read("pids.max"), read("cpu.max")]).toEqual([
      String(64 * 1024 * 1024),
      "22",
      "200000 100000",
    ]);
    expect(existsSync(join(base, name, "memory.swap.max"))).toBe(false);
    expect(group.descriptors).toHaveLength(1);
    await group.close();
    expect(existsSync(join(base, name))).toBe(false);
    await group.close();
  });

  it("say which limits were hit", async () => {
    imitate({ "cgroup.subtree_control": "memory pids" });
    const group = found().open(DEFAULT_LIMITS);
    const [name = ""] = readdirSync(base).filter((entry) => entry.startsWith("deerflow."));
    expect(group.hits()).toEqual([]);
    writeFileSync(join(base, name, "memory.events"), "low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\n");
    expect(group.hits()).toEqual(["memory"]);
    writeFileSync(join(base, name, "pids.events"), "max 3\n");
    expect(group.hits()).toEqual(["memory", "processes"]);
    await group.close();
  });

  it("are switched on where no process is in the way", () => {
    imitate({});
    found();
    expect(readFileSync(join(base, "cgroup.subtree_control"), "utf8")).toBe("+memory +pids +cpu");
  });

  it("are switched on after this process has stepped aside, when it is alone", () => {
    imitate({ "cgroup.procs": `${process.pid}\n` });
    found();
    expect(readFileSync(join(base, "deerflow-host/cgroup.procs"), "utf8")).toBe("0");
    expect(readFileSync(join(base, "cgroup.subtree_control"), "utf8")).toBe("+memory +pids +cpu");
  });

  it("are not used where other processes would have to be moved", () => {
    imitate({ "cgroup.procs": `1\n${process.pid}\n` });
    expect(find()).toBe(
      "its controllers are not handed on to groups below this process's, in which other processes are too",
    );
    expect(readdirSync(base)).not.toContain("deerflow-host");
    expect(readFileSync(join(base, "cgroup.subtree_control"), "utf8")).toBe("");
  });

  it("leave no trace where the controllers cannot be handed on at all", () => {
    imitate({ "cgroup.procs": `${process.pid}\n` });
    const write = (path: string, text: string) => {
      if (path.endsWith("subtree_control")) throw new Error("EACCES");
      writeFileSync(path, text);
    };
    expect(findCgroupV2({ root, own: OWN, remove, write })).toBe(
      "this process may not hand its controllers on to groups below its own",
    );
    expect(readdirSync(base)).not.toContain("deerflow-host");
  });

  it("are not used without the controllers, or without the file system", () => {
    imitate({ "cgroup.controllers": "cpu" });
    expect(find()).toBe("it has no memory and no pids controller here");
    rmSync(join(base, "cgroup.controllers"));
    rmSync(join(root, "cgroup.controllers"));
    expect(find()).toBe("this system has none");
  });

  it("are looked for where the old kind is mounted beside them, and in a container at the top", () => {
    mkdirSync(join(root, "unified"));
    for (const [name, text] of [
      ["cgroup.controllers", "memory pids"],
      ["cgroup.subtree_control", "memory pids"],
    ] as const) {
      writeFileSync(join(root, "unified", name), text);
    }
    const groups = findCgroupV2({ root, own: "0::/docker/abc\n", remove });
    expect(groups).toMatchObject({ tier: "cgroup v2" });
  });

  it("of processes that have ended are taken away", () => {
    imitate({ "cgroup.subtree_control": "memory pids" });
    mkdirSync(join(base, "deerflow.999999.1.7"));
    mkdirSync(join(base, "somebody-else"));
    found();
    expect(readdirSync(base)).toContain("somebody-else");
    expect(readdirSync(base)).not.toContain("deerflow.999999.1.7");
  });
});
