import type { ThreadStats, VerifyReport } from "@deerflow/harness/persistence";
import { describe, expect, it } from "vitest";
import { pruningsFor, threadText, verdictText } from "./checkpoints.js";

const DAY = 24 * 60 * 60 * 1000;

describe("what is pruned", () => {
  const kept = { keep_last: 1000, keep_days: 0 };

  it("is what the options say, both limits together, and else what the configuration says, each by itself", () => {
    expect(pruningsFor({ keepLast: "5", olderThan: "2" }, kept)).toEqual([
      { keepLast: 5, olderThan: 2 * DAY },
    ]);
    expect(pruningsFor({ olderThan: "0" }, kept)).toEqual([{ keepLast: undefined, olderThan: 0 }]);
    expect(pruningsFor({}, kept)).toEqual([{ keepLast: 1000 }]);
    expect(pruningsFor({}, { keep_last: 9, keep_days: 3 })).toEqual([
      { keepLast: 9 },
      { olderThan: 3 * DAY },
    ]);
  });

  it("must be said somewhere, in whole numbers", () => {
    expect(() => pruningsFor({}, { keep_last: 0, keep_days: 0 })).toThrow(/--keep-last/);
    for (const keepLast of ["0", "-1", "1.5", "many", ""]) {
      expect(() => pruningsFor({ keepLast }, kept)).toThrow(/not a whole number from 1 on/);
    }
    expect(() => pruningsFor({ olderThan: "1d" }, kept)).toThrow(/--older-than 1d is not a whole number/);
  });
});

it("tells of a thread in one line, and of a named one everything", () => {
  const stats: ThreadStats = {
    threadId: "t\u001b[2J",
    rows: { checkpoints: 3, writes: 4, values: 5, messages: 6, parts: 1 },
    bytes: { checkpoints: 10, writes: 20, values: 30, messages: 40, parts: 2000, total: 2100 },
    channels: [{ channel: "files", values: 2, writes: 1, bytes: 45 }],
    largest: [
      { kind: "part", name: "1", of: "image/png", bytes: 2000 },
      { kind: "message", name: "2", of: "", bytes: 30 },
    ],
    oldest: undefined,
    newest: undefined,
  };
  const line = threadText(stats, false);
  expect(line).toMatch(/ {2}2\.1 kB {2}3 checkpoints, 6 messages, 1 parts\n$/);
  expect(line).not.toContain("\u001b");
  const whole = threadText(stats, true);
  expect(whole).toContain("  messages           40 B  6\n");
  expect(whole).toContain("        45 B  files\n");
  expect(whole).toContain("      2.0 kB  part 1 (image/png)\n        30 B  message 2\n");
});

it("tells what is damaged, and what to do", () => {
  const report: VerifyReport = {
    threadId: "t1",
    exists: true,
    findings: [{ kind: "missing", row: "value 3", text: "it refers to messages that are not stored: 7" }],
    rows: { checkpoints: 0, writes: 0, values: 0, messages: 0, parts: 0 },
    orphans: { values: 0, messages: 0, parts: 0, writes: 0 },
  };
  expect(verdictText(2, [])).toBe("2 threads are sound\n");
  expect(verdictText(2, [report])).toBe(
    "t1\n  missing  value 3: it refers to messages that are not stored: 7\n" +
      "1 of 2 threads are damaged. Put a backup of the database in its place, or delete them with `deerflow threads delete ID`.\n",
  );
});
