import { describe, expect, it } from "vitest";
import { OutputWindow } from "./output-window.js";

const filled = (limit: number, pieces: readonly string[]) => {
  const window = new OutputWindow(limit);
  for (const piece of pieces) window.add(piece);
  return { text: window.text(), truncated: window.truncated };
};

describe("the output window", () => {
  it("gives back a text that fits, however it was cut into pieces", () => {
    expect(filled(10, ["abc", "", "defg", "hij"])).toEqual({ text: "abcdefghij", truncated: false });
  });

  it("keeps both ends of a text that does not fit, and counts the rest", () => {
    expect(filled(4, ["abcdefgh"])).toEqual({
      text: "ab\n[… 4 characters left out …]\ngh",
      truncated: true,
    });
  });

  it("counts the same whether the text comes whole or by the character", () => {
    const text = "0123456789".repeat(50);
    expect(filled(20, [...text])).toEqual(filled(20, [text]));
  });
});
