import { describe, expect, it } from "vitest";
import { cutHead, cutMiddle, excerpt, lineWindow } from "./paging.js";

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

describe("cutHead", () => {
  it("leaves a text within the limit alone", () => {
    expect(cutHead(lineWindow(TEN), TEN.length)).toEqual({ text: TEN, truncated: false, end: 10 });
  });

  it("cuts after a whole line and names the next one", () => {
    expect(cutHead(lineWindow(TEN, 2), 20)).toEqual({
      text: "line 2\nline 3\n[Cut at 20 characters: lines 2 to 3 of 10. Go on with start_line=4.]",
      truncated: true,
      end: 3,
    });
  });

  it("cuts inside a line that is longer than the limit", () => {
    expect(cutHead(lineWindow(`${"x".repeat(50)}\nnext\n`), 20)).toEqual({
      text: `${"x".repeat(20)}\n[Cut: 20 of the 50 characters of line 1 of 2. Go on with start_line=2.]`,
      truncated: true,
      end: 1,
    });
  });

  it("shows every line once when a reader follows the notices", () => {
    const text = Array.from({ length: 200 }, (_, index) => `${"y".repeat(index % 40)}${index}\n`).join("");
    let [seen, next] = ["", 1];
    for (;;) {
      const cut = cutHead(lineWindow(text, next), 500);
      seen += cut.truncated ? cut.text.slice(0, cut.text.lastIndexOf("[Cut")) : cut.text;
      if (!cut.truncated) break;
      next = cut.end + 1;
    }
    expect(seen).toBe(text);
  });
});

describe("cutMiddle", () => {
  it("keeps both ends", () => {
    expect(cutMiddle("0123456789", 10)).toBe("0123456789");
    expect(cutMiddle("abcdefghij$&", 4)).toBe("ab\n[… 8 of 12 characters cut here …]\n$&");
  });
});

describe("excerpt", () => {
  it("keeps what matters of a long line", () => {
    const line = `${"x".repeat(5000)}needle${"x".repeat(5000)}`;
    const cut = excerpt(line, 5000, 200);
    expect(cut).toHaveLength(200);
    expect(cut).toMatch(/^…x+needlex+…$/);
    expect(excerpt(line, 0, 200)).toMatch(/^x+…$/);
    expect(excerpt(`${"x".repeat(300)}end`, 300, 200)).toMatch(/^…x+end$/);
    expect(excerpt("short", 3, 200)).toBe("short");
  });
});
