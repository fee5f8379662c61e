import { describe, expect, it } from "vitest";
import { assertSearchable, ripgrepExpression } from "./search-pattern.js";

const search = (pattern: string, literal = false) => ({ pattern, literal, caseSensitive: true });

describe("assertSearchable", () => {
  it.each(["", "a\nb", "a\rb", "a\\nb", "\\\\\\n", "x".repeat(1001)])("refuses %j", (pattern) => {
    expect(() => assertSearchable(search(pattern))).toThrow(
      expect.objectContaining({ code: "pattern_invalid", retry: "model" }),
    );
  });

  it.each(["a", "[^\\n]+", "a[^x\\n]b", "\\\\n", "x".repeat(1000)])("takes %j", (pattern) => {
    expect(() => assertSearchable(search(pattern))).not.toThrow();
  });

  it("takes a backslash and an n as plain text", () => {
    expect(() => assertSearchable(search("a\\n", true))).not.toThrow();
  });
});

describe("ripgrepExpression", () => {
  it.each([
    ["plain text as it is", "foo-bar_1", "foo-bar_1"],
    ["RE2's ASCII classes", "\\d\\s[\\w.]", "[0-9][\\t\\f\\r ][0-9A-Za-z_.]"],
    ["a dot with bytes that are not UTF-8", "a.b", "a(?:.|(?-u:[\\x80-\\xFF]){1,3})b"],
    ["the start of a line with a byte-order mark", "^a", "(?:^\\x{FEFF}?)a"],
    ["the end of a line with a CR", "a$", "a(?:\\r?$)"],
    ["a class that is plain", "[a-z0-9]+", "[a-z0-9]+"],
    ["anchors in a class as characters", "[$^.]", "(?:[$^.]|(?-u:[\\x80-\\xFF]){1,3})"],
    ["what would be an operation on classes", "[a&~b]", "(?:[a\\&\\~b]|(?-u:[\\x80-\\xFF]){1,3})"],
    ["an escaped dot", "a\\.b", "a\\.b"],
  ])("writes %s", (_, ours, theirs) => expect(ripgrepExpression(search(ours))).toBe(theirs));

  it.each(["\\Aa", "a\\z", "\\Qa\\E", "[a[b]", "[+--]", "$^", "\uFFFD", "\\x{FFFD}"])(
    "has no spelling for %j",
    (pattern) => {
      expect(ripgrepExpression(search(pattern))).toBeUndefined();
    },
  );

  it("leaves literal text alone, but for the stand-in of what is no character", () => {
    expect(ripgrepExpression(search("^a.$", true))).toBe("^a.$");
    expect(ripgrepExpression(search("a\uFFFD", true))).toBeUndefined();
  });
});
