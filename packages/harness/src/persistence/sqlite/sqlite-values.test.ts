import { describe, expect, it } from "vitest";
import { fromDriverRow, toSqlValues } from "./sqlite-values.js";

describe("values on their way into SQLite", () => {
  it("lets the five kinds through, whole numbers as integers", () => {
    const bytes = new Uint8Array([1]);
    expect(toSqlValues(["a", 5, 1.5, 7n, null, bytes, Number.NaN])).toEqual([
      "a",
      5n,
      1.5,
      7n,
      null,
      bytes,
      Number.NaN,
    ]);
  });

  it.each([
    [true, "boolean"],
    [undefined, "undefined"],
    [new Date(), "Date"],
    [{ a: 1 }, "Object"],
    [[1], "Array"],
    [() => 1, "function"],
    [Symbol("s"), "symbol"],
    [new ArrayBuffer(1), "ArrayBuffer"],
  ])("refuses %s", (value, type) => {
    expect(() => toSqlValues([value])).toThrow(
      expect.objectContaining({ code: "database_value_invalid", details: { type } }),
    );
  });

  it("turns the driver's blobs into bytes on the way out", () => {
    expect(fromDriverRow({ a: 1, b: new Uint8Array([7]).buffer })).toEqual({ a: 1, b: new Uint8Array([7]) });
  });
});
