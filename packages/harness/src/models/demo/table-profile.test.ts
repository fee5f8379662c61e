import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decimalsOf, decimalStyle, fromUnits, meanOf, toUnits } from "./decimal.js";
import { chooseGroupColumn, choosePrimaryMeasure, delimiterOf } from "./table-choices.js";
import { isSummable, parseTable, profileTable, totalsBy } from "./table-profile.js";

const example = (name: string) =>
  readFileSync(new URL(`../../../../../examples/${name}`, import.meta.url), "utf8");

const NO_FLAWS = { blankRows: 0, shortRows: 0, longRows: 0, openQuote: false };

describe("exact decimals", () => {
  it("add money without an error", () => {
    const sum = ["0.1", "0.2", "-1,000.05", "1e3"].map((text) => toUnits(text, "point") ?? 0n);
    expect(fromUnits(sum.reduce((total, unit) => total + unit, 0n))).toBe("0.25");
  });

  it("tell decimal commas from thousands", () => {
    expect(decimalStyle(["12,50", "7"])).toBe("comma");
    expect(decimalStyle(["1,250", "7"])).toBe("point");
    expect(toUnits("1.234,5", "comma")).toBe(toUnits("1234.5", "point"));
    expect(toUnits("1,23,4", "point")).toBeUndefined();
    expect(toUnits("12 EUR", "point")).toBeUndefined();
  });

  it("round means half away from zero", () => {
    expect(meanOf(toUnits("2", "point") ?? 0n, 3)).toBe("0.6667");
    expect(meanOf(toUnits("-0.0001", "point") ?? 0n, 2)).toBe("-0.0001");
    expect(meanOf(0n, 5)).toBe("0");
    expect(meanOf(toUnits("2", "point") ?? 0n, 3, 2)).toBe("0.67");
  });

  it("are shown with the decimals that they were written with", () => {
    expect(fromUnits(toUnits("2980.7", "point") ?? 0n, 2)).toBe("2980.70");
    expect(fromUnits(toUnits("-3", "point") ?? 0n, 2)).toBe("-3.00");
    expect(["12,50", "1.000", "7,125"].map((text) => decimalsOf(text, "comma"))).toEqual([2, 0, 3]);
    expect(["1e3", "1.25e1", "2e-3", "x"].map((text) => decimalsOf(text, "point"))).toEqual([0, 1, 3, 0]);
  });
});

describe("profileTable", () => {
  it("gives the totals of the sample that were added up by hand", () => {
    const table = parseTable(example("sales.csv"), ",");
    const profile = profileTable(table);
    expect(profile).toEqual({
      rows: 12,
      flaws: NO_FLAWS,
      columns: [
        { name: "order_id", kind: "identifier", filled: 12, empty: 0, distinct: 12 },
        { name: "date", kind: "date", filled: 12, empty: 0, distinct: 12 },
        { name: "region", kind: "text", filled: 12, empty: 0, distinct: 4 },
        { name: "product", kind: "text", filled: 12, empty: 0, distinct: 4 },
        {
          name: "units",
          kind: "number",
          filled: 11,
          empty: 1,
          distinct: 6,
          sum: "33",
          mean: "3",
          min: "1",
          max: "10",
        },
        {
          name: "unit_price",
          kind: "number",
          filled: 12,
          empty: 0,
          distinct: 4,
          mean: "125.18",
          min: "19.90",
          max: "349.00",
        },
        {
          name: "revenue",
          kind: "number",
          filled: 11,
          empty: 1,
          distinct: 10,
          sum: "2980.70",
          mean: "270.97",
          min: "59.70",
          max: "698.00",
        },
        { name: "note", kind: "text", filled: 3, empty: 9, distinct: 3 },
      ],
    });
    expect(totalsBy(table, profile, "region")).toEqual({
      column: "region",
      measures: ["units", "revenue"],
      groups: [
        { value: "North", rows: 4, sums: ["9", "894.20"] },
        { value: "South", rows: 3, sums: ["4", "437.00"] },
        { value: "East", rows: 3, sums: ["4", "916.50"] },
        { value: "West", rows: 2, sums: ["16", "733.00"] },
      ],
    });
  });

  it("reads Windows line endings, semicolons and decimal commas", () => {
    const unix = profileTable(parseTable(example("sales.csv"), ","));
    expect(profileTable(parseTable(example("sales-crlf.csv"), ","))).toEqual(unix);
    const german = profileTable(parseTable(example("sales-de.csv"), ";"));
    expect(german.columns.map(({ name, kind, sum }) => [name, kind, sum])).toEqual([
      ["Bestellung", "identifier", undefined],
      ["Datum", "date", undefined],
      ["Region", "text", undefined],
      ["Menge", "number", "22"],
      ["Umsatz", "number", "2181.20"],
    ]);
  });

  it("names columns of a table without a header, and repeated ones", () => {
    expect(parseTable("a,1\nb,2\n", ",")).toEqual({
      names: ["column 1", "column 2"],
      rows: [
        ["a", "1"],
        ["b", "2"],
      ],
      flaws: NO_FLAWS,
    });
    expect(parseTable("x,x,\n1,2,3\n", ",").names).toEqual(["x", "x (2)", "column 3"]);
    expect(parseTable("Land,2023,2024\nA,1,2\n", ",").names).toEqual(["Land", "2023", "2024"]);
  });

  it("ends lines at CR, LF and CRLF alike, but not inside of quotes", () => {
    const unix = parseTable('a,b\nx,"1\n2"\ny,3\n', ",");
    expect(parseTable('a,b\rx,"1\n2"\ry,3\r', ",")).toEqual(unix);
    expect(parseTable('a,b\r\nx,"1\n2"\ry,3\n', ",")).toEqual(unix);
    const old = profileTable(parseTable(example("sales.csv").replaceAll("\n", "\r"), ","));
    expect(old).toEqual(profileTable(parseTable(example("sales.csv"), ",")));
  });

  it("counts blank, short and long rows and a quote that stays open", () => {
    expect(parseTable("a,b\n\n1,2\n,\n3\n4,5,6\n  \n", ",")).toEqual({
      names: ["a", "b"],
      rows: [
        ["1", "2"],
        ["3", ""],
        ["4", "5"],
      ],
      flaws: { blankRows: 3, shortRows: 1, longRows: 1, openQuote: false },
    });
    expect(parseTable('a,b\n1,"x\n2,y\n', ",")).toEqual({
      names: ["a", "b"],
      rows: [["1", "x\n2,y"]],
      flaws: { ...NO_FLAWS, openQuote: true },
    });
  });

  it("adds up quantities and totals, but no prices and rates", () => {
    for (const name of [
      "unit_price",
      "Preis",
      "Hourly Rate",
      "hourlyRate",
      "rate",
      "growth %",
      "percentage",
      "单价",
    ])
      expect({ name, summable: isSummable(name) }).toEqual({ name, summable: false });
    for (const name of ["units", "Umsatz", "total_price", "Gesamtpreis", "operated", "meaning", "revenue"])
      expect({ name, summable: isSummable(name) }).toEqual({ name, summable: true });
  });

  it("fills short rows and counts missing values", () => {
    const { columns } = profileTable(parseTable("a,b\n1\n2,n/a\n3,5\n", ","));
    expect(columns[1]).toEqual({
      name: "b",
      kind: "number",
      filled: 1,
      empty: 2,
      distinct: 1,
      sum: "5",
      mean: "5",
      min: "5",
      max: "5",
    });
  });
});

describe("choices about a table", () => {
  const profile = profileTable(parseTable(example("sales.csv"), ","));

  it("find the delimiter outside of quotes", () => {
    expect(delimiterOf("a.csv", '"x;y;z",b\n1,2').name).toBe("comma");
    expect(delimiterOf("a.csv", "x;y;z\n1,5;2;3").name).toBe("semicolon");
    expect(delimiterOf("a.tsv", "only").name).toBe("tab");
    expect(delimiterOf("a.csv", "only").name).toBe("comma");
    expect(delimiterOf("a.csv", "x|y").name).toBe("pipe");
    expect(delimiterOf("a.csv", "x;y\r1,5,6,7;2\r").name).toBe("semicolon");
  });

  it("group by the column that the task names, else by one with a handful of values", () => {
    expect(chooseGroupColumn(profile, "Profile the table")).toBe("region");
    expect(chooseGroupColumn(profile, "Revenue by products, please")).toBe("product");
    expect(chooseGroupColumn({ rows: 3, flaws: NO_FLAWS, columns: [] }, "x")).toBeUndefined();
  });

  it("sort by the number that the task names, else by a telling one", () => {
    expect(choosePrimaryMeasure(["units", "revenue", "weight"], "total units")).toBe("units");
    expect(choosePrimaryMeasure(["units", "revenue", "weight"], "totals")).toBe("revenue");
    expect(choosePrimaryMeasure([], "totals")).toBeUndefined();
  });
});
