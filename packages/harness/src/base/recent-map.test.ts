import { expect, it } from "vitest";
import { RecentMap } from "./recent-map.js";

it("forgets the entry that was neither read nor written for the longest time", () => {
  const map = new RecentMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  expect(map.get("a")).toBe(1);
  map.set("c", 3);
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([1, undefined, 3]);
  map.delete("a");
  expect(map.get("a")).toBeUndefined();
});

it("keeps as many entries as their weights allow, and none that is too heavy alone", () => {
  const map = new RecentMap<string, string>(5, (text) => text.length);
  map.set("a", "xx");
  map.set("b", "xxx");
  map.set("a", "x");
  map.set("c", "x");
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual(["x", "xxx", "x"]);
  map.set("d", "xx");
  expect([map.get("a"), map.get("b"), map.get("c"), map.get("d")]).toEqual([undefined, undefined, "x", "xx"]);
  map.set("e", "xxxxxx");
  expect([map.get("d"), map.get("e")]).toEqual([undefined, undefined]);
});
