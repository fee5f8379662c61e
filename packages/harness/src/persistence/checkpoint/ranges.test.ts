import * as fc from "fast-check";
import { expect, it } from "vitest";
import { fromRanges, toRanges } from "./ranges.js";

it("writes runs of numbers as ranges", () => {
  expect(toRanges([1, 2, 3, 7, 5, 5])).toEqual([1, 3, 7, 7, 5, 5, 5, 5]);
});

it("gives every list of numbers back in its order", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), (numbers) => {
      expect(fromRanges(toRanges(numbers))).toEqual(numbers);
    }),
  );
});
