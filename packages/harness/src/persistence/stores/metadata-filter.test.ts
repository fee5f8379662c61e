import { expect, it } from "vitest";
import { hasEntries } from "./metadata-filter.js";

it.each([
  [{ a: 1 }, { a: 1 }, true],
  [{ a: 1, b: 2 }, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 1 }, { a: "1" }, false],
  [{ a: null }, { a: null }, true],
  [{}, { a: null }, false],
  [{ deep: { a: 1 } }, { a: 1 }, false],
  [{ deep: { b: 2, a: 1 } }, { deep: { a: 1, b: 2 } }, true],
  [{ deep: { a: 1, b: 2 } }, { deep: { a: 1 } }, false],
  [{ list: ["x", "y"] }, { list: ["y", "x"] }, false],
  [{ list: ["x", "y"] }, { list: "x" }, false],
  [{}, { toString: null }, false],
  [{}, {}, true],
])("compares %j with the filter %j", (metadata, wanted, expected) => {
  expect(hasEntries(metadata, wanted)).toBe(expected);
});
