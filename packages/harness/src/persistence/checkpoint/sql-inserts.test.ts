import { describe, expect, it } from "vitest";
import { chunksOf, insertInto } from "./sql-inserts.js";

const target = { name: "t", columns: ["k", "a", "b"], key: ["k"] };

describe("inserting many rows", () => {
  it.each([
    ["sqlite", "keep", " ON CONFLICT DO NOTHING"],
    ["postgres", "replace", " ON CONFLICT (k) DO UPDATE SET a = excluded.a, b = excluded.b"],
    ["mysql", "keep", " ON DUPLICATE KEY UPDATE k = k"],
    ["mysql", "replace", " ON DUPLICATE KEY UPDATE a = VALUES(a), b = VALUES(b)"],
  ] as const)("is said to %s with %s", (backend, placement, ending) => {
    const rows = [
      [1, "x", null],
      [2, "y", null],
    ];
    expect(insertInto(backend, target, { rows, placement })).toEqual([
      {
        sql: `INSERT INTO t (k, a, b) VALUES (?, ?, ?), (?, ?, ?)${ending}`,
        parameters: [1, "x", null, 2, "y", null],
      },
    ]);
  });

  it("is cut into statements that a packet and the number of values allow", () => {
    const large = new Uint8Array(3 * 1024 * 1024);
    const byBytes = insertInto("mysql", target, {
      rows: Array.from({ length: 5 }, () => [1, "x", large]),
      placement: "keep",
    });
    expect(byBytes.map(({ parameters }) => parameters.length / 3)).toEqual([2, 2, 1]);
    const byCount = insertInto("sqlite", target, {
      rows: Array.from({ length: 5_000 }, () => [1, "x", null]),
      placement: "keep",
    });
    expect(byCount.map(({ parameters }) => parameters.length)).toEqual([7_998, 7_002]);
    expect(chunksOf([1, 2, 3], 2)).toEqual([[1, 2], [3]]);
  });
});
