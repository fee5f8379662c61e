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
