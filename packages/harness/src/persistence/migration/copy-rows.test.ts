import { describe, expect, it } from "vitest";
import { nextPart } from "./copy-rows.js";

const MEGABYTE = 1024 * 1024;

describe("a part of the rows of a table", () => {
  it("has as many rows as fit, and at least one", () => {
    expect(nextPart([MEGABYTE, MEGABYTE, MEGABYTE, MEGABYTE, MEGABYTE], 0)).toEqual({
      limit: 4,
      bytes: 4 * MEGABYTE,
    });
    expect(nextPart([50 * MEGABYTE, 1], 0)).toEqual({ limit: 1, bytes: 50 * MEGABYTE });
    expect(nextPart([1, 2, 3], 1)).toEqual({ limit: 2, bytes: 5 });
  });

  it("has no more than some hundred rows, however short they are", () => {
    expect(
      nextPart(
        Array.from({ length: 5000 }, () => 10),
        0,
      ),
    ).toEqual({ limit: 500, bytes: 5000 });
  });
});
