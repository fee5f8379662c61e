import { describe, expect, it } from "vitest";
import { missingFrom, NumberSet } from "./number-set.js";

describe("a set of numbers", () => {
  it("merges ranges that overlap or touch", () => {
    expect(
      new NumberSet([
        [5, 9, 1, 2],
        [3, 3],
        [7, 12],
        [20, 20],
      ]).ranges,
    ).toEqual([1, 3, 5, 12, 20, 20]);
    expect(new NumberSet([]).ranges).toEqual([]);
  });

  it("knows its numbers", () => {
    const set = new NumberSet([[2, 3, 5, 5, 8, 10]]);
    const numbers = Array.from({ length: 13 }, (_, number) => number);
    expect(numbers.filter((number) => set.has(number))).toEqual([2, 3, 5, 8, 9, 10]);
    expect(new NumberSet([]).has(1)).toBe(false);
  });

  it("names what is not stored", () => {
    expect(missingFrom([1, 2, 3, 5, 8], [1, 3])).toEqual([]);
    expect(missingFrom([1, 2, 3, 5, 8], [2, 6, 8, 9, 5, 6])).toEqual([4, 6, 9]);
    expect(missingFrom([], [3, 4])).toEqual([3, 4]);
    expect(missingFrom([1], [-1, -1])).toEqual([-1]);
    expect(missingFrom([1], [])).toEqual([]);
  });
});
