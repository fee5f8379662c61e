import { TypedParameter } from "mysql2/promise";
import { describe, expect, it } from "vitest";
import { fromDriverRows, statementBytes, toBoundValues } from "./mysql-values.js";

const toBigint = (value: bigint) => TypedParameter.LONGLONG(value);
const bound = (...values: unknown[]) => toBoundValues(values, toBigint);

describe("values on their way to MySQL", () => {
  it("sends whole numbers as integers, and others as they are", () => {
    expect(bound(5, 7n, 1.5, "a", null)).toEqual([toBigint(5n), toBigint(7n), 1.5, "a", null]);
  });

  it("sends bytes without copying them", () => {
    const bytes = new Uint8Array([0, 1, 2, 3]).subarray(1, 3);
    const [buffer] = bound(bytes);
    expect(buffer).toEqual(Buffer.from([1, 2]));
    expect((buffer as Buffer).buffer).toBe(bytes.buffer);
  });

  it.each([
    [true, "boolean"],
    [undefined, "undefined"],
    [new Date(), "Date"],
    [{ a: 1 }, "Object"],
    [2n ** 63n, "bigint of more than 64 bits"],
  ])("refuses %s", (value, type) => {
    expect(() => bound(value)).toThrow(
      expect.objectContaining({ code: "database_value_invalid", details: { type } }),
    );
  });

  it("never takes a statement for smaller than it is", () => {
    expect(statementBytes("SELECT ?", bound("é".repeat(100)))).toBeGreaterThanOrEqual(208);
    expect(statementBytes("SELECT ?", bound(new Uint8Array(1000)))).toBeGreaterThanOrEqual(1008);
  });
});

describe("rows on their way from MySQL", () => {
  const column = (name: string, columnType: number) =>
    ({ name, columnType }) as Parameters<typeof fromDriverRows>[1][number];
  const row = (values: object) => values as Parameters<typeof fromDriverRows>[0][number];

  it("have bytes of their own, and integers of any size", () => {
    const packet = Buffer.from([9, 9, 1, 2, 9]);
    const rows = [row({ data: packet.subarray(2, 4), large: "9007199254740993", small: 1, text: "12" })];
    const columns = [column("data", 252), column("large", 8), column("small", 8), column("text", 253)];
    const [result] = fromDriverRows(rows, columns);
    expect(result).toStrictEqual({
      data: new Uint8Array([1, 2]),
      large: 9007199254740993n,
      small: 1,
      text: "12",
    });
    expect(result?.["data"]).toHaveProperty("buffer.byteLength", 2);
  });
});
