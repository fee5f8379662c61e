/** What every long-term store must keep: ours on each database, and LangGraph's own in memory as the reference. */
import type { BaseStore, Operation } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** Where LangGraph's InMemoryStore is known to do otherwise; each is told in the test that it changes. */
export interface BaseStoreSuiteOptions {
  readonly isReference?: boolean;
}

export interface OpenedStore {
  readonly store: BaseStore;
  close(): Promise<void>;
}

const keysOf = (items: readonly { readonly key: string }[]): string[] => items.map(({ key }) => key);

/** Field values that a filter must tell apart, and a key for each. */
const TEAMS: Readonly<Record<string, Record<string, unknown>>> = {
  north: { team: "north", rank: 1, open: true },
  south: { team: "south", rank: 2.5, open: false, "a.b": 1, '"': "quote", "%": "x" },
  many: { team: "many", rank: "10", open: "true", tags: ["north", "south"], lead: { name: "Anna", age: 4 } },
  none: { team: null, rank: -3, open: null, note: '{"team":"north"}' },
  bare: { nested: { team: "north", rank: 1, x: [{ team: "south" }] } },
};

/** Filters and the keys that they find, in order; `refused` where none may be applied. */
const FILTERS: readonly (readonly [
  what: string,
  filter: Record<string, unknown>,
  keys: readonly string[],
])[] = [
  ["a value", { team: "north" }, ["north"]],
  ["a value that nothing has", { team: "nosuch" }, []],
  ["a field that nothing has", { nosuch: 1 }, []],
  ["a name that looks like SQL", { "team' OR 1=1 --": "x" }, []],
  ["a name with a period, which is no path", { "a.b": 1 }, ["south"]],
  ["a path, which is no name", { "nested.team": "north" }, []],
  ["a name that is a quote", { '"': "quote" }, ["south"]],
  ["a name that is a wildcard elsewhere", { "%": "x" }, ["south"]],
  ["null, which is no absent field", { team: null }, ["none"]],
  ["a name of every object", { constructor: "x", toString: "y", __proto__: null }, []],
  ["text, which is no number", { rank: "1" }, []],
  ["a number", { rank: 2.5 }, ["south"]],
  ["true, which is no text", { open: true }, ["north"]],
  ["two fields, of which both must match", { team: "north", rank: 2.5 }, []],
  ["200 fields", Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`f${index}`, index])), []],
  ["$eq", { team: { $eq: "south" } }, ["south"]],
  ["$eq null", { open: { $eq: null } }, ["none"]],
  ["$ne, which an absent field is", { team: { $ne: "north" } }, ["south", "many", "none", "bare"]],
  ["$gt", { rank: { $gt: 1 } }, ["south", "many"]],
  ["$gte", { rank: { $gte: 1 } }, ["north", "south", "many"]],
  ["$lt, which an absent field is not", { rank: { $lt: 1 } }, ["none"]],
  ["$lte of a number as text", { rank: { $lte: "1" } }, ["north", "none"]],
  ["a range", { rank: { $gt: 1, $lt: 10 } }, ["south"]],
  ["$in", { team: { $in: ["north", null] } }, ["north", "none"]],
  ["$in of nothing", { team: { $in: [] } }, []],
  ["$nin", { team: { $nin: ["north", "south", null] } }, ["many", "bare"]],
  ["an operator and a value", { team: { $ne: "north" }, rank: -3 }, ["none"]],
];

/** Runs the contract's tests against what `open` gives; each test opens its own, empty. */
export function baseStoreSuite(
  name: string,
  open: () => Promise<OpenedStore>,
  { isReference = false }: BaseStoreSuiteOptions = {},
): void {
  describe(`${name} keeps the contract of a LangGraph store`, () => {
    let opened: OpenedStore;
    let store: BaseStore;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    const putAll = async (namespace: string[], values: Readonly<Record<string, Record<string, unknown>>>) => {
      for (const [key, value] of Object.entries(values)) await store.put(namespace, key, value);
    };
    const putEach = async (...namespaces: string[][]) => {
      for (const namespace of namespaces) await store.put(namespace, "k", { at: namespace.join("/") });
    };
    const searchKeys = async (prefix: string[], options?: Parameters<BaseStore["search"]>[1]) =>
      keysOf(await store.search(prefix, options));
    const searchNamespaces = async (prefix: string[]) =>
      (await store.search(prefix, { limit: 100 })).map(({ namespace }) => namespace.join("/")).toSorted();

    it("gives an item back with its place and its times, and null for one that never was", async () => {
      const before = Date.now();
      await store.put(["users", "anna"], "likes", { food: "soup" });
      const item = await store.get(["users", "anna"], "likes");
      expect(item).toMatchObject({ namespace: ["users", "anna"], key: "likes", value: { food: "soup" } });
      for (const time of [item?.createdAt, item?.updatedAt]) {
        expect(time).toBeInstanceOf(Date);
        expect(time?.getTime()).toBeGreaterThanOrEqual(before);
        expect(time?.getTime()).toBeLessThanOrEqual(Date.now());
      }
      expect(await store.get(["users", "anna"], "nosuch")).toBeNull();
      expect(await store.get(["users"], "likes")).toBeNull();
    });

    it("replaces a value whole and keeps the time of its creation", async () => {
      await store.put(["n"], "k", { first: 1, both: 1 });
      const before = await store.get(["n"], "k");
      const createdAt = before?.createdAt.getTime();
      await expect.poll(() => Date.now()).toBeGreaterThan(createdAt ?? Infinity);
      await store.put(["n"], "k", { both: 2 });
      const after = await store.get(["n"], "k");
      expect(after?.value).toEqual({ both: 2 });
      expect(after?.createdAt.getTime()).toBe(createdAt);
      expect(after?.updatedAt.getTime()).toBeGreaterThan(createdAt ?? Infinity);
    });

    it("deletes an item, and one that never was", async () => {
      await putAll(["n"], { a: { v: 1 }, b: { v: 2 } });
      await store.delete(["n"], "a");
      await store.delete(["n"], "nosuch");
      expect(await store.get(["n"], "a")).toBeNull();
      expect(await searchKeys(["n"])).toEqual(["b"]);
    });

    it.each<[string, Record<string, unknown>]>([
      [
        "numbers",
        {
          zero: 0,
          less: -1.5,
          small: 5e-324,
          large: 1.7976931348623157e308,
          long: 9007199254740991,
          pi: Math.PI,
        },
      ],
      [
        "text of every kind",
        { emoji: "🦌👩‍👩‍👧", nul: "a\0b", lines: "a\r\n\t\"'\\`", right: "שלום", half: "\ud83e", empty: "" },
      ],
      ["names of every kind", { "🦌": 1, "": 2, "a.b": 3, $gt: 4, "\0": 5, "'": 6 }],
      [
        "nested values",
        { list: [1, "two", [null, { deep: [[]] }]], none: null, yes: true, no: false, empty: {} },
      ],
      ["an empty object", {}],
      ["1 MB", { text: "🦌 deer ".repeat(120_000) }],
      ["values 500 deep", { deep: Array.from({ length: 500 }).reduce<unknown>((inner) => [inner], "end") }],
    ])("keeps %s", async (_what, value) => {
      await store.put(["n"], "k", value);
      expect((await store.get(["n"], "k"))?.value).toEqual(value);
      expect((await store.search(["n"]))[0]?.value).toEqual(value);
    });

    it.each([
      ["letters of another size", "Key", "key"],
      ["an accent", "e", "é"],
      ["spaces at the end", "key", "key "],
      ["two spellings of one letter", "\u00e9", "e\u0301"],
      ["wildcards of SQL", "a_c", "abc"],
      ["an emoji", "🦌", "🦊"],
    ])("tells keys and namespaces apart by %s", async (_what, one, other) => {
      await store.put([one], one, { v: 1 });
      await store.put([other], one, { v: 2 });
      await store.put([one], other, { v: 3 });
      expect((await store.get([one], one))?.value).toEqual({ v: 1 });
      expect((await store.get([other], one))?.value).toEqual({ v: 2 });
      expect((await store.get([one], other))?.value).toEqual({ v: 3 });
      expect(await store.get([other], other)).toBeNull();
      expect(await searchKeys([one])).toEqual([one, other]);
    });

    it("takes keys that would not be labels of a namespace", async () => {
      for (const key of ["", "/mnt/a.b:c", "*", "a b", "%", "'; DROP TABLE store_items; --"]) {
        await store.put(["n"], key, { key });
        expect((await store.get(["n"], key))?.value).toEqual({ key });
      }
    });

    it("refuses namespaces that LangGraph does not know, in every method", async () => {
      const refused = expect.objectContaining({ name: "InvalidNamespaceError" });
      for (const namespace of [["a.b"], ["a", ""], ["a:b"], ["a\0b"], [1 as unknown as string]]) {
        await expect(store.put(namespace, "k", {})).rejects.toEqual(refused);
        await expect(store.get(namespace, "k")).rejects.toEqual(refused);
        await expect(store.delete(namespace, "k")).rejects.toEqual(refused);
        await expect(store.search(namespace)).rejects.toEqual(refused);
        await expect(store.listNamespaces({ prefix: namespace })).rejects.toEqual(refused);
        await expect(store.batch([{ namespace, key: "k", value: {} }])).rejects.toEqual(refused);
        await expect(store.batch([{ namespacePrefix: namespace }])).rejects.toEqual(refused);
      }
      await expect(store.put([], "k", {})).rejects.toEqual(refused);
      await expect(store.get([], "k")).rejects.toEqual(refused);
      await expect(store.put(["langgraph"], "k", {})).rejects.toEqual(refused);
    });

    it("keeps what a batch writes under the label that is LangGraph's own", async () => {
      await store.batch([{ namespace: ["langgraph", "x"], key: "k", value: { v: 1 } }]);
      expect((await store.get(["langgraph", "x"], "k"))?.value).toEqual({ v: 1 });
      expect(await searchKeys(["langgraph"])).toEqual(["k"]);
    });

    it("searches a namespace and all below it, and none that only begins alike", async () => {
      await putEach(
        ["a"],
        ["a", "b"],
        ["a", "b", "c"],
        ["ab"],
        ["a b"],
        ["A"],
        ["a-"],
        ["a\u0001"],
        ["b", "a"],
      );
      expect(await searchNamespaces(["a"])).toEqual(["a", "a/b", "a/b/c"]);
      expect(await searchNamespaces(["a", "b"])).toEqual(["a/b", "a/b/c"]);
      expect(await searchNamespaces(["ab"])).toEqual(["ab"]);
      expect(await searchNamespaces(["a\u0001"])).toEqual(["a\u0001"]);
      expect(await searchNamespaces(["%"])).toEqual([]);
      expect(await searchNamespaces([])).toHaveLength(9);
    });

    it("lists a namespace in the order of the first puts, page by page", async () => {
      const keys = Array.from({ length: 25 }, (_, index) => `k${(index * 7) % 25}`);
      for (const key of keys) await store.put(["n"], key, { key });
      await store.put(["n"], "k0", { key: "again" });
      expect(await searchKeys(["n"])).toEqual(keys.slice(0, 10));
      expect(await searchKeys(["n"], { limit: 100 })).toEqual(keys);
      const pages = [0, 10, 20].map((offset) => searchKeys(["n"], { limit: 10, offset }));
      expect((await Promise.all(pages)).flat()).toEqual(keys);
      expect(await searchKeys(["n"], { limit: 0 })).toEqual([]);
      expect(await searchKeys(["n"], { offset: 25 })).toEqual([]);
    });

    describe("with a filter", () => {
      beforeEach(() => putAll(["teams"], TEAMS));

      it.each(FILTERS)("finds by %s", async (_what, filter, keys) => {
        expect(await searchKeys(["teams"], { filter })).toEqual(keys);
      });

      it("pages through what it finds", async () => {
        await putAll(
          ["more"],
          Object.fromEntries(Array.from({ length: 260 }, (_, n) => [`n${n}`, { odd: n % 2, n }])),
        );
        const filter = { odd: 1, n: { $gte: 100 } };
        const expected = Array.from({ length: 80 }, (_, index) => `n${101 + 2 * index}`);
        expect(await searchKeys(["more"], { filter, limit: 100 })).toEqual(expected);
        expect(await searchKeys(["more"], { filter, limit: 30, offset: 60 })).toEqual(expected.slice(60));
        expect(await searchKeys(["more"], { filter, limit: 5, offset: 75 })).toEqual(expected.slice(75));
      });

      // The reference compares objects by identity, so that one that was stored is never found.
      it.runIf(!isReference)("compares lists and objects whole, in any order of their fields", async () => {
        const find = (filter: Record<string, unknown>) => searchKeys(["teams"], { filter });
        expect(await find({ tags: ["north", "south"] })).toEqual(["many"]);
        expect(await find({ tags: ["south", "north"] })).toEqual([]);
        expect(await find({ team: ["north", "south"] })).toEqual([]);
        expect(await find({ lead: { age: 4, name: "Anna" } })).toEqual(["many"]);
        expect(await find({ lead: { name: "Anna" } })).toEqual([]);
        expect(await find({ lead: {} })).toEqual([]);
        expect(await find({ lead: { $in: [{ age: 4, name: "Anna" }] } })).toEqual(["many"]);
      });

      // The reference takes most of these for values that nothing has, and two of them for filters that all pass.
      it.runIf(!isReference)("refuses what it cannot apply, and never ignores it", async () => {
        const wrong: unknown[] = [
          { team: { $regex: "n" } },
          { team: { $eq: "north", name: 1 } },
          { rank: { $gt: "much" } },
          { rank: { $lt: null } },
          { team: { $in: "north" } },
          { team: { $nin: "north" } },
          { team: () => "north" },
          { team: 1n },
          ["team"],
          "team",
        ];
        for (const filter of wrong) {
          const search = store.search(["teams"], { filter: filter as Record<string, unknown> });
          await expect(search).rejects.toMatchObject({ code: "store_query_invalid" });
        }
      });
    });

    describe("lists namespaces", () => {
      const list = async (options?: Parameters<BaseStore["listNamespaces"]>[0]) =>
        (await store.listNamespaces(options)).map((namespace) => namespace.join("/"));

      beforeEach(() =>
        putEach(
          ["a", "b", "c"],
          ["a", "b", "d"],
          ["a", "c", "c"],
          ["a"],
          ["ab", "c"],
          ["b", "x", "y", "c"],
          ["b"],
        ),
      );

      it("of items, each once and in a stable order", async () => {
        await store.put(["a"], "other", {});
        expect(await list()).toEqual(["a", "a/b/c", "a/b/d", "a/c/c", "ab/c", "b", "b/x/y/c"]);
      });

      it("by how they begin and end", async () => {
        expect(await list({ prefix: ["a"] })).toEqual(["a", "a/b/c", "a/b/d", "a/c/c"]);
        expect(await list({ prefix: ["a", "b"] })).toEqual(["a/b/c", "a/b/d"]);
        expect(await list({ suffix: ["c"] })).toEqual(["a/b/c", "a/c/c", "ab/c", "b/x/y/c"]);
        expect(await list({ prefix: ["a"], suffix: ["c"] })).toEqual(["a/b/c", "a/c/c"]);
        expect(await list({ prefix: [], suffix: [] })).toHaveLength(7);
        expect(await list({ prefix: ["a", "b", "c", "d"] })).toEqual([]);
      });

      it("by wildcards, each for one label", async () => {
        expect(await list({ prefix: ["*", "b"] })).toEqual(["a/b/c", "a/b/d"]);
        expect(await list({ prefix: ["a", "*", "c"] })).toEqual(["a/b/c", "a/c/c"]);
        expect(await list({ suffix: ["*", "c"] })).toEqual(["a/b/c", "a/c/c", "ab/c", "b/x/y/c"]);
        expect(await list({ prefix: ["b", "*"], suffix: ["y", "*"] })).toEqual(["b/x/y/c"]);
      });

      it("down to a depth, each once", async () => {
        expect(await list({ maxDepth: 1 })).toEqual(["a", "ab", "b"]);
        expect(await list({ maxDepth: 2, prefix: ["a"] })).toEqual(["a", "a/b", "a/c"]);
        expect(await list({ maxDepth: 2, suffix: ["c"] })).toEqual(["a/b", "a/c", "ab/c", "b/x"]);
      });

      it("page by page", async () => {
        expect(await list({ limit: 3 })).toEqual(["a", "a/b/c", "a/b/d"]);
        expect(await list({ limit: 3, offset: 5 })).toEqual(["b", "b/x/y/c"]);
        expect(await list({ maxDepth: 1, limit: 1, offset: 1 })).toEqual(["ab"]);
        expect(await list({ offset: 7 })).toEqual([]);
      });

      // The reference goes on naming a namespace whose items are all deleted.
      it.runIf(!isReference)("without those that are empty again", async () => {
        await store.delete(["a"], "k");
        expect(await list({ prefix: ["a"], maxDepth: 1 })).toEqual(["a"]);
        expect(await list({ prefix: ["a"] })).not.toContain("a");
      });
    });

    describe("does a batch", () => {
      it("with a result at the place of each operation", async () => {
        await putAll(["n"], { a: { v: 1 }, b: { v: 2 } });
        const results = await store.batch([
          { namespace: ["n"], key: "b" },
          { namespace: ["n"], key: "c", value: { v: 3 } },
          { namespacePrefix: ["nosuch"] },
          { namespace: ["n"], key: "a" },
          { namespace: ["n"], key: "a" },
          { namespace: ["n"], key: "b", value: null },
          { matchConditions: [{ matchType: "prefix", path: ["*"] }], limit: 10, offset: 0 },
          { namespace: ["n"], key: "nosuch" },
        ] satisfies Operation[]);
        expect(results).toMatchObject([
          { key: "b", value: { v: 2 } },
          results[1],
          [],
          { key: "a", value: { v: 1 } },
          { key: "a" },
          results[5],
          [["n"]],
          null,
        ]);
        expect(results[1] ?? results[5] ?? null).toBeNull();
        expect(await searchKeys(["n"])).toEqual(["a", "c"]);
        expect(await store.batch([])).toEqual([]);
      });

      it("whose last write to an item stays", async () => {
        const put = (key: string, value: Record<string, unknown> | null): Operation => ({
          namespace: ["n"],
          key,
          value,
        });
        await store.batch([
          put("a", { v: 1 }),
          put("b", { v: 1 }),
          put("a", null),
          put("b", { v: 2 }),
          put("a", { v: 3 }),
        ]);
        expect((await store.get(["n"], "a"))?.value).toEqual({ v: 3 });
        expect((await store.get(["n"], "b"))?.value).toEqual({ v: 2 });
        await store.batch([put("a", { v: 4 }), put("a", null)]);
        expect(await store.get(["n"], "a")).toBeNull();
      });

      // The reference does all reads of a batch before all of its writes.
      it.runIf(!isReference)("in its order: a read sees the writes before it and none after it", async () => {
        const get: Operation = { namespace: ["n"], key: "k" };
        const put = (v: number): Operation => ({ ...get, value: { v } });
        const remove: Operation = { ...get, value: null };
        const search: Operation = { namespacePrefix: ["n"] };
        const found = await store.batch([get, put(1), get, put(2), search, remove, get, search]);
        const reads = [found[0], found[2], found[4], found[6], found[7]];
        expect(reads).toMatchObject([null, { value: { v: 1 } }, [{ value: { v: 2 } }], null, []]);
      });

      it("of 500 writes and 500 reads", async () => {
        const puts = Array.from(
          { length: 500 },
          (_, n): Operation => ({ namespace: ["n"], key: `k${n}`, value: { n } }),
        );
        await store.batch(puts);
        const gets = Array.from(
          { length: 500 },
          (_, n): Operation => ({ namespace: ["n"], key: `k${499 - n}` }),
        );
        const items = await store.batch(gets);
        expect(items).toMatchObject(Array.from({ length: 500 }, (_, n) => ({ value: { n: 499 - n } })));
      });
    });

    it("keeps what many write at once", async () => {
      const write = (n: number) => store.put(["n", `p${n % 5}`], `k${n}`, { n });
      await Promise.all(Array.from({ length: 60 }, (_, n) => write(n)));
      const found = await store.search(["n"], { limit: 100 });
      expect(found.map(({ value }) => Number(value["n"])).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 60 }, (_, n) => n),
      );
    });

    // The reference leaves a query aside that it has no index for, and takes numbers as they are.
    it.runIf(!isReference)("refuses a search by meaning, and pages that are none", async () => {
      await expect(store.search(["n"], { query: "soup" })).rejects.toMatchObject({
        code: "store_without_index",
      });
      const pages = [{ limit: -1 }, { limit: 1.5 }, { offset: -1 }, { limit: Number.NaN }];
      for (const page of pages) {
        await expect(store.search(["n"], page)).rejects.toMatchObject({ code: "store_query_invalid" });
        await expect(store.listNamespaces(page)).rejects.toMatchObject({ code: "store_query_invalid" });
      }
      await expect(store.listNamespaces({ maxDepth: 0 })).rejects.toMatchObject({
        code: "store_query_invalid",
      });
    });

    // The reference keeps whatever it is given, by reference.
    it.runIf(!isReference)("refuses what it could not give back, and does none of a batch then", async () => {
      const cycle: Record<string, unknown> = {};
      cycle["self"] = cycle;
      for (const value of [cycle, { n: 1n }, [1], "text", 5, undefined, new Date()]) {
        const put = store.put(["n"], "k", value as Record<string, unknown>);
        await expect(put).rejects.toMatchObject({ code: "store_value_invalid" });
      }
      for (const key of ["a\0b", "\ud83e", "🦌".repeat(351), 5 as unknown as string]) {
        const batch = store.batch([
          { namespace: ["n"], key: "first", value: {} },
          { namespace: ["n"], key, value: {} },
        ]);
        await expect(batch).rejects.toMatchObject({ code: "store_name_invalid" });
      }
      for (const namespace of [["\ud83e"], ["a".repeat(1_000)], Array.from({ length: 501 }, () => "a")]) {
        await expect(store.put(namespace, "k", {})).rejects.toMatchObject({ code: "store_name_invalid" });
      }
      expect(await searchKeys([])).toEqual([]);
    });

    // The reference keeps objects of the caller.
    it.runIf(!isReference)("keeps what was put, whatever becomes of the object", async () => {
      const value = { list: [1] };
      await store.put(["n"], "k", value);
      value.list.push(2);
      const item = await store.get(["n"], "k");
      expect(item?.value).toEqual({ list: [1] });
      item?.value["list"].push(3);
      expect((await store.get(["n"], "k"))?.value).toEqual({ list: [1] });
    });

    it.runIf(!isReference)("takes the longest namespaces and keys that it allows", async () => {
      const namespace = Array.from({ length: 500 }, () => "a");
      const key = "🦌".repeat(350);
      await store.put(namespace, key, { v: 1 });
      expect((await store.get(namespace, key))?.value).toEqual({ v: 1 });
      expect(await searchKeys(namespace)).toEqual([key]);
      expect(await store.listNamespaces({ suffix: ["a"] })).toEqual([namespace]);
    });
  });
}
