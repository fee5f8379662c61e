import type { MigrationReport, ThreadReport } from "@deerflow/harness/persistence";
import { describe, expect, it } from "vitest";
import { progressLine, summaryOf } from "./checkpoints-migrate.js";

const thread: ThreadReport = {
  scope: "local",
  threadId: "t1",
  status: "copied",
  counts: { checkpoints: 12, writes: 3 },
  bytes: 2048,
  digests: { source: "a", target: "a" },
};

const report: MigrationReport = {
  version: 1,
  from: "/old.db",
  to: "postgres://me@db:5432/app",
  dryRun: false,
  status: "done",
  startedAt: "2026-01-01T00:00:00.000Z",
  totals: { threads: 3, copied: 2, updated: 0, unchanged: 1, conflict: 0, failed: 0, bytes: 2048 },
  threads: [thread],
};
const to = { backend: "postgres", url: "postgres://me:secret-word@db/app" } as const;

describe("what a migration says", () => {
  it("is a line for each thread", () => {
    expect(progressLine({ done: 1, total: 3, thread })).toBe("[1/3] copied    t1  12 checkpoints, 2 KB\n");
  });

  it("names why a thread was not moved, and runs that go on, with nothing in it that a terminal obeys", () => {
    const line = progressLine({
      done: 2,
      total: 3,
      thread: { ...thread, status: "conflict", bytes: 0, unfinishedRuns: ["r"], reason: "bad \u001b[31mred" },
    });
    expect(line).toContain("(a run of it is not over): bad ");
    expect(line).not.toContain("\u001b");
  });

  it("ends with what to write into config.yaml, without the password", () => {
    const text = summaryOf(report, to);
    expect(text).toContain("Of 3 threads: 2 copied, 0 brought up to date, 1 there already");
    expect(text).toContain("Then write into config.yaml: database: {backend: postgres");
    expect(text).not.toContain("secret-word");
  });

  it("does not tell to use the target when not everything is there", () => {
    for (const status of ["incomplete", "cancelled"] as const) {
      expect(summaryOf({ ...report, status }, to)).not.toContain("config.yaml");
    }
    expect(summaryOf({ ...report, dryRun: true }, to)).not.toContain("config.yaml");
  });
});
