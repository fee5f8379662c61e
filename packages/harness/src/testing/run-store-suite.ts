/** What every {@link RunStore} must keep. A new backend is done when this passes. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Clock } from "../base/clock.js";
import type { Principal } from "../context/principal.js";
import type { NewRun, RunRecord, RunStore } from "../persistence/contract.js";
import type { OpenedStores } from "./opened-stores.js";

const ANNA: Principal = { tenantId: "1", userId: "10" };
const BERT: Principal = { tenantId: "1", userId: "11" };
const OTHER_TENANT: Principal = { tenantId: "2", userId: "10" };

const newRun = (runId: string, threadId = "t1"): NewRun => ({
  runId,
  threadId,
  assistantId: "lead_agent",
  multitaskStrategy: "enqueue",
  onDisconnect: "continue",
  request: { input: { messages: [{ role: "user", content: "emoji 🦌" }] }, streamMode: ["values"] },
  metadata: { source: "web" },
  owner: "here/1/1",
});

/** Runs the contract's tests against what `open` gives; each test opens its own, empty. */
export function runStoreSuite(name: string, open: (clock: Clock) => Promise<OpenedStores>): void {
  describe(`${name} keeps the RunStore contract`, () => {
    let now: number;
    let persistence: OpenedStores;
    let runs: RunStore;

    beforeEach(async () => {
      now = 1_000;
      persistence = await open({ now: () => now });
      runs = persistence.runs;
      for (const threadId of ["t1", "t2"]) await persistence.threads.create(ANNA, { threadId });
    });
    afterEach(() => persistence.close());

    it("adds a pending run with its whole request and finds it again", async () => {
      const expected: RunRecord = {
        ...newRun("r1"),
        status: "pending",
        epoch: 0,
        createdAt: 1_000,
        updatedAt: 1_000,
      };
      expect(await runs.create(ANNA, newRun("r1"))).toEqual(expected);
      expect(await runs.find(ANNA, "t1", "r1")).toEqual(expected);
    });

    it("puts another request in the place of a running run's, and of no other", async () => {
      const light = { input: { messages: [{ role: "user", content: "by address" }] } };
      await runs.create(ANNA, newRun("r1"));
      const run = { threadId: "t1", runId: "r1", epoch: 1 };
      expect(await runs.replaceRequest(ANNA, run, light)).toBe(false);
      await runs.claim(ANNA, "t1", "r1");
      for (const stranger of [BERT, OTHER_TENANT])
        expect(await runs.replaceRequest(stranger, run, light)).toBe(false);
      expect(await runs.replaceRequest(ANNA, { ...run, epoch: 0 }, light)).toBe(false);
      expect((await runs.find(ANNA, "t1", "r1"))?.request).toEqual(newRun("r1").request);
      expect(await runs.replaceRequest(ANNA, run, light)).toBe(true);
      expect(await runs.find(ANNA, "t1", "r1")).toMatchObject({
        request: light,
        status: "running",
        epoch: 1,
      });
      await runs.finish(ANNA, run, { status: "success" });
      expect(await runs.replaceRequest(ANNA, run, {})).toBe(false);
    });

    it("hides a run from other users, other tenants and other threads, in every method", async () => {
      await runs.create(ANNA, newRun("r1"));
      for (const stranger of [BERT, OTHER_TENANT]) {
        expect(await runs.find(stranger, "t1", "r1")).toBeUndefined();
        expect(await runs.list(stranger, "t1", { limit: 10, offset: 0 })).toEqual([]);
        expect(await runs.claim(stranger, "t1", "r1")).toBeUndefined();
        const outcome = { status: "success" } as const;
        expect(await runs.finish(stranger, { threadId: "t1", runId: "r1", epoch: 0 }, outcome)).toBe(false);
      }
      expect(await runs.find(ANNA, "t2", "r1")).toBeUndefined();
      expect((await runs.find(ANNA, "t1", "r1"))?.status).toBe("pending");
    });

    it("lists the newest first, page by page, also those of one moment", async () => {
      for (const runId of ["r3", "r1", "r2"]) await runs.create(ANNA, newRun(runId));
      await runs.create(ANNA, newRun("elsewhere", "t2"));
      const list = async (limit: number, offset: number) =>
        (await runs.list(ANNA, "t1", { limit, offset })).map(({ runId }) => runId);
      expect(await list(10, 0)).toEqual(["r2", "r1", "r3"]);
      expect(await list(1, 1)).toEqual(["r1"]);
    });

    it("lets exactly one of many claim a pending run, and raises its epoch", async () => {
      await runs.create(ANNA, newRun("r1"));
      now = 2_000;
      const claims = await Promise.all(Array.from({ length: 8 }, () => runs.claim(ANNA, "t1", "r1")));
      expect(claims.filter((claim) => claim !== undefined)).toEqual([
        { ...newRun("r1"), status: "running", epoch: 1, createdAt: 1_000, updatedAt: 2_000 },
      ]);
    });

    it("lets one run of a thread run at a time, and runs of other threads beside it", async () => {
      for (const run of [newRun("r1"), newRun("r2"), newRun("r3", "t2")]) await runs.create(ANNA, run);
      expect((await runs.claim(ANNA, "t1", "r1"))?.status).toBe("running");
      expect(await runs.claim(ANNA, "t1", "r2")).toBeUndefined();
      expect((await runs.claim(ANNA, "t2", "r3"))?.status).toBe("running");
      await runs.finish(ANNA, { threadId: "t1", runId: "r1", epoch: 1 }, { status: "success" });
      expect((await runs.claim(ANNA, "t1", "r2"))?.status).toBe("running");
    });

    it("keeps the first of two outcomes", async () => {
      await runs.create(ANNA, newRun("r1"));
      await runs.claim(ANNA, "t1", "r1");
      now = 5_000;
      const run = { threadId: "t1", runId: "r1", epoch: 1 };
      expect(
        await runs.finish(ANNA, run, { status: "timeout", error: "too slow", stopReason: "clock" }),
      ).toBe(true);
      expect(await runs.finish(ANNA, run, { status: "success" })).toBe(false);
      expect(await runs.find(ANNA, "t1", "r1")).toEqual({
        ...newRun("r1"),
        status: "timeout",
        epoch: 1,
        error: "too slow",
        stopReason: "clock",
        createdAt: 1_000,
        updatedAt: 5_000,
      });
    });

    it("refuses the outcome of a stale epoch", async () => {
      await runs.create(ANNA, newRun("r1"));
      await runs.claim(ANNA, "t1", "r1");
      const stale = { threadId: "t1", runId: "r1", epoch: 0 };
      expect(await runs.finish(ANNA, stale, { status: "success" })).toBe(false);
      expect((await runs.find(ANNA, "t1", "r1"))?.status).toBe("running");
    });

    it("knows whether a run is still held by whoever claimed it", async () => {
      await runs.create(ANNA, newRun("r1"));
      const fence = { threadId: "t1", runId: "r1", epoch: 1 };
      expect(await runs.holds(ANNA, fence)).toBe(false);
      await runs.claim(ANNA, "t1", "r1");
      expect(await runs.holds(ANNA, fence)).toBe(true);
      expect(await runs.holds(ANNA, { ...fence, epoch: 0 })).toBe(false);
      for (const stranger of [BERT, OTHER_TENANT]) expect(await runs.holds(stranger, fence)).toBe(false);
      await runs.finish(ANNA, fence, { status: "success" });
      expect(await runs.holds(ANNA, fence)).toBe(false);
    });

    it("keeps an error whatever characters it has", async () => {
      await runs.create(ANNA, newRun("r1"));
      const run = { threadId: "t1", runId: "r1", epoch: 0 };
      await runs.finish(ANNA, run, { status: "error", error: "zero \0, half \ud800, whole 🦌" });
      expect((await runs.find(ANNA, "t1", "r1"))?.error).toBe("zero \ufffd, half \ufffd, whole 🦌");
    });

    it("finishes a run that was never picked up", async () => {
      await runs.create(ANNA, newRun("r1"));
      const run = { threadId: "t1", runId: "r1", epoch: 0 };
      expect(await runs.finish(ANNA, run, { status: "interrupted" })).toBe(true);
      expect(await runs.claim(ANNA, "t1", "r1")).toBeUndefined();
    });

    it("ends what dead processes left unfinished, of every tenant, and nothing else", async () => {
      await persistence.threads.create(OTHER_TENANT, { threadId: "t1" });
      await runs.create(ANNA, newRun("done"));
      await runs.finish(ANNA, { threadId: "t1", runId: "done", epoch: 0 }, { status: "success" });
      await runs.create(ANNA, newRun("waiting"));
      await runs.create(OTHER_TENANT, newRun("busy"));
      await runs.claim(OTHER_TENANT, "t1", "busy");
      await persistence.threads.create(ANNA, { threadId: "t3" });
      await runs.create(ANNA, { ...newRun("elsewhere", "t3"), owner: "alive" });
      const outcome = { status: "error", error: "The server stopped." } as const;
      const isAlive = (owner: string): boolean => owner === "alive";
      const ended = await runs.reconcile(outcome, isAlive);
      const names = ended.map(({ principal, run }) => [principal, run.runId, run.status, run.error] as const);
      expect(names.sort((a, b) => (a[1] < b[1] ? -1 : 1))).toEqual([
        [OTHER_TENANT, "busy", "error", "The server stopped."],
        [ANNA, "waiting", "error", "The server stopped."],
      ]);
      expect((await runs.find(ANNA, "t1", "done"))?.status).toBe("success");
      expect((await runs.find(ANNA, "t3", "elsewhere"))?.status).toBe("pending");
      expect(await runs.reconcile(outcome, isAlive)).toEqual([]);
    });

    it("lists the unfinished runs of a thread, oldest first", async () => {
      for (const runId of ["first", "second", "third"]) await runs.create(ANNA, newRun(runId));
      await runs.claim(ANNA, "t1", "first");
      await runs.finish(ANNA, { threadId: "t1", runId: "second", epoch: 0 }, { status: "interrupted" });
      expect((await runs.unfinished(ANNA, "t1")).map((run) => run.runId)).toEqual(["first", "third"]);
      expect(await runs.unfinished(BERT, "t1")).toEqual([]);
    });
  });
}
