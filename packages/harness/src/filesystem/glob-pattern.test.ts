import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { globAnchor, globMatcher } from "./glob-pattern.js";
import CASES from "./glob-cases.json" with { type: "json" };

const found = (pattern: string): readonly string[] =>
  CASES.tree.filter((name) => globMatcher(pattern, "/w")(`/w/${name}`));

describe("globMatcher", () => {
  it.each(CASES.rows)("finds by $pattern: $means", ({ pattern, found: expected }) => {
    expect(found(pattern).toSorted()).toEqual(expected.toSorted());
  });

  it("takes the root of everything as well as any folder", () => {
    expect(globMatcher("/w/src/*.ts", "/")("/w/src/d.ts")).toBe(true);
    expect(globMatcher("src/*.ts", "/")("/w/src/d.ts")).toBe(false);
    expect(globMatcher("/w/{a,b/c}/*.ts", "/w")("/w/b/c/d.ts")).toBe(true);
    expect(globMatcher("/w", "/w")("/w/w")).toBe(true);
  });

  it.each([
    ["", /empty/],
    ["../x", /\.\. segment/],
    ["a/../b", /\.\. segment/],
    ["{..,a}/b", /\.\. segment/],
    ["a\nb", /control character/],
    ["x".repeat(1001), /too long/],
    ["{1..1001}", /more than 1000 patterns/],
    ["{1..999999999}/x", /more than 1000 patterns/],
    [`${"{a,b}".repeat(10)}`, /more than 1000 patterns/],
    [`${"{a,".repeat(200)}${"}".repeat(200)}{1..9}`, /more than 1000 patterns/],
  ])("refuses %j", (pattern, message) => {
    expect(() => globMatcher(pattern, "/w")).toThrow(
      expect.objectContaining({ code: "pattern_invalid", message: expect.stringMatching(message) }),
    );
  });

  it("answers at once even for a hostile pattern and name", () => {
    const name = "a".repeat(255);
    const deep = `/w/${"a/".repeat(100)}b`;
    const hostile = [
      "*a".repeat(127) + "b",
      "(a+)+b",
      "+(a|aa)+b",
      "**/".repeat(300) + "c",
      "*/**/".repeat(190),
    ];
    const begin = performance.now();
    for (const pattern of hostile) {
      expect([globMatcher(pattern, "/w")(`/w/${name}`), globMatcher(pattern, "/w")(deep)]).toEqual([
        false,
        false,
      ]);
    }
    expect(performance.now() - begin).toBeLessThan(1000);
  });

  it("means in a single name what a regular expression would", () => {
    const part = fc.constantFrom(
      ["a", "a"],
      ["-", "-"],
      [".", "[.]"],
      ["*", ".*"],
      ["?", "."],
      ["[ab]", "[ab]"],
      ["[!a]", "[^a]"],
      ["[^b-]", "[^b-]"],
      ["{a,b}", "(?:a|b)"],
      ["{a,{b,*c}}", "(?:a|b|.*c)"],
    );
    const name = fc.string({ unit: fc.constantFrom("a", "b", "-", ".", "c"), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), name, (parts, path) => {
        const pattern = parts.map(([ours]) => ours).join("");
        fc.pre(!pattern.includes(".."));
        const expected = new RegExp(`^${parts.map(([, theirs]) => theirs).join("")}$`).test(path);
        expect(globMatcher(pattern, "/")(`/${path}`)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("globAnchor", () => {
  it.each([
    ["/mnt/w/src/*.ts", "/mnt/w/src"],
    ["/mnt/w/a.txt", "/mnt/w"],
    ["/mnt/{w,v}/x/*.ts", "/mnt"],
    ["/mnt/{w/a,v}/*.ts", "/mnt"],
    ["/a/b\\*/c", "/a"],
    ["/**/x", "/"],
    ["/*.ts", "/"],
    ["/", "/"],
    ["//a/./b/*", "/a/b"],
    ["*.ts", "/"],
    ["src/*.ts", "/"],
  ])("of %s is %s", (pattern, anchor) => expect(globAnchor(pattern)).toBe(anchor));
});
