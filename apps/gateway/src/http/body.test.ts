import { describe, expect, it } from "vitest";
import { isDeeper } from "./body.js";

const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}1${"]".repeat(levels)}`);

describe("the depth of a body", () => {
  it("is counted in lists and objects, whichever branch is the deepest", () => {
    expect(isDeeper(1, 0)).toBe(false);
    expect(isDeeper(nested(3), 3)).toBe(false);
    expect(isDeeper(nested(4), 3)).toBe(true);
    expect(isDeeper({ a: 1, b: [{}, { c: nested(2) }] }, 4)).toBe(true);
    expect(isDeeper({ a: null, b: "x" }, 1)).toBe(false);
  });

  it("is found where recursion would exhaust the stack", () => {
    expect(isDeeper(nested(200_000), 100)).toBe(true);
  });
});
