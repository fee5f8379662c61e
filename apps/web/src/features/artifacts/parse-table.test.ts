import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileKind } from "./file-kind.js";
import { delimiterOf, parseTable } from "./parse-table.js";

describe("parseTable", () => {
  it("reads quotes, doubled quotes, breaks in quotes and empty cells", () => {
    expect(parseTable('\uFEFFa,b\r\n"x ""y""","1\n2"\r\n\r\n,\r\nlast,', ",", 10)).toEqual({
      header: ["a", "b"],
      rows: [
        ['x "y"', "1\n2"],
        ["", ""],
        ["last", ""],
      ],
      cut: false,
    });
  });

  it("reads tabs, and stops at the limit", () => {
    expect(parseTable("a\tb\n1\t2\n3\t4\n", "\t", 1)).toEqual({
      header: ["a", "b"],
      rows: [["1", "2"]],
      cut: true,
    });
  });

  it("reads back what was written with quotes around every cell", () => {
    const table = fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string()), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(table, (rows) => {
        const text = rows
          .map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(","))
          .join("\n");
        const { header, rows: rest } = parseTable(text, ",", 100);
        expect([header, ...rest]).toEqual(rows);
      }),
    );
  });

  it("ends on a quote that is never closed", () => {
    expect(parseTable('a\n"open', ",", 5)).toEqual({ header: ["a"], rows: [["open"]], cut: false });
  });
});

describe("delimiterOf", () => {
  it.each([
    ["a,b;c,d\n1;2;3;4", ","],
    ["a;b;c\n1,5;2;3", ";"],
    ["a\tb\n", "\t"],
    ["one", ","],
  ])("of %j is %j", (text, delimiter) => expect(delimiterOf(text)).toBe(delimiter));
});

describe("fileKind", () => {
  it.each([
    ["/o/report.MD", "markdown"],
    ["/o/a.tsv", "table"],
    ["/o/page.html", "page"],
    ["/o/main.rs", "text"],
    ["/o/archive.tar.gz", "other"],
    ["/o/.constructor", "other"],
    ["/o/Makefile", "other"],
  ])("of %s is %s", (path, kind) => expect(fileKind(path)).toBe(kind));
});
