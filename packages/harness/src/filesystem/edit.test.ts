import { describe, expect, it } from "vitest";
import { applyEdit, type Edit, explainMiss } from "./edit.js";

const edit = (text: string, oldText: string, newText: string, replaceAll = false) =>
  applyEdit("/f", text, { oldText, newText, replaceAll } satisfies Edit);

describe("applyEdit", () => {
  it.each([
    ["one place", "a b c", "b", "B", "a B c"],
    ["a deletion", "a b c", " b", "", "a c"],
    [
      "lines of a CRLF file, quoted with LF",
      "alpha\r\nbeta\r\ngamma\r\nomega\r\n",
      "beta\ngamma\n",
      "BETA\nGAMMA\nDELTA\n",
      "alpha\r\nBETA\r\nGAMMA\r\nDELTA\r\nomega\r\n",
    ],
    ["lines of an LF file, quoted with CRLF", "a\nb\n", "a\r\nb", "A\r\nB", "A\nB\n"],
    ["one line of a mixed file", "a\r\nb\nc\r\n", "b", "B", "a\r\nB\nc\r\n"],
    ["one line of a mixed file by two", "a\r\nb\nc\r\n", "c", "C\nD", "a\r\nb\nC\r\nD\r\n"],
    ["the last line of a CRLF file by two", "a\r\nb", "b", "b\nc", "a\r\nb\r\nc"],
    ["mixed endings line by line", "a\r\nb\nc", "a\nb\nc", "1\n2\n3\n4", "1\r\n2\n3\n4"],
    ["an empty file", "", "", "new\n", "new\n"],
    ["text beside letters of two code units", "😀x😀", "x", "y", "😀y😀"],
  ])("replaces %s", (...[, text, oldText, newText, expected]) => {
    expect(edit(text, oldText, newText)).toEqual({ text: expected, replacements: 1 });
  });

  it.each(["$&", "$$", "$1", "$`", "$'", "$<name>", "\\n", "%s", "$& $$ $1 $` $'"])(
    "inserts %j literally, once and everywhere",
    (literal) => {
      expect(edit("say(x);", "x", literal).text).toBe(`say(${literal});`);
      expect(edit("x x", "x", literal, true)).toEqual({ text: `${literal} ${literal}`, replacements: 2 });
    },
  );

  it("takes the old text literally too", () => {
    expect(edit("a.c abc", "a.c", "x").text).toBe("x abc");
  });

  it("replaces all without overlaps, in a CRLF file too", () => {
    expect(edit("aaaa", "aa", "b", true)).toEqual({ text: "bb", replacements: 2 });
    expect(edit("x\r\ny\r\nx\r\ny\r\n", "x\ny", "z\nz", true).text).toBe("z\r\nz\r\nz\r\nz\r\n");
  });

  it.each([
    ["edit_unchanged", "a", "a", "a"],
    ["edit_unchanged", "a\r\nb", "a\nb", "a\r\nb"],
    ["edit_empty", "a", "", "b"],
    ["edit_ambiguous", "a\na\n", "a", "b"],
    ["edit_not_found", "a", "z", "b"],
  ])("refuses with %s", (code, text, oldText, newText) => {
    expect(() => edit(text, oldText, newText)).toThrow(expect.objectContaining({ code, retry: "model" }));
  });

  it("says how often and where, when the text occurs several times", () => {
    expect(() => edit("a\nb\na\n", "a", "x")).toThrow(/occurs 2 times in \/f \(lines 1, 3\)/);
  });
});

describe("explainMiss", () => {
  it.each([
    ["the final newline", "a\nlast", "last\n", /final newline.*line 2/],
    [
      "white space",
      "if (x) {\n\treturn;\n}",
      "if (x) {\n    return;\n}",
      /Line 1 differs only in white space/,
    ],
    ["trailing blanks", "a  \nb", "a\nb", /white space/],
    ["case", "Hello World", "hello world", /upper and lower case/],
    [
      "what follows the first line",
      "def f():\n  return 1",
      "def f():\n  return 2",
      /first line occurs at line 1/,
    ],
    ["an empty file", "", "x", /empty/],
    ["nothing in common", "abc", "xyz", /Read the file again/],
    ["white space alone", "abc", "\t\t", /Read the file again/],
  ])("names %s", (_, text, wanted, expected) => expect(explainMiss(text, wanted)).toMatch(expected));
});
