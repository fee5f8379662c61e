import { expect, it } from "vitest";
import { DEFAULT_LIMITS, limitLines } from "./limits.js";

it("writes one ulimit line a limit, in the units of bash", () => {
  expect(
    limitLines({ ...DEFAULT_LIMITS, cpuSeconds: 7, memoryMebibytes: 3, processes: 9 }).split("\n"),
  ).toEqual([
    "ulimit -t 7 2>/dev/null",
    "ulimit -d 3072 2>/dev/null",
    "ulimit -v 33554432 2>/dev/null",
    "ulimit -f 1048576 2>/dev/null",
    "ulimit -n 1024 2>/dev/null",
    "ulimit -u 9 2>/dev/null",
    "ulimit -c 0 2>/dev/null",
  ]);
});

it("knows what a plain shell counts and calls otherwise", () => {
  const lines = limitLines({ ...DEFAULT_LIMITS, processes: 9 }, "sh").split("\n");
  expect(lines).toContain("ulimit -f 2097152 2>/dev/null");
  expect(lines).toContain("ulimit -u 9 2>/dev/null || ulimit -p 9 2>/dev/null");
});
