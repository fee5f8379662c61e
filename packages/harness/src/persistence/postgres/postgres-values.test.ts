import { describe, expect, it } from "vitest";
import { parserOf } from "./postgres-values.js";

describe("values from PostgreSQL", () => {
  it.each([
    ["a boolean", 16, "t", 1],
    ["a boolean", 16, "f", 0],
    ["a bigint", 20, "-9007199254740991", Number.MIN_SAFE_INTEGER],
    ["a bigint beyond the numbers", 20, "9223372036854775807", 9223372036854775807n],
    ["an integer", 23, "-7", -7],
    ["a double", 701, "0.1", 0.1],
    ["a sum", 1700, "12345678901", 12345678901],
    ["text", 25, "007", "007"],
    ["text of another type", 3802, '{"a": 1}', '{"a": 1}'],
  ])("are %s", (_, type, text, expected) => {
    expect(parserOf(type)(text)).toBe(expected);
  });

  it("are bytes that are nobody else's", () => {
    const bytes = parserOf(17)("\\x00ff7f") as Uint8Array;
    expect(bytes).toEqual(new Uint8Array([0, 255, 127]));
    expect(bytes.buffer.byteLength).toBe(3);
    expect(parserOf(17)("\\x")).toEqual(new Uint8Array());
  });
});
