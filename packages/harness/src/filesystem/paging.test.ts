import { describe, expect, it } from "vitest";
import { cutMiddle, lineWindow } from "./paging.js";

const TEN = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join("");

describe("lineWindow", () => {
  it.each([
    ["all", TEN, undefined, undefined, { text: TEN, start: 1, end: 10, total: 10 }],
    ["a window", TEN, 2, 3, { text: "line 2\nline 3\n", start: 2, end: 3, total: 10 }],
    ["to the end", TEN, 10, undefined, { text: "line 10\n", start: 10, end: 10, total: 10 }],
    ["beyond the end", TEN, 9, 99, { text: "line 9\nline 10\n", start: 9, end: 10, total: 10 }],
    ["past the end", TEN, 11, 12, { text: "", start: 11, end: 10, total: 10 }],
    ["from before the start", TEN, -5, 1, { text: "line 1\n", start: 1, end: 1, total: 10 }],
    ["a last line without newline", "a\nb", 2, 2, { text: "b", start: 2, end: 2, total: 2 }],
    ["blank lines", "\n\n", 1, 2, { text: "\n\n", start: 1, end: 2, total: 2 }],
    ["an empty text", "", 1, undefined, { text: "", start: 1, end: 0, total: 0 }],
    ["only line feeds as ends", "a\fb\u2028c\n", 1, 1, { text: "a\fb\u2028c\n", start: 1, end: 1, total: 1 }],
  ])("gives %s", (...[, text, start, end, expected]) =>
    expect(lineWindow(text, start, end)).toEqual(expected),
  );
});

describe("cutMiddle", () => {
  it("keeps both ends", () => {
    expect(cutMiddle("0123456789", 10)).toBe("0123456789");
    expect(cutMiddle("abcdefghij$&", 4)).toBe("ab\n[… 8 of 12 characters cut here …]\n$&");
  });
});
