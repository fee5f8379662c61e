import { Annotation, END, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { baseStoreSuite } from "../../testing/base-store-suite.js";
import { testDatabases } from "../../testing/test-databases.js";
import { openStore } from "../open-store.js";
import type { DatabaseLocation } from "../sql/database-location.js";
import { openDatabase } from "../sql/open-database.js";
import { type ItemStoreOptions, SqlItemStore } from "./item-store.js";

const MINUTE = 60_000;

baseStoreSuite(
  "LangGraph's InMemoryStore",
  async () => ({ store: new InMemoryStore(), close: async () => undefined }),
  {
    isReference: true,
  },
);

describe.each(await testDatabases())("the store on $name", ({ name, open, drop }) => {
  const opened: SqlItemStore[] = [];
  let now = 1_000_000;
  const clock = { now: () => now };
  const openAt = async (
    location: DatabaseLocation,
    options: ItemStoreOptions = {},
  ): Promise<SqlItemStore> => {
    const store = await openStore(location, options);
    opened.push(store);
    return store;
  };
  const openNew = async (options: ItemStoreOptions = {}) => openAt(await open(), { clock, ...options });

  afterEach(async () => {
    for (const store of opened.splice(0)) await store.stop();
  });
  afterAll(drop);

  baseStoreSuite(name, async () => {
    const store = await openStore(await open());
    return { store, close: () => store.stop() };
  });

  it("serves a graph's nodes, from one thread to another", async () => {
    const store = await openNew();
    const State = Annotation.Root({ food: Annotation<string>() });
    const graph = new StateGraph(State)
      .addNode("remember", async ({ food }, config) => {
        const [known] = (await config.store?.search(["users", "anna"], { filter: { kind: "food" } })) ?? [];
        const put = config.store?.put(["users", "anna"], "likes", { kind: "food", food });
        // Asked for at the same moment: the graph hands both over in one batch, in this order.
        const [item] = await Promise.all([config.store?.get(["users", "anna"], "likes"), put]);
        return { food: `${known?.value["food"] ?? "nothing"}, ${item?.value["food"] ?? "nothing"}, ${food}` };
      })
      .addEdge(START, "remember")
      .addEdge("remember", END)
      .compile({ store, checkpointer: new MemorySaver() });
    const say = (food: string, thread_id: string) => graph.invoke({ food }, { configurable: { thread_id } });
    expect(await say("soup", "1")).toEqual({ food: "nothing, soup, soup" });
    expect(await say("cake", "2")).toEqual({ food: "soup, cake, cake" });
    expect((await store.get(["users", "anna"], "likes"))?.value).toEqual({ kind: "food", food: "cake" });
  });

  it("keeps the items of each scope to itself, in every method", async () => {
    const database = await openDatabase(await open());
    const storeOf = (scope: string) => new SqlItemStore(database, { scope, clock });
    const [one, two] = [storeOf("1"), storeOf("2")];
    await one.put(["n"], "k", { whose: "one" }, false, { ttl: 1 });
    expect(await two.get(["n"], "k")).toBeNull();
    expect(await two.search([])).toEqual([]);
    expect(await two.listNamespaces()).toEqual([]);
    await two.delete(["n"], "k");
    await two.put(["n"], "k", { whose: "two" }, false, { ttl: 1 });
    expect((await one.get(["n"], "k"))?.value).toEqual({ whose: "one" });
    now += MINUTE;
    expect(await two.sweep()).toBe(1);
    expect(await one.sweep()).toBe(1);
    for (const scope of ["", "a\0b", "x".repeat(256)]) {
      expect(() => storeOf(scope)).toThrow(expect.objectContaining({ code: "store_name_invalid" }));
    }
    await database.close();
  });

  it("never returns what is expired, also before it is removed", async () => {
    const store = await openNew({ ttl: { defaultTtl: 10, refreshOnRead: false } });
    await store.put(["n"], "default", {});
    await store.put(["n"], "own", {}, undefined, { ttl: 0.5 });
    await store.put(["n", "ever"], "ever", {}, false, { ttl: null });
    now += MINUTE / 2 - 1;
    expect(await store.search(["n"])).toHaveLength(3);
    now += 1;
    expect(await store.get(["n"], "own")).toBeNull();
    expect((await store.search(["n"])).map(({ key }) => key)).toEqual(["default", "ever"]);
    now += 10 * MINUTE;
    expect(await store.batch([{ namespace: ["n"], key: "default" }])).toEqual([null]);
    expect((await store.search(["n"], { filter: { nosuch: { $ne: 1 } } })).map(({ key }) => key)).toEqual([
      "ever",
    ]);
    expect(await store.listNamespaces()).toEqual([["n", "ever"]]);
    expect(await store.sweep()).toBe(2);
    expect(await store.sweep()).toBe(0);
    expect(await store.search([])).toHaveLength(1);
  });

  it("takes an expired item for a new one when it is put again", async () => {
    const store = await openNew();
    await store.put(["n"], "k", { v: 1 }, false, { ttl: 1 });
    now += MINUTE;
    await store.put(["n"], "k", { v: 2 });
    expect(await store.get(["n"], "k")).toMatchObject({ value: { v: 2 }, createdAt: new Date(now) });
    const createdAt = new Date(now);
    now += 60 * MINUTE;
    await store.put(["n"], "k", { v: 3 });
    expect(await store.get(["n"], "k")).toMatchObject({ createdAt, updatedAt: new Date(now) });
    expect(await store.sweep()).toBe(0);
  });

  it("lets what is read live its whole time again, where that is asked for", async () => {
    const store = await openNew({ ttl: { defaultTtl: 2 } });
    for (const key of ["read", "searched", "left", "unasked"]) await store.put(["n", key], key, {});
    now += MINUTE;
    await store.get(["n", "read"], "read");
    await store.search(["n", "searched"]);
    await store.get(["n", "unasked"], "unasked", { refreshTtl: false });
    await store.search(["n", "unasked"], { refreshTtl: false });
    now += MINUTE;
    const alive = await store.search(["n"], { refreshTtl: false });
    expect(alive.map(({ key }) => key)).toEqual(["read", "searched"]);
    now += MINUTE;
    expect(await store.search([])).toEqual([]);

    const still = await openNew({ ttl: { defaultTtl: 2, refreshOnRead: false } });
    for (const key of ["read", "asked"]) await still.put(["n"], key, {});
    now += MINUTE;
    await still.get(["n"], "read");
    await still.get(["n"], "asked", { refreshTtl: true });
    now += MINUTE;
    expect((await still.search(["n"])).map(({ key }) => key)).toEqual(["asked"]);
  });

  it("removes at intervals what is expired, until it is stopped", async () => {
    const location = await open();
    const database = await openDatabase(location);
    const rows = () =>
      database.read((session) => session.all("SELECT item_key FROM store_items ORDER BY item_key"));
    const store = new SqlItemStore(database, { clock, ttl: { sweepIntervalMinutes: 10 / MINUTE } });
    store.start();
    for (let n = 0; n < 250; n += 1) await store.put(["n"], `k${n}`, {}, false, { ttl: 1 });
    await store.put(["n"], "stays", {}, false, { ttl: 2 });
    now += MINUTE;
    await expect.poll(async () => (await rows()).length).toBe(1);
    await store.stop();
    now += MINUTE;
    expect(await rows()).toHaveLength(1);
    await database.close();
  });

  it("tells a failed removal and tries again", async () => {
    const database = await openDatabase(await open());
    const told: string[] = [];
    const warn = (message: string) => void told.push(message);
    const logger = { debug: () => undefined, info: () => undefined, warn, error: () => undefined };
    const broken = { ...database, write: () => Promise.reject(new Error("no room")) };
    const store = new SqlItemStore(broken, { logger, ttl: { sweepIntervalMinutes: 1 / MINUTE } });
    store.start();
    await expect.poll(() => told.length).toBeGreaterThan(1);
    expect(told[0]).toBe("expired items could not be removed from the store");
    await store.stop();
    await database.close();
  });

  it("refuses times to live that are none", async () => {
    const store = await openNew();
    for (const ttl of [0, -1, Number.NaN, Infinity]) {
      const put = store.put(["n"], "k", {}, false, { ttl });
      await expect(put).rejects.toMatchObject({ code: "store_query_invalid" });
      await expect(openNew({ ttl: { defaultTtl: ttl } })).rejects.toMatchObject({
        code: "store_query_invalid",
      });
    }
  });

  it("does all of a batch or nothing, and in one transaction with others at the same items", async () => {
    const location = await open();
    const one = await openAt(location);
    // A database in memory belongs to the one that opened it.
    const two = location.backend === "memory" ? one : await openAt(location);
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
    const writeAll = (store: SqlItemStore, order: readonly string[], by: string) =>
      store.batch(order.map((key) => ({ namespace: ["n"], key, value: { by } })));
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([
        writeAll(one, keys, `one${round}`),
        writeAll(two, keys.toReversed(), `two${round}`),
      ]);
      const found = await one.search(["n"], { limit: 100 });
      expect(found).toHaveLength(20);
      expect(new Set(found.map(({ value }) => value["by"])).size).toBe(1);
    }
  });

  it("finds all namespaces and items where there are more than one reading holds", async () => {
    const store = await openNew();
    const operations = Array.from({ length: 1_200 }, (_, n) => ({
      namespace: ["users", `u${String(n).padStart(4, "0")}`, "notes"],
      key: "k",
      value: { n, even: n % 2 === 0 },
    }));
    await store.batch(operations);
    expect(await store.listNamespaces({ limit: 2_000 })).toHaveLength(1_200);
    expect(await store.listNamespaces({ maxDepth: 1 })).toEqual([["users"]]);
    expect(await store.listNamespaces({ suffix: ["notes"], offset: 1_199 })).toEqual([
      ["users", "u1199", "notes"],
    ]);
    const found = await store.search(["users"], { filter: { even: true, n: { $gte: 600 } }, limit: 1_000 });
    expect(found.map(({ value }) => value["n"])).toEqual(Array.from({ length: 300 }, (_, n) => 600 + 2 * n));
  });

  it.skipIf(name === "memory")("has everything after it was closed and opened again", async () => {
    const location = await open();
    const store = await openStore(location);
    await store.put(["n"], "k", { v: 1 });
    await store.stop();
    await store.stop();
    expect((await (await openAt(location)).get(["n"], "k"))?.value).toEqual({ v: 1 });
  });
});
