import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEdit, type Edit } from "./edit.js";
import { decodeText, encodeText, withPlainLineEndings } from "./text.js";

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

describe("applyEdit on the bytes of a file", () => {
  const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(" ", ""), "hex");
  const edited = (hex: string, oldText: string, newText: string, replaceAll = false): string => {
    const before = decodeText(bytes(hex));
    if (before === undefined) return "refused";
    const { text } = edit(before.text, oldText, newText, replaceAll);
    return Buffer.from(encodeText({ ...before, text })).toString("hex");
  };

  it.each([
    [
      "writes new lines of a CRLF file with CRLF",
      "616c7068610d0a626574610d0a67616d6d610d0a6f6d6567610d0a",
      ["beta\ngamma\n", "BETA\nGAMMA\nDELTA\n"],
      "616c7068610d0a424554410d0a47414d4d410d0a44454c54410d0a6f6d6567610d0a",
    ],
    ["leaves mixed endings as they are", "610d0a620a630d0a", ["b", "B"], "610d0a420a630d0a"],
    [
      "keeps a byte-order mark, which stands in no one's way",
      "efbbbf72617465203d20350a756e6974203d206b670a",
      ["rate = 5\nunit = kg", "rate = 7\nunit = kg"],
      "efbbbf72617465203d20370a756e6974203d206b670a",
    ],
    [
      "refuses to rewrite what is not UTF-8",
      "6c696d6974203d2031300a2320d3e0b6ee0a",
      ["limit = 10", "limit = 20"],
      "refused",
    ],
    [
      "takes dollar signs as they are",
      "736179282278 22293b0a",
      ['say("x");', 'say("$& $$ $1 $` $\'");'],
      "7361792822242620242420243120246020242722293b0a",
    ],
  ])("%s", (...[, before, [oldText = "", newText = ""], after]) => {
    for (const replaceAll of [false, true]) expect(edited(before, oldText, newText, replaceAll)).toBe(after);
  });

  it("keeps every byte that it does not replace", () => {
    const unit = fc.constantFrom("a", "b", "ab", "\n", "\r\n", "\r", "é", "😀", " ");
    const plainUnit = fc.constantFrom("a", "b", "\n", "\r", "x", "é", "$&", "😀");
    fc.assert(
      fc.property(
        fc.array(unit, { minLength: 1, maxLength: 40 }),
        fc.nat(),
        fc.integer({ min: 1, max: 6 }),
        fc.array(plainUnit, { maxLength: 5 }).map((units) => units.join("")),
        (units, from, length, newText) => {
          const text = units.join("");
          const plain = withPlainLineEndings(text);
          const start = from % plain.length;
          const oldText = plain.slice(start, start + length);
          fc.pre(withPlainLineEndings(oldText) === oldText && oldText !== withPlainLineEndings(newText));
          const result = edit(text, oldText, newText, true);
          const kept = untouched(text, oldText);
          expect(result.replacements).toBe(kept.length - 1);
          // A CR that stood alone may have got its LF.
          if (!/\r(?!\n)/.test(text + newText)) {
            expect(withPlainLineEndings(result.text)).toBe(withPlainLineEndings(kept.join(newText)));
          }
          expect(withoutInOrder(result.text, kept)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  /** The stretches of `text` between the places where `oldText` stands, found one character at a time. */
  function untouched(text: string, oldText: string): readonly string[] {
    const units = text.match(/\r\n|[\s\S]/g) ?? [];
    const wanted = Array.from({ length: oldText.length }, (_, index) => oldText[index]);
    const kept = [""];
    for (let at = 0; at < units.length; ) {
      const isHit = wanted.every(
        (character, index) => units[at + index]?.replace("\r\n", "\n") === character,
      );
      if (isHit) kept.push("");
      else kept.push(`${kept.pop()}${units[at]}`);
      at += isHit ? wanted.length : 1;
    }
    return kept;
  }

  /** Whether `parts` stand in `text` in this order, the first at its start and the last at its end. */
  function withoutInOrder(text: string, parts: readonly string[]): boolean {
    if (!text.startsWith(parts[0] ?? "") || !text.endsWith(parts.at(-1) ?? "")) return false;
    let at = 0;
    return parts.every((part) => {
      const found = text.indexOf(part, at);
      at = found + part.length;
      return found !== -1;
    });
  }
});

describe("applyEdit on hostile input", () => {
  /** Each takes well under a second; in a way that goes over the text again and again it would be minutes. */
  const PATIENCE = 20_000;
  const LONG = "a".repeat(2_000_000);
  const almost = `${"a".repeat(25_000)}b${"a".repeat(25_000)}`;
  const lines = `${"ab\n".repeat(15_000)}x\n${"ab\n".repeat(15_000)}`;

  it.each([
    ["one long line that the text almost fits", LONG, almost],
    ["many lines that the text almost fits", "ab\n".repeat(700_000), lines],
    ["a final newline too much", LONG, `${"a".repeat(100_000)}b\n`],
    ["white space", " \t".repeat(1_000_000), ` ${"\t".repeat(100_000)}x`],
    ["a megabyte of similar lines", "const value = 1;\n".repeat(60_000), "const volume = 2;\nconst x"],
  ])(
    "answers soon about %s",
    (_, text, oldText) => {
      expect(() => edit(text, oldText, "new")).toThrow(expect.objectContaining({ code: "edit_not_found" }));
    },
    PATIENCE,
  );

  it(
    "replaces many places soon, and refuses to make a file that fits nowhere",
    () => {
      expect(edit("a".repeat(100_000), "a", "b\n", true).replacements).toBe(100_000);
      const tooLarge = expect.objectContaining({ code: "edit_too_large" });
      expect(() => edit("a".repeat(100_001), "a", "b", true)).toThrow(tooLarge);
      expect(() => edit(`x${" ".repeat(16 * 1024 * 1024)}`, "x", "y")).toThrow(tooLarge);
      expect(() => edit("a".repeat(100_000), "a", "b".repeat(1000), true)).toThrow(
        expect.objectContaining({ code: "edit_too_large", retry: "model" }),
      );
    },
    PATIENCE,
  );
});
