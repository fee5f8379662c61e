import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { array, assert, constantFrom, double, integer, oneof, property, tuple } from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROGRAM } from "./table-reading.js";
import { parseTable, profileTable, totalsBy } from "./table-profile.js";

let folder: string;
const place = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "deerflow-profile-"));
  writeFileSync(place("profile.mjs"), PROGRAM);
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]): string => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [place("profile.mjs"), ...args], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
};

const quoted = (cell: string): string => (/[",;\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

describe("the program that the demo model writes", () => {
  it.each(["sales.csv", "sales-crlf.csv", "sales-de.csv"])("agrees with the library on %s", (name) => {
    const file = new URL(`../../../../../examples/${name}`, import.meta.url);
    const [sign, word] = name.includes("-de") ? [";", "semicolon"] : [",", "comma"];
    const table = parseTable(readFileSync(file, "utf8"), sign);
    const profile = profileTable(table);
    expect(JSON.parse(run(file.pathname, word))).toEqual(profile);
    expect(JSON.parse(run(file.pathname, word, "3"))).toEqual(totalsBy(table, profile, table.names[2] ?? ""));
  });

  it.each([
    ["old Macintosh lines", 'key,n\rx,1.50\ry,"2\n"\r'],
    ["mixed lines, blank and ragged rows", "\nkey,n,price\r\nx,1.5,2\r\ry\nz,3,4,5\n,,\n \n"],
    ["an open quote", 'key,n\nx,1\ny,"2\nz,3\n'],
    ["a header alone", "key,n\n"],
    ["a single column", "n\n1\n\n2\n"],
  ])("agrees with the library on %s", (_, text) => {
    writeFileSync(place("odd.csv"), text);
    const table = parseTable(text, ",");
    const profile = profileTable(table);
    expect(JSON.parse(run(place("odd.csv"), "comma"))).toEqual(profile);
    expect(JSON.parse(run(place("odd.csv"), "comma", "1"))).toEqual(
      totalsBy(table, profile, table.names[0] ?? ""),
    );
  });

  it("agrees with the library on any table", () => {
    const cell = oneof(
      constantFrom(
        "",
        "n/a",
        "North",
        "a,b",
        'say "x"',
        "two\nlines",
        "2024-01-05",
        "1,234.50",
        "12,5",
        "-7",
        "1e3",
      ),
      integer().map(String),
      double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }).map(String),
    );
    const rows = array(tuple(cell, cell, cell), { minLength: 1, maxLength: 20 });
    assert(
      property(rows, constantFrom("\n", "\r", "\r\n"), (body, end) => {
        const text = [["key", "left", "right"], ...body].map((row) => row.map(quoted).join(",")).join(end);
        writeFileSync(place("table.csv"), text);
        const table = parseTable(text, ",");
        const profile = profileTable(table);
        expect(JSON.parse(run(place("table.csv"), "comma"))).toEqual(profile);
        expect(JSON.parse(run(place("table.csv"), "comma", "1"))).toEqual(totalsBy(table, profile, "key"));
      }),
      { numRuns: 8 },
    );
  });

  it("adds its check to a report once, however often it runs", () => {
    writeFileSync(place("few.csv"), "region,units\nA,1\nB,2\n");
    writeFileSync(place("report.md"), "# Report\n");
    run(place("few.csv"), "comma", "0", place("report.md"));
    run(place("few.csv"), "comma", "0", place("report.md"));
    expect(readFileSync(place("report.md"), "utf8")).toBe(
      "# Report\n\n## Check\n\nThe program read the table again: 2 rows, units 3.\n",
    );
  });
});
