/** What every {@link ThreadStore} must keep. A new backend is done when this passes. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Clock } from "../base/clock.js";
import type { JsonObject } from "../base/json.js";
import type { Principal } from "../context/principal.js";
import type { ThreadRecord, ThreadStore } from "../persistence/contract.js";
import type { OpenedStores } from "./opened-stores.js";

const ANNA: Principal = { tenantId: "1", userId: "10" };
/** Of Anna's tenant. */
const BERT: Principal = { tenantId: "1", userId: "11" };
const OTHER_TENANT: Principal = { tenantId: "2", userId: "10" };

const everything = { limit: 100, offset: 0 };
const manyKeys = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));
const idsOf = (threads: readonly ThreadRecord[]) => threads.map(({ threadId }) => threadId);

/** Runs the contract's tests against what `open` gives; each test opens its own, empty. */
export function threadStoreSuite(name: string, open: (clock: Clock) => Promise<OpenedStores>): void {
  describe(`${name} keeps the ThreadStore contract`, () => {
    let now: number;
    let persistence: OpenedStores;
    let threads: ThreadStore;

    beforeEach(async () => {
      now = 1_000;
      persistence = await open({ now: () => now });
      threads = persistence.threads;
    });
    afterEach(() => persistence.close());

    it("creates an idle thread and finds it again", async () => {
      const expected: ThreadRecord = {
        threadId: "t1",
        status: "idle",
        metadata: { team: "north", "emoji 🦌": [1, null, { a: true }] },
        values: {},
        createdAt: 1_000,
        updatedAt: 1_000,
      };
      const created = await threads.create(ANNA, { threadId: "t1", metadata: expected.metadata });
      expect(created).toEqual({ thread: expected, created: true });
      expect(await threads.find(ANNA, "t1")).toEqual(expected);
    });

    it("returns the thread unchanged to whoever creates it again", async () => {
      const { thread } = await threads.create(ANNA, { threadId: "t1", metadata: { first: 1 } });
      now = 2_000;
      expect(await threads.create(ANNA, { threadId: "t1", metadata: { second: 2 } })).toEqual({
        thread,
        created: false,
      });
    });

    it("creates a thread once when many ask for it at the same time", async () => {
      const all = await Promise.all(
        Array.from({ length: 8 }, () => threads.create(ANNA, { threadId: "t1" })),
      );
      expect(all.filter(({ created }) => created)).toHaveLength(1);
    });

    it("hides a thread from other users and other tenants, in every method", async () => {
      await threads.create(ANNA, { threadId: "t1", metadata: { secret: "blue-77" } });
      for (const stranger of [BERT, OTHER_TENANT]) {
        expect(await threads.find(stranger, "t1")).toBeUndefined();
        expect(await threads.search(stranger, everything)).toEqual([]);
        expect(await threads.update(stranger, "t1", { status: "error" })).toBeUndefined();
        expect(await threads.remove(stranger, "t1")).toBe(false);
      }
      expect((await threads.find(ANNA, "t1"))?.status).toBe("idle");
    });

    it("gives an id out once per tenant, and again in another tenant", async () => {
      await threads.create(ANNA, { threadId: "t1" });
      await expect(threads.create(BERT, { threadId: "t1" })).rejects.toMatchObject({
        code: "thread_id_taken",
      });
      expect((await threads.create(OTHER_TENANT, { threadId: "t1" })).created).toBe(true);
    });

    it("merges metadata key by key, replaces values whole, and notes the time", async () => {
      await threads.create(ANNA, { threadId: "t1", metadata: { a: 1, b: { c: 2 } } });
      now = 3_000;
      await threads.update(ANNA, "t1", { values: { title: "Deer" } });
      const updated = await threads.update(ANNA, "t1", {
        status: "busy",
        metadata: { b: { d: 3 } },
        values: { first: "hi" },
      });
      expect(updated).toEqual({
        threadId: "t1",
        status: "busy",
        metadata: { a: 1, b: { d: 3 } },
        values: { first: "hi" },
        createdAt: 1_000,
        updatedAt: 3_000,
      });
      expect(await threads.find(ANNA, "t1")).toEqual(updated);
    });

    it("loses no update of those that come at the same time", async () => {
      await threads.create(ANNA, { threadId: "t1" });
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          threads.update(ANNA, "t1", { metadata: { [`k${index}`]: index } }),
        ),
      );
      expect(Object.keys((await threads.find(ANNA, "t1"))?.metadata ?? {})).toHaveLength(20);
    });

    it("lists the latest updated first, page by page", async () => {
      for (const threadId of ["a", "b", "c"]) {
        now += 1;
        await threads.create(ANNA, { threadId });
      }
      now += 1;
      await threads.update(ANNA, "a", {});
      expect(idsOf(await threads.search(ANNA, everything))).toEqual(["a", "c", "b"]);
      expect(idsOf(await threads.search(ANNA, { limit: 1, offset: 1 }))).toEqual(["c"]);
      const byId = { ...everything, sortBy: "thread_id", sortOrder: "asc" } as const;
      expect(idsOf(await threads.search(ANNA, byId))).toEqual(["a", "b", "c"]);
    });

    it("filters by status", async () => {
      await threads.create(ANNA, { threadId: "a" });
      await threads.create(ANNA, { threadId: "b" });
      await threads.update(ANNA, "b", { status: "interrupted" });
      expect(idsOf(await threads.search(ANNA, { ...everything, status: "interrupted" }))).toEqual(["b"]);
    });

    const two: readonly { readonly threadId: string; readonly metadata: JsonObject }[] = [
      {
        threadId: "a",
        metadata: { team: "north", size: 1, open: true, none: null, tags: ["x", "y"], odd: "é\0\ud800%_" },
      },
      { threadId: "b", metadata: { team: "south", size: 2, open: false, deep: { q: 1, p: [2] }, "a.b": 1 } },
    ];
    it.each<[JsonObject, string[]]>([
      [{}, ["a", "b"]],
      [{ team: "north" }, ["a"]],
      [{ team: "nosuch" }, []],
      [{ team: "North" }, []],
      [{ Team: "north" }, []],
      [{ team: "north " }, []],
      [{ team: "nort%" }, []],
      [{ odd: "é\0\ud800%_" }, ["a"]],
      [{ odd: "e\0\ud800%_" }, []],
      [{ team: "north", size: 2 }, []],
      [{ size: 1 }, ["a"]],
      [{ size: 1.0 }, ["a"]],
      [{ size: 1.5 }, []],
      [{ size: "1" }, []],
      [{ open: true }, ["a"]],
      [{ open: 1 }, []],
      [{ none: null }, ["a"]],
      [{ team: null }, []],
      [{ team: ["north", "south"] }, []],
      [{ tags: ["x", "y"] }, ["a"]],
      [{ tags: ["y", "x"] }, []],
      [{ deep: { p: [2], q: 1 } }, ["b"]],
      [{ deep: { q: 1 } }, []],
      [{ q: 1 }, []],
      [{ "a.b": 1 }, ["b"]],
      [{ a: { b: 1 } }, []],
      [{ toString: null }, []],
      [{ "team' OR 1=1 --": "x" }, []],
      [{ 'team" OR 1=1 --': "x" }, []],
      [manyKeys(200), []],
      [manyKeys(3_000), []],
    ])("finds the threads whose metadata has %j", async (metadata, expected) => {
      for (const thread of two) await threads.create(ANNA, thread);
      expect(idsOf(await threads.search(ANNA, { ...everything, metadata })).sort()).toEqual(expected);
    });

    it("finds a thread by a key that holds quotes", async () => {
      await threads.create(ANNA, { threadId: "a", metadata: { "o\"dd\\ 'key$.x": "v" } });
      const metadata = { "o\"dd\\ 'key$.x": "v" };
      expect(idsOf(await threads.search(ANNA, { ...everything, metadata }))).toEqual(["a"]);
    });

    it("finds a thread by many keys at once", async () => {
      await threads.create(ANNA, { threadId: "a", metadata: { ...manyKeys(200), more: true } });
      await threads.create(ANNA, { threadId: "b", metadata: { ...manyKeys(200), key150: "other" } });
      expect(idsOf(await threads.search(ANNA, { ...everything, metadata: manyKeys(200) }))).toEqual(["a"]);
    });

    it("pages through what a filter finds, past threads that hold the same words elsewhere", async () => {
      const team = { team: "north" };
      const expected: string[] = [];
      for (let index = 100; index < 130; index += 1) {
        // Three at a time are of one moment.
        now = 1_000 + Math.floor(index / 3);
        const found = index % 4 === 0;
        if (found) expected.push(`t${index}`);
        await threads.create(ANNA, { threadId: `t${index}`, metadata: found ? team : { inner: team } });
      }
      for (const sortOrder of ["asc", "desc"] as const) {
        const inOrder = sortOrder === "asc" ? expected : expected.toReversed();
        for (const sortBy of ["updated_at", "created_at", "thread_id", "status"] as const) {
          const query = { metadata: team, sortBy, sortOrder };
          const pages = [];
          for (const offset of [0, 3, 6, 9])
            pages.push(await threads.search(ANNA, { ...query, limit: 3, offset }));
          expect(pages.flatMap(idsOf)).toEqual(inOrder);
        }
      }
    });

    it("removes a thread with its runs and events, and only them", async () => {
      const { runs, events } = persistence;
      const run = {
        runId: "r",
        assistantId: "lead",
        multitaskStrategy: "enqueue",
        owner: "here/1/1",
        onDisconnect: "continue",
        request: {},
        metadata: {},
      } as const;
      for (const threadId of ["gone", "kept"]) {
        await threads.create(ANNA, { threadId });
        await runs.create(ANNA, { ...run, threadId });
        await events.append(ANNA, threadId, [{ runId: "r", eventType: "run.start", content: null }]);
      }
      expect(await threads.remove(ANNA, "gone")).toBe(true);
      expect(await threads.remove(ANNA, "gone")).toBe(false);
      const left = async (threadId: string) => [
        await threads.find(ANNA, threadId),
        await runs.list(ANNA, threadId, everything),
        await events.list(ANNA, threadId, { limit: 10 }),
      ];
      expect(await left("gone")).toEqual([undefined, [], []]);
      expect(await left("kept")).toEqual([expect.anything(), [expect.anything()], [expect.anything()]]);
    });
  });
}
