import { expect, it } from "vitest";
import { fittingLines } from "./fitting-lines.js";

it.each([
  [["ab", "cd"], 6, 2],
  [["ab", "cd"], 5, 1],
  [["ab", "cd"], 3, 1],
  [["ab", "cd"], 2, 0],
  [[], 0, 0],
])("of %j in %i characters fit %i, whole and with their line breaks", (lines, limit, count) => {
  expect(fittingLines(lines, limit)).toBe(count);
});
