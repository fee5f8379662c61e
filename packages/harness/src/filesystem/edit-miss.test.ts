import { describe, expect, it } from "vitest";
import { explainMiss } from "./edit-miss.js";

describe("explainMiss", () => {
  it.each([
    [
      "the final newline of the file",
      "a\nlast",
      "last\n",
      /once \(line 2\): the file ends there without one/,
    ],
    ["a final newline, and how often the rest occurs", "x\ny\nx", "x\n\n", /white space|final newline/],
    ["a line that goes on", "let a = 1; // one\n", "let a = 1;\n", /line 1\): the line goes on there/],
    [
      "the final newline of what occurs several times",
      "end;x\nend;y\nend",
      "end\n",
      /occurs 3 times \(first in line 1\): the file ends there without one\. .*add text around it/,
    ],
    [
      "white space",
      "if (x) {\n\treturn;\n}",
      "if (x) {\n    return;\n}",
      /Line 1 differs only in white space/,
    ],
    ["white space further down", "a\nb\nf( x )", "f(x)", /Line 3 differs only in white space/],
    ["trailing blanks", "a  \nb", "a\nb", /Line 1 differs only in white space/],
    ["case", "one\nHello World", "hello world", /Line 2 differs only in upper and lower case/],
    ["a carriage return in the file", "x\na\rb", "a\nb", /Line 2 differs only in line endings/],
    ["a carriage return in the text", "a\nb", "a\rb", /Line 1 differs only in line endings/],
    [
      "what follows the first line",
      "def f():\n  return 1",
      "def f():\n  return 2",
      /first line occurs at line 1, .* Read from line 1 on/,
    ],
    [
      "how many lines fit",
      "x\none\ntwo\nthree\nfour",
      "one\ntwo\nthree\nfive",
      /first 3 lines occur from line 2 on, .* Read from line 4 on/,
    ],
    [
      "the nearest line",
      "import a\nfunction readTheFile(path) {\n}\n",
      "function readFile(path) {",
      /most like its first one is line 2/,
    ],
    ["nothing about a brace", "a {\n}\n", "{\nb", /Read the file again/],
    ["an empty file", "", "x", /empty/],
    ["nothing in common", "abc", "xyz", /Read the file again/],
    ["white space alone", "abc", "\t\t", /Read the file again/],
  ])("names %s", (_, text, wanted, expected) => expect(explainMiss(text, wanted)).toMatch(expected));

  it("never shows what stands in the file", () => {
    const secret = "password = hunter2hunter2";
    for (const wanted of [
      "password = hunter3hunter2",
      "PASSWORD = hunter2hunter2",
      "password =  hunter2hunter2",
    ]) {
      expect(explainMiss(`a\n${secret}\n`, wanted)).toMatch(/line 2/i);
      expect(explainMiss(`a\n${secret}\n`, wanted)).not.toContain("hunter2");
    }
  });
});
