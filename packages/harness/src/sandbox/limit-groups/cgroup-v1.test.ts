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
import { findCgroupV1 } from "./cgroup-v1.js";

const OWN = "8:pids:/\n4:memory:/user/me\n1:cpu,cpuacct:/\n0::/\n";
let root: string;
const remove = (path: string) => rmSync(path, { recursive: true });
const find = (own = OWN) => findCgroupV1({ root, own, remove });
const folders = () =>
  readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) => /deerflow\.[^/]*$/.test(path));

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "deerflow-cgroup-"));
  for (const path of ["memory/user/me", "pids", "cpu,cpuacct"])
    mkdirSync(join(root, path), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

describe("control groups of version 1", () => {
  it("are made in every tree below the group of this process there, and taken away", async () => {
    const groups = find();
    if (typeof groups === "string") throw new Error(groups);
    const group = groups.open({ ...DEFAULT_LIMITS, memoryMebibytes: 64, processes: 20, processors: 1 });
    const read = (tree: string, file: string) =>
      readFileSync(join(root, folders().find((path) => path.startsWith(tree)) ?? "", file), "utf8");
    expect([
      read("memory/user/me/", "memory.limit_in_bytes"),
      read("pids/", "pids.max"),
      read("cpu,cpuacct/", "cpu.cfs_quota_us"),
    ]).toEqual([String(64 * 1024 * 1024), "22", "100000"]);
    expect(group.descriptors).toHaveLength(3);
    expect(group.hits()).toEqual([]);
    writeFileSync(join(root, folders()[0] ?? "", "pids.events"), "max 0\n");
    const memory = folders().find((path) => path.startsWith("memory/")) ?? "";
    writeFileSync(join(root, memory, "memory.oom_control"), "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
    expect(group.hits()).toEqual(["memory"]);
    await group.close();
    expect(folders()).toEqual([]);
  });

  it("leave processors alone where nothing limits them", async () => {
    const groups = find();
    if (typeof groups === "string") throw new Error(groups);
    const group = groups.open(DEFAULT_LIMITS);
    expect(
      folders()
        .map((path) => path.split("/")[0])
        .toSorted(),
    ).toEqual(["memory", "pids"]);
    await group.close();
  });

  it("leave nothing behind when one of them cannot be made", () => {
    const groups = find();
    if (typeof groups === "string") throw new Error(groups);
    rmSync(join(root, "pids"), { recursive: true });
    expect(() => groups.open(DEFAULT_LIMITS)).toThrow("ENOENT");
    expect(folders()).toEqual([]);
  });

  it("are not used where a tree is missing", () => {
    rmSync(join(root, "memory"), { recursive: true });
    expect(find()).toBe("it has no memory controller here");
    expect(find("0::/\n")).toBe("it has no memory and no pids controller here");
  });

  it("are made at the top where the path is one of the host outside the container", () => {
    expect(find("8:pids:/docker/abc\n4:memory:/docker/abc\n")).toMatchObject({ tier: "cgroup v1" });
    expect(existsSync(join(root, "memory/docker"))).toBe(false);
  });
});
