import { describe, expect, it } from "vitest";
import { MAX_SYNOPSIS_CHARACTERS, synopsisOf } from "./synopsis-of.js";

const repeat = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

const levels = ["INFO", "INFO", "WARN", "ERROR"];

describe("synopsisOf", () => {
  it.each<[string, string, string, string]>([
    [
      "a JSON list",
      JSON.stringify([{ id: 1, tags: ["a"], deep: { deeper: { deepest: 1 } }, none: null }, { id: 2 }]),
      "json",
      "JSON: list of 2, the first: { id: number; tags: list of 1; deep: { deeper: object with 1 keys }; none: null }",
    ],
    ["an empty JSON object", " {} ", "json", "JSON: {  }"],
    [
      "JSON lines",
      repeat(9, (n) => JSON.stringify({ n, ok: true })),
      "json-lines",
      "JSON, one value a line, the first: { n: number; ok: boolean }",
    ],
    [
      "CSV with a sign inside quotes",
      `name,city\n${repeat(50, (n) => `"Doe, J${n}",Rome`)}\n`,
      "table",
      'Table (CSV) with 2 columns and 50 rows.\nColumns: name, city\nFirst row: "Doe, J0",Rome',
    ],
    [
      "TSV",
      `a\tb\tc\n${repeat(5, () => "1\t2\t3")}`,
      "table",
      "Table (TSV) with 3 columns and 5 rows.\nColumns: a, b, c\nFirst row: 1 2 3",
    ],
    [
      "a Markdown table",
      "| Name | Age |\n| --- | ---: |\n| Ada | 36 |\n| Alan | 41 |",
      "table",
      "Table (Markdown) with 2 columns and 2 rows.\nColumns: Name, Age\nFirst row: | Ada | 36 |",
    ],
    [
      "a log with commas in its times",
      repeat(40, (n) => `2026-01-01 10:00:00,${n} ${levels[n % 4]} step ${n}`),
      "log",
      "Log. Lines by level: error 10, warning 10, info 20.\n" +
        "First error, line 4: 2026-01-01 10:00:00,3 ERROR step 3\n" +
        "Last error, line 40: 2026-01-01 10:00:00,39 ERROR step 39",
    ],
    ["prose", "one two\n\nthree\n", "text", "Text. 3 lines, 3 words."],
    ["an empty text", "", "text", "Text. 0 lines, 0 words."],
  ])("describes %s", (_name, text, kind, description) => {
    expect(synopsisOf(text)).toEqual({ kind, text: description });
  });

  it.each<[string, string, readonly string[]]>([
    [
      "TypeScript",
      "export class Shelf<T> {\n  add() {}\n}\nexport async function load(path: string) {\n}\nconst twice = (n: number): number => n * 2;\nexport type Pair = [1, 2];\n",
      ["1: export class Shelf<T> {", "4: export async function load(path: string) {", "6: const twice ="],
    ],
    [
      "Python",
      "import os\n\nclass Shelf(Base):\n    def add(self):\n        pass\n\nasync def load(path):\n    pass\n",
      ["3: class Shelf(Base):", "4: def add(self):", "7: async def load(path):"],
    ],
    [
      "Go",
      "type Shelf struct {\n}\n\nfunc (s *Shelf) Add(n int) {\n}\n\nfunc Load() error {\n}\n",
      ["1: type Shelf struct {", "4: func (s *Shelf) Add(n int) {", "7: func Load() error {"],
    ],
    [
      "Rust",
      "pub struct Shelf {\n}\nimpl Shelf {\n    pub fn add(&self) {}\n}\nfn load() {}\n",
      ["1: pub struct Shelf {", "3: impl Shelf {", "4: pub fn add(&self) {}", "6: fn load() {}"],
    ],
    [
      "Java",
      "public class Shelf {\n  private static int add(int n) {\n  }\n  public void load() {\n  }\n}\n",
      ["1: public class Shelf {", "2: private static int add(int n) {", "4: public void load() {"],
    ],
  ])("outlines %s", (_name, text, lines) => {
    const synopsis = synopsisOf(text);
    expect(synopsis.kind).toBe("code");
    for (const line of lines) expect(synopsis.text).toContain(line);
  });

  it("does not take a sentence that begins like a definition for code", () => {
    expect(synopsisOf(repeat(900, (n) => (n % 300 === 0 ? "class trip (to Rome)" : "A line."))).kind).toBe(
      "text",
    );
  });

  it("takes broken JSON and a table with a ragged row for text", () => {
    expect(synopsisOf(`{"a": [1, 2`).kind).toBe("text");
    expect(synopsisOf("a,b\n1,2\n1,2,3\n").kind).toBe("text");
  });

  it("is short whatever it is given", () => {
    const long = "x".repeat(2_000_000);
    const texts = [
      JSON.stringify(
        Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`key\n${n}${"k".repeat(90)}`, n])),
      ),
      "[".repeat(1_000_000) + "]".repeat(1_000_000),
      JSON.stringify({ __proto__: 1, constructor: { prototype: [] } }),
      repeat(4000, (n) => `function f${n}(${"a".repeat(200)}) {`),
      `a,b\n${long},1\n2,3`,
      `const ${"a".repeat(250)}${" ".repeat(40)}`.repeat(4000),
      `class ${" ".repeat(290)}\n`.repeat(4000),
      repeat(30_000, () => `[error] ${"=".repeat(190)}`),
      "|".repeat(2_000_000),
      long,
      "\n".repeat(2_000_000),
      "\ud800".repeat(5000),
    ];
    for (const text of texts) {
      const { text: description } = synopsisOf(text);
      expect(description.length).toBeLessThanOrEqual(MAX_SYNOPSIS_CHARACTERS);
    }
  });
});
