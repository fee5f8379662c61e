import { describe, expect, it } from "vitest";
import { globMatcher } from "./glob-pattern.js";

const PATHS = [
  "/w/a.py",
  "/w/b.py",
  "/w/.env",
  "/w/readme.md",
  "/w/src/c.py",
  "/w/src/d.ts",
  "/w/src/deep/e.py",
  "/w/.github/workflows/ci.yml",
  "/w/config/app.yml",
  "/w/odd (1).txt",
];
const found = (pattern: string, root = "/w") =>
  PATHS.filter(globMatcher(pattern, root)).map((path) => path.slice(3));

describe("globMatcher", () => {
  it.each([
    ["*.py", ["a.py", "b.py", "src/c.py", "src/deep/e.py"]],
    ["a.py", ["a.py"]],
    ["*.yml", [".github/workflows/ci.yml", "config/app.yml"]],
    [".env", [".env"]],
    ["*env", [".env"]],
    ["**/*.yml", ["config/app.yml"]],
    [".github/**", [".github/workflows/ci.yml"]],
    ["**/.github/**/*.yml", [".github/workflows/ci.yml"]],
    ["/*.py", ["a.py", "b.py"]],
    ["./a.py", ["a.py"]],
    ["src/*.py", ["src/c.py"]],
    ["src/**/*.py", ["src/c.py", "src/deep/e.py"]],
    ["src/**", ["src/c.py", "src/d.ts", "src/deep/e.py"]],
    ["**/*.py", ["a.py", "b.py", "src/c.py", "src/deep/e.py"]],
    ["/w/src/*.ts", ["src/d.ts"]],
    ["*.{py,ts}", ["a.py", "b.py", "src/c.py", "src/d.ts", "src/deep/e.py"]],
    ["{a,{b,readme}}.*", ["a.py", "b.py", "readme.md"]],
    ["{*.ts,*.tsx,*.js,*.md,*.d}", ["readme.md", "src/d.ts"]],
    ["{src,config}/*", ["src/c.py", "src/d.ts", "config/app.yml"]],
    ["?.py", ["a.py", "b.py", "src/c.py", "src/deep/e.py"]],
    ["[ab].py", ["a.py", "b.py"]],
    ["[!a].py", ["b.py", "src/c.py", "src/deep/e.py"]],
    ["[^a].py", ["b.py", "src/c.py", "src/deep/e.py"]],
    ["a.py/**", []],
    ["*.{py", []],
    ["[a-", []],
    ["!a.py", []],
    ["odd (1).txt", ["odd (1).txt"]],
    ["A.PY", []],
  ])("finds by %j", (pattern, expected) => expect(found(pattern)).toEqual(expected));

  it("takes the root of everything as well as any folder", () => {
    expect(found("/w/src/*.ts", "/")).toEqual(["src/d.ts"]);
    expect(found("*.yml", "/w/config")).toContain("config/app.yml");
  });

  it.each(["", "../x", "a/../b", "a\nb", "x".repeat(1001), "*a*b*c*d"])("refuses %j", (pattern) => {
    expect(() => globMatcher(pattern, "/w")).toThrow(expect.objectContaining({ code: "pattern_invalid" }));
  });

  it("answers at once even for a hostile pattern and name", () => {
    const matches = globMatcher("*a*a*a*", "/w");
    const begin = performance.now();
    expect(matches(`/w/${"a".repeat(200)}`)).toBe(true);
    expect(globMatcher("*a*a*ab", "/w")(`/w/${"a".repeat(255)}`)).toBe(false);
    expect(performance.now() - begin).toBeLessThan(1000);
  });
});
