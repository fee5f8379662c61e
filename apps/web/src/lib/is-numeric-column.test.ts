import { describe, expect, it } from "vitest";
import { isNumericColumn } from "./is-numeric-column.js";

describe("isNumericColumn", () => {
  it.each([
    [["774.50", "1,902.80", "-3", "−4"], true],
    [["40.7 %", "", "–"], true],
    [["$1,200", "12 €"], true],
    [["1 234,5", "n/a"], true],
    [["North", "4"], false],
    [["2026-01-05"], false],
    [["3 of 4"], false],
    [["", "-"], false],
    [[], false],
  ])("of %j is %s", (cells, expected) => expect(isNumericColumn(cells)).toBe(expected));
});
