import { describe, expect, it } from "vitest";
import { DeerflowError } from "./errors.js";
import { isWithin, listedPath, nameOf, parentOf, parseVirtualPath, shownPath } from "./virtual-path.js";

describe("parseVirtualPath", () => {
  it.each([
    ["/", "/"],
    ["/.", "/"],
    ["//", "/"],
    ["//secrets/key", "/secrets/key"],
    ["///x", "/x"],
    ["/./foo//bar", "/foo/bar"],
    ["/a/", "/a"],
    ["/a..b", "/a..b"],
    ["/report..final", "/report..final"],
    ["/[...slug]/page.tsx", "/[...slug]/page.tsx"],
    ["/~/x", "/~/x"],
    ["/a b/ü/文件.md", "/a b/ü/文件.md"],
    [`/${"n".repeat(255)}`, `/${"n".repeat(255)}`],
  ])("folds %j to %j", (given, canonical) => {
    expect(parseVirtualPath(given)).toBe(canonical);
  });

  it.each([
    ["", "it is empty"],
    ["  ", "it is empty"],
    [".", "it is not absolute"],
    ["rel.txt", "it is not absolute"],
    ["/../x", "it holds a .. segment"],
    ["/a/../../x", "it holds a .. segment"],
    ["/a/..", "it holds a .. segment"],
    ["/a\\..\\b", "it holds a .. segment"],
    ["~/x", "~ is not expanded here"],
    ["C:\\x", "it is a Windows path"],
    ["d:/x", "it is a Windows path"],
    ["/a\u0000b", "it holds a control character"],
    ["/a\nb", "it holds a control character"],
    ["/\ud800", "it is not valid Unicode"],
    [`/${"n".repeat(256)}`, "it is too long"],
    [`/${"文".repeat(86)}`, "it is too long"],
    ["/a".repeat(2049), "it is too long"],
  ])("refuses %j: %s", (given, reason) => {
    const thrown = (() => {
      try {
        return parseVirtualPath(given);
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(DeerflowError);
    expect(thrown).toMatchObject({ code: "path_invalid", retry: "model", details: { reason } });
  });

  it("never repeats an over-long path whole", () => {
    expect(() => parseVirtualPath(`/${"n".repeat(5000)}`)).toThrow(/^.{0,300}$/s);
    expect(shownPath("/a\u0000b")).toBe("/a\\u0000b");
  });

  it("shows in a message what steers a terminal, turns text round or is not seen", () => {
    expect(shownPath("/\u009b1m\u007f\u202ea\u2066b\u200bc\u{e0041}\u2028")).toBe(
      String.raw`/\u009b1m\u007f\u202ea\u2066b\u200bc\udb40\udc41\u2028`,
    );
    expect(shownPath("/می\u200cخواهم/👩\u200d💻")).toBe("/می\u200cخواهم/👩\u200d💻");
  });
});

describe("listedPath", () => {
  it.each([
    ['/a b/ü"\\.md', '/a b/ü"\\.md'],
    ["/new\nline.txt", "/new\\nline.txt"],
    ["/\u001b[31mred\r\u009b1m\u007f", "/\\u001b[31mred\\u000d\\u009b1m\\u007f"],
    ["/a\u2028b", "/a\\u2028b"],
    [`/${"n".repeat(255)}`, `/${"n".repeat(255)}`],
  ])("shows %j on one line, and whole", (path, line) => {
    expect(listedPath(path)).toBe(line);
  });
});

describe("path arithmetic", () => {
  it("knows parents, names and containment by whole names", () => {
    expect([parentOf("/a/b"), parentOf("/a"), parentOf("/")]).toEqual(["/a", "/", "/"]);
    expect([nameOf("/a/b"), nameOf("/")]).toEqual(["b", ""]);
    expect([
      isWithin("/a/b", "/a"),
      isWithin("/ab", "/a"),
      isWithin("/a", "/a"),
      isWithin("/a", "/"),
    ]).toEqual([true, false, true, true]);
  });
});
