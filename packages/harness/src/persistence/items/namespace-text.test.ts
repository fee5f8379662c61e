import { expect, it } from "vitest";
import {
  checkedKey,
  commonPrefix,
  LONGEST_KEY,
  LONGEST_NAMESPACE,
  LONGEST_SCOPE,
  namespaceFromText,
  namespaceToText,
  rangeOf,
  textAfter,
} from "./namespace-text.js";

const NAMESPACES = [
  ["a"],
  ["a", "b"],
  ["ab"],
  ["a b"],
  ["a", " "],
  ["a\u0001"],
  ["a/"],
  ["/"],
  ["🦌", "é"],
  ["*"],
  ["a", "a"],
];
const bytewise = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

it("reads back every namespace that it wrote, and writes no two alike", () => {
  const texts = NAMESPACES.map(namespaceToText);
  expect(texts.map(namespaceFromText)).toEqual(NAMESPACES);
  expect(new Set(texts).size).toBe(NAMESPACES.length);
});

it("puts exactly the namespaces below a prefix into its range", () => {
  for (const prefix of NAMESPACES) {
    const { from, before } = rangeOf(prefix) ?? { from: "", before: "" };
    for (const namespace of NAMESPACES) {
      const text = namespaceToText(namespace);
      const isBelow = prefix.every((label, index) => label === namespace[index]);
      expect(bytewise(text, from) >= 0 && bytewise(text, before) < 0).toBe(isBelow);
    }
  }
  expect(rangeOf([])).toBeUndefined();
});

it("goes on after a namespace without leaving out the next", () => {
  const texts = NAMESPACES.map(namespaceToText).toSorted(bytewise);
  texts.slice(1).forEach((next, index) => {
    const after = textAfter(texts[index] ?? "");
    expect(bytewise(after, texts[index] ?? "")).toBe(1);
    expect(bytewise(after, next)).toBeLessThanOrEqual(0);
  });
});

it("narrows a list to what its prefixes say before their first wildcard", () => {
  const prefix = (...path: string[]) => ({ matchType: "prefix" as const, path });
  expect(commonPrefix([prefix("a", "*", "c")])).toEqual(["a"]);
  expect(commonPrefix([prefix("*"), prefix("a", "b"), { matchType: "suffix", path: ["c"] }])).toEqual([
    "a",
    "b",
  ]);
  expect(commonPrefix([])).toEqual([]);
});

it("keeps names within the index rows of every database, and says how long they may be", () => {
  expect(LONGEST_SCOPE + LONGEST_NAMESPACE + LONGEST_KEY).toBeLessThanOrEqual(2_704 - 40);
  expect(checkedKey("é".repeat(700))).toHaveLength(700);
  expect(() => checkedKey("é".repeat(701))).toThrow("it has 1402 bytes, and 1400 are allowed");
});
