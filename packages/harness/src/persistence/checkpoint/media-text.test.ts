import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MEDIA_FROM_CHARACTERS, readMediaText } from "./media-text.js";

const long = Buffer.alloc(MEDIA_FROM_CHARACTERS, 7).toString("base64");

describe("media in a text", () => {
  it("is found bare and in a data URL, with what stands before it", () => {
    expect(readMediaText(long)).toEqual({ prefix: "", base64: long, mediaType: undefined });
    const prefix = "data:image/png;charset=utf-8;base64,";
    expect(readMediaText(prefix + long)).toEqual({ prefix, base64: long, mediaType: "image/png" });
  });

  it.each([
    ["short base64", "aGVsbG8="],
    ["prose", "many words of a text ".repeat(100)],
    ["a data URL that is not base64", `data:text/plain,${"a".repeat(2_000)}!`],
    ["base64 of a wrong length", `${long}A`],
    ["base64 with bits that decoding drops", `${"A".repeat(MEDIA_FROM_CHARACTERS)}AB==`],
    ["base64url", long.replaceAll("B", "_")],
  ])("is not seen in %s", (_name, text) => {
    expect(readMediaText(text)).toBeUndefined();
  });

  it("gives every text back whole", () => {
    const bytes = fc.uint8Array({ minLength: 800, maxLength: 900 });
    fc.assert(
      fc.property(
        bytes,
        fc.constantFrom("", "data:;base64,", "data:audio/wav;base64,"),
        (content, prefix) => {
          const text = prefix + Buffer.from(content).toString("base64");
          const found = readMediaText(text);
          expect((found?.prefix ?? "") + Buffer.from(found?.base64 ?? "", "base64").toString("base64")).toBe(
            text,
          );
        },
      ),
    );
  });
});
