import { describe, expect, it } from "vitest";
import { bytesOf, fileDataOf, modifiedAtOf, revisionOf, sizeOf } from "./file-data.js";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const bytes = (text: string): Uint8Array => Buffer.from(text);
const invalid = expect.objectContaining({ code: "stored_file_invalid", retry: "model" });
const textOf = (stored: unknown): string => Buffer.from(bytesOf("/f", stored)).toString();

describe("a file as it is written", () => {
  it("is text with its times where the bytes are text", () => {
    expect(fileDataOf(bytes("ä\r\n"), { now: NOW, revision: 3 })).toEqual({
      content: "ä\r\n",
      encoding: "utf-8",
      created_at: "2026-01-02T03:04:05.000Z",
      modified_at: "2026-01-02T03:04:05.000Z",
      revision: 3,
    });
  });

  it.each([
    ["invalid UTF-8", Uint8Array.from([0xff, 0xfe])],
    ["a NUL, which databases refuse in JSON", bytes("a\u0000b")],
  ])("is base64 for %s", (_, content) => {
    const stored = fileDataOf(content, { now: NOW });
    expect(stored).toMatchObject({
      encoding: "base64",
      content: Buffer.from(content).toString("base64"),
    });
    expect(stored).not.toHaveProperty("revision");
    expect([...bytesOf("/f", stored)]).toEqual([...content]);
    expect(sizeOf(stored)).toBe(content.length);
  });

  it("keeps when the file that it replaces was created, where that is known", () => {
    const replaces = { content: "", created_at: "2020-01-01T00:00:00.000Z" };
    expect(fileDataOf(bytes("x"), { now: NOW, replaces }).created_at).toBe("2020-01-01T00:00:00.000Z");
    for (const created_at of ["yesterday-ish", 5, undefined]) {
      const file = fileDataOf(bytes("x"), { now: NOW, replaces: { content: "", created_at } });
      expect(file.created_at).toBe(file.modified_at);
    }
  });
});

describe("a file as it is read", () => {
  it.each([
    ["text without an encoding", { content: "text" }, "text"],
    ["a list of lines", { content: ["one", "two", ""] }, "one\ntwo\n"],
    ["an empty list of lines", { content: [] }, ""],
    ["deepagents' text", { content: "text", mimeType: "text/plain" }, "text"],
    ["deepagents' bytes", { content: bytes("raw"), mimeType: "image/png" }, "raw"],
    ["those bytes after JSON", JSON.parse(JSON.stringify({ content: Uint8Array.from(bytes("raw")) })), "raw"],
    ["a Buffer after JSON", JSON.parse(JSON.stringify({ content: Buffer.from("raw") })), "raw"],
    ["no bytes after JSON", { content: {} }, ""],
    ["base64", { content: "aGk=", encoding: "base64" }, "hi"],
    ["text that looks like base64", { content: "aGk=", encoding: "utf-8" }, "aGk="],
  ])("may be %s", (_, stored, text) => {
    expect(textOf(stored)).toBe(text);
    expect(sizeOf(stored)).toBe(Buffer.byteLength(text));
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["text", "text"],
    ["a number", 7],
    ["a list", ["a"]],
    ["an object without content", { text: "x" }],
    ["no content", { content: null }],
    ["a number as content", { content: 5 }],
    ["lines that are no text", { content: ["a", 5] }],
    ["bytes with a gap", { content: { 0: 1, 2: 3 } }],
    ["bytes out of range", { content: { 0: 256 } }],
    ["bytes that are none", { content: { 0: "1" } }],
    ["a length without bytes", { content: { length: 1_000_000_000 } }],
    ["base64 that is none", { content: "a-b=", encoding: "base64" }],
    ["cut base64", { content: "aGk", encoding: "base64" }],
    ["an unknown encoding", { content: "x", encoding: "utf-16" }],
    ["inherited content", Object.create({ content: "x" })],
  ])("is refused with a clean error when it is %s", (_, stored) => {
    expect(() => bytesOf("/f", stored)).toThrow(invalid);
    expect(sizeOf(stored)).toBeGreaterThanOrEqual(0);
    expect(modifiedAtOf(stored)).toBe(0);
    expect(revisionOf(stored)).toBeUndefined();
  });

  it("names the path and what to do in its error", () => {
    expect(() => bytesOf("/a/b", null)).toThrow("/a/b");
  });

  it("tells when it was changed, and how often", () => {
    const stored = fileDataOf(bytes("x"), { now: NOW, revision: 2 });
    expect(modifiedAtOf(stored)).toBe(NOW);
    expect(revisionOf(stored)).toBe(2);
    expect(revisionOf({ ...stored, revision: "2" })).toBeUndefined();
    expect(revisionOf({ ...stored, revision: Number.NaN })).toBeUndefined();
  });
});
