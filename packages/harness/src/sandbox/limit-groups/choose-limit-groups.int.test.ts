import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../limits.js";
import { chooseLimitGroups } from "./choose-limit-groups.js";

const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;

const chosen = await chooseLimitGroups();
const isGrouped = chosen.groups.tier !== "process limits";
if (!isGrouped) process.stderr.write(`Control groups are not tested: ${chosen.sentence}\n`);

describe("the choice of limits", () => {
  it("falls back to limits of single processes, and says why", async () => {
    const root = mkdtempSync(join(tmpdir(), "deerflow-cgroup-"));
    const { groups, sentence } = await chooseLimitGroups({ root, own: "0::/\n" });
    expect(groups.tier).toBe("process limits");
    expect(sentence).toBe(
      "Limits of each single process keep memory and processor time in bounds; cgroup v2 is not used because this system has none; cgroup v1 is not used because it has no memory and no pids controller here.",
    );
    const program = { file: "/bin/true", arguments: ["x"] };
    expect(groups.open(DEFAULT_LIMITS).wrap(program, [])).toBe(program);
    rmSync(root, { recursive: true });
  });

  it
    .skipIf(!isGrouped)
    .each([["this user", undefined], ...(isRoot ? [["an ordinary user", NOBODY] as const] : [])] as const)(
    "starts a program of %s inside, and is told when it forks too much",
    async (_who, identity) => {
      const { groups } = await chooseLimitGroups({ identity });
      expect(groups.tier).toBe(chosen.groups.tier);
      const group = groups.open({ ...DEFAULT_LIMITS, processes: 8 });
      const script =
        "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sleep 5 & done 2>/dev/null; kill $(jobs -p)";
      const { file, arguments: rest } = group.wrap(
        { file: "/bin/sh", arguments: ["-c", script] },
        group.descriptors.map((_, index) => 3 + index),
      );
      const child = spawn(file, rest, {
        stdio: ["ignore", "ignore", "ignore", ...group.descriptors],
        ...identity,
      });
      await new Promise((resolve) => child.once("close", resolve));
      expect(group.hits()).toEqual(["processes"]);
      await group.close();
    },
  );
});
