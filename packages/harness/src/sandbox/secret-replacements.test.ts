import { array, assert, constantFrom, nat, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { maskPaths, PathMask } from "./path-mask.js";
import { secretReplacements } from "./secret-replacements.js";

const KEY = "s3cr&t/key+9 ü";
const masked = (text: string, value = KEY) => maskPaths(secretReplacements({ API_KEY: value }), text);

describe("the values of secret variables", () => {
  it.each([
    ["as they are", KEY],
    ["in an address", encodeURIComponent(KEY)],
    ["in a form", encodeURIComponent(KEY).replaceAll("%20", "+")],
    [
      "in an address with small letters",
      encodeURIComponent(KEY)
        .replaceAll("%2F", "%2f")
        .replaceAll("%26", "%26")
        .replaceAll("%2B", "%2b")
        .replaceAll("%C3%BC", "%c3%bc"),
    ],
    ["in JSON", JSON.stringify('a"b\\c\tlong')],
  ])("are hidden %s", (what, text) => {
    const value = what === "in JSON" ? 'a"b\\c\tlong' : KEY;
    expect(masked(`<${text}>`, value)).toMatch(/^<"?\[redacted API_KEY\]"?>$/);
  });

  it.each([0, 1, 2, 3, 4])("are hidden in base64, %s characters into what is encoded", (before) => {
    const encoded = Buffer.from(`${"x".repeat(before)}${KEY}:rest`).toString("base64");
    const shown = masked(encoded);
    expect(shown).toContain("[redacted API_KEY]");
    // What is left over at both ends holds a few bits of it.
    expect(shown.replace("[redacted API_KEY]", "").length).toBeLessThan(encoded.length - 14);
  });

  it("are hidden line by line too", () => {
    const key = "-----BEGIN-----\nMIIEabcdefgh\nshort\n-----END-----";
    expect(masked("line MIIEabcdefgh and short", key)).toBe("line [redacted API_KEY] and short");
  });

  it("are shown when they are too short to be told from words", () => {
    expect(masked("yes", "yes")).toBe("yes");
  });

  it("are hidden however the output is torn", () => {
    assert(
      property(
        array(constantFrom("abcab", "ab", "c", "abx-abcab", "\n", "ca"), { maxLength: 12 }),
        array(nat(60), { maxLength: 8 }),
        (parts, cuts) => {
          const text = parts.join("");
          const mask = new PathMask(secretReplacements({ A: "abcab", B: "abx-abcab" }));
          const places = [
            0,
            ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b),
            text.length,
          ];
          const torn = places.slice(1).map((end, index) => mask.add(text.slice(places[index], end)));
          const shown = torn.join("") + mask.end();
          expect(shown).not.toContain("abcab");
          expect(shown).toBe(maskPaths(secretReplacements({ A: "abcab", B: "abx-abcab" }), text));
        },
      ),
    );
  });
});
