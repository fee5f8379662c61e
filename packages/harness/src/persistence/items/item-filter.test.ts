import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { expect, it } from "vitest";
import { conditionsOf, textsOf } from "./item-filter.js";

const VALUES = [
  null,
  true,
  false,
  0,
  1,
  -1,
  2.5,
  1e21,
  "",
  "1",
  "2.5",
  "north",
  'a"b',
  "🦌",
  [],
  [5],
  {},
  undefined,
];
const OPERANDS = [null, true, 0, 1, 2.5, 1e21, "", "1", "north", 'a"b', "🦌", undefined];
const NUMBERS = [0, 1, -1.5, "1", "", "2.5"];

it("decides every scalar as LangGraph's own store does", async () => {
  const filters = [
    ...OPERANDS.flatMap((wanted) => [
      wanted,
      { $eq: wanted },
      { $ne: wanted },
      { $in: [wanted, 0] },
      { $nin: [wanted, 0] },
    ]),
    ...NUMBERS.flatMap((wanted) => [{ $gt: wanted }, { $gte: wanted }, { $lt: wanted }, { $lte: wanted }]),
  ];
  const store = new InMemoryStore();
  for (const [index, field] of VALUES.entries())
    await store.put(["n"], String(index), field === undefined ? {} : { field });
  for (const wanted of filters) {
    const expected = await store.search(["n"], { filter: { field: wanted }, limit: 100 });
    const conditions = conditionsOf({ field: wanted });
    const found = VALUES.map((field) => (field === undefined ? {} : { field })).flatMap((value, index) =>
      conditions.every(({ matches }) => matches(value)) ? [String(index)] : [],
    );
    expect({ wanted, found }).toEqual({ wanted, found: expected.map(({ key }) => key) });
  }
});

it("names only texts that the JSON of every match contains", () => {
  const names = ["field", 'a"b', "🦌", "\0", "__proto__"];
  const wholes = [[1, "x"], { b: 1, a: [2] }, [[]]];
  for (const name of names) {
    for (const value of [...VALUES, ...wholes].filter((one) => one !== undefined)) {
      const json = JSON.stringify(
        Object.fromEntries([
          ["before", 1],
          [name, value],
          ["after", { [name]: 2 }],
        ]),
      );
      const filters = [value, { $eq: value }, { $in: ["other", value] }, { $gte: Number(value) }];
      for (const wanted of filters) {
        if (Number.isNaN(Object.values(wanted ?? {})[0])) continue;
        for (const texts of textsOf(conditionsOf(Object.fromEntries([[name, wanted]])))) {
          expect(texts.some((text) => json.includes(text))).toBe(true);
        }
      }
    }
  }
  expect(textsOf(conditionsOf({ field: "x" }))).toEqual([['"field":"x"']]);
  expect(textsOf(conditionsOf({ field: { $ne: "x" } }))).toEqual([]);
  expect(textsOf(conditionsOf({ field: undefined }))).toEqual([]);
});

it("hands a database no more texts than it can take, and decides the rest itself", () => {
  const conditions = conditionsOf(
    Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, index])),
  );
  expect(conditions).toHaveLength(300);
  expect(textsOf(conditions)).toHaveLength(100);
  expect(
    textsOf(conditionsOf({ field: { $in: Array.from({ length: 5_000 }, (_, index) => index) }, other: 1 })),
  ).toEqual([['"other":1']]);
});
