import { describe, expect, it } from "vitest";
import { decodeText, encodeText, isEncodable, lineEndingOf } from "./text.js";

const hex = (value: string): Uint8Array => Buffer.from(value, "hex");

describe("decodeText", () => {
  it.each([
    ["plain text", "6162", { text: "ab", byteOrderMark: false }],
    ["an empty file", "", { text: "", byteOrderMark: false }],
    ["a byte-order mark", "efbbbf61", { text: "a", byteOrderMark: true }],
    ["Windows line endings", "610d0a", { text: "a\r\n", byteOrderMark: false }],
    ["GBK bytes", "d3e0b6ee", undefined],
    ["a Latin-1 letter", "636166e9", undefined],
    ["a NUL", "610062", undefined],
    ["UTF-16", "fffe6100", undefined],
    ["an encoded surrogate", "eda080", undefined],
  ])("reads %s", (_, bytes, expected) => {
    expect(decodeText(hex(bytes))).toEqual(expected);
  });

  it.each(["6162", "efbbbf610d0a", "efbbbf", "e69687e4bbb60a"])("gives %s back unchanged", (bytes) => {
    const decoded = decodeText(hex(bytes));
    expect(decoded && Buffer.from(encodeText(decoded)).toString("hex")).toBe(bytes);
  });
});

describe("encodeText", () => {
  it("writes one byte-order mark, never two", () => {
    for (const text of ["a", "\uFEFFa"]) {
      expect(Buffer.from(encodeText({ text, byteOrderMark: true })).toString("hex")).toBe("efbbbf61");
    }
    expect(Buffer.from(encodeText({ text: "\uFEFFa", byteOrderMark: false })).toString("hex")).toBe(
      "efbbbf61",
    );
  });

  it("knows what cannot be encoded", () => {
    expect([isEncodable("😀 文"), isEncodable("\ud83d")]).toEqual([true, false]);
  });
});

describe("lineEndingOf", () => {
  it.each([
    ["a\r\nb\r\n", "\r\n"],
    ["a\r\nb\n", "\n"],
    ["a\nb\n", "\n"],
    ["a", "\n"],
    ["", "\n"],
  ])("of %j is %j", (text, ending) => expect(lineEndingOf(text)).toBe(ending));
});
