import { describe, expect, it } from "vitest";
import { numberedName, safeFileName } from "./upload-name.js";

describe("safeFileName", () => {
  it.each([
    ["report.pdf", "report.pdf"],
    ["résumé (1).txt", "résumé (1).txt"],
    ["re\u0301sume\u0301.txt", "résumé.txt"],
    ["a/b.txt", "b.txt"],
    ["..\\c.txt", "c.txt"],
    ["../../etc/passwd", "passwd"],
    ["x%2Fy.txt", "x%2Fy.txt"],
    ["CON.txt", "_CON.txt"],
    [".env", "env"],
    ["trailing. ", "trailing"],
    ["a\u0000b\nc.txt", "a_b_c.txt"],
    ["..", "file"],
    ["", "file"],
    ["a/", "file"],
  ])("stores %j as %j", (sent, stored) => {
    expect(safeFileName(sent)).toBe(stored);
    expect(safeFileName(stored)).toBe(stored);
  });

  it("cuts a long name and keeps its extension", () => {
    const stored = safeFileName(`${"鹿".repeat(200)}.csv`);
    expect(Buffer.byteLength(stored)).toBeLessThanOrEqual(200);
    expect(stored.endsWith("鹿.csv")).toBe(true);
  });
});

it("numbers a name before its extension", () => {
  expect([0, 1, 12].map((attempt) => numberedName("a.tar.gz", attempt))).toEqual([
    "a.tar.gz",
    "a.tar_1.gz",
    "a.tar_12.gz",
  ]);
  expect(numberedName("README", 1)).toBe("README_1");
});
