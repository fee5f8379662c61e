/** What every {@link RunEventStore} must keep. A new backend is done when this passes. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Clock } from "../base/clock.js";
import type { Principal } from "../context/principal.js";
import type { NewRunEvent, RunEventStore } from "../persistence/contract.js";
import type { OpenedStores } from "./opened-stores.js";

const ANNA: Principal = { tenantId: "1", userId: "10" };
const BERT: Principal = { tenantId: "1", userId: "11" };
const OTHER_TENANT: Principal = { tenantId: "2", userId: "10" };

const event = (eventType: string, runId = "r1"): NewRunEvent => ({
  runId,
  eventType,
  content: { text: `${eventType} 🦌`, list: [1, null, true] },
});

/** Runs the contract's tests against what `open` gives; each test opens its own, empty. */
export function runEventStoreSuite(name: string, open: (clock: Clock) => Promise<OpenedStores>): void {
  describe(`${name} keeps the RunEventStore contract`, () => {
    let persistence: OpenedStores;
    let events: RunEventStore;
    const seqs = async (threadId: string) =>
      (await events.list(ANNA, threadId, { limit: 10_000 })).map(({ seq }) => seq);

    beforeEach(async () => {
      persistence = await open({ now: () => 7_000 });
      events = persistence.events;
      for (const threadId of ["t1", "t2"]) await persistence.threads.create(ANNA, { threadId });
    });
    afterEach(() => persistence.close());

    it("gives back events whole, in the order in which they were appended", async () => {
      const first = await events.append(ANNA, "t1", [
        event("run.start"),
        { ...event("message.ai"), metadata: { model: "m" } },
      ]);
      expect(first).toBe(1);
      expect(await events.list(ANNA, "t1", { limit: 10 })).toEqual([
        { seq: 1, ...event("run.start"), metadata: {}, createdAt: 7_000 },
        { seq: 2, ...event("message.ai"), metadata: { model: "m" }, createdAt: 7_000 },
      ]);
    });

    it("gives back every character as it was", async () => {
      const odd = { ...event("message.ai"), content: 'zero \0, half \ud800, "quotes", \\ and 🦌' };
      await events.append(ANNA, "t1", [odd]);
      expect((await events.list(ANNA, "t1", { limit: 1 }))[0]?.content).toBe(odd.content);
    });

    it("counts from 1 in each thread, without gaps", async () => {
      expect(await events.append(ANNA, "t1", [event("a"), event("b")])).toBe(1);
      expect(await events.append(ANNA, "t2", [event("a")])).toBe(1);
      expect(await events.append(ANNA, "t1", [event("c")])).toBe(3);
      expect(await seqs("t1")).toEqual([1, 2, 3]);
      expect(await seqs("t2")).toEqual([1]);
    });

    it("keeps the batches of concurrent writers whole and leaves no gap", async () => {
      const batches = Array.from({ length: 20 }, (_, run) => [event("a", `r${run}`), event("b", `r${run}`)]);
      const firsts = await Promise.all(batches.map((batch) => events.append(ANNA, "t1", batch)));
      expect(firsts.sort((a, b) => a - b)).toEqual(batches.map((_, index) => index * 2 + 1));
      const stored = await events.list(ANNA, "t1", { limit: 100 });
      expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
      for (let at = 0; at < 40; at += 2) expect(stored[at]?.runId).toBe(stored[at + 1]?.runId);
    });

    it("appends more events than fit into one statement", async () => {
      await events.append(
        ANNA,
        "t1",
        Array.from({ length: 5_000 }, () => event("a")),
      );
      expect(await seqs("t1")).toHaveLength(5_000);
    });

    it("lists what follows a seq, of one run, of some types, up to a limit", async () => {
      await events.append(ANNA, "t1", [
        event("run.start"),
        event("message.ai", "r2"),
        event("message.ai"),
        event("run.end"),
      ]);
      const list = async (query: Parameters<RunEventStore["list"]>[2]) =>
        (await events.list(ANNA, "t1", query)).map(({ seq }) => seq);
      expect(await list({ afterSeq: 2, limit: 10 })).toEqual([3, 4]);
      expect(await list({ afterSeq: 4, limit: 10 })).toEqual([]);
      expect(await list({ limit: 2 })).toEqual([1, 2]);
      expect(await list({ limit: 10, runId: "r2" })).toEqual([2]);
      expect(await list({ limit: 10, eventTypes: ["run.start", "run.end"] })).toEqual([1, 4]);
      expect(await list({ limit: 10, eventTypes: [] })).toEqual([]);
    });

    it("hides the events of a thread from other users and other tenants", async () => {
      await events.append(ANNA, "t1", [event("secret")]);
      for (const stranger of [BERT, OTHER_TENANT]) {
        expect(await events.list(stranger, "t1", { limit: 10 })).toEqual([]);
      }
      expect(await events.append(OTHER_TENANT, "t1", [event("own")])).toBe(1);
    });
  });
}
