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

  it.each([
    ["JSON in ASCII", 'clé/ü😀"x', String.raw`cl\u00e9/\u00fc\ud83d\ude00\"x`],
    ["JSON in ASCII with capital digits", "clé/ü😀", String.raw`cl\u00E9/\u00FC\uD83D\uDE00`],
    ["JSON with escaped slashes", "cl/é/x", String.raw`cl\/\u00e9\/x`],
    ["an address that keeps slashes", "a/b c(ü)", "a/b%20c%28%C3%BC%29"],
    ["an address that keeps slashes, with small letters", "a/b c(ü)", "a/b%20c%28%c3%bc%29"],
    ["a form of another program", "a/b c(d)", "a%2Fb+c%28d%29"],
    ["a whole address", "a/b?c=d&e ü", "a/b?c=d&e%20%C3%BC"],
    ["hexadecimal digits", KEY, Buffer.from(KEY).toString("hex")],
    ["capital hexadecimal digits", KEY, Buffer.from(KEY).toString("hex").toUpperCase()],
    ["HTML of Python", `a&<b>"c'd`, "a&amp;&lt;b&gt;&quot;c&#x27;d"],
    ["HTML of Go", `a&<b>"c'd`, "a&amp;&lt;b&gt;&#34;c&#39;d"],
    ["XML", `a&<b>"c'd`, "a&amp;&lt;b&gt;&quot;c&apos;d"],
    ["the text of HTML", `a&<b>"c'd`, `a&amp;&lt;b&gt;"c'd`],
  ])("are hidden in %s", (_what, value, text) => {
    expect(masked(`<${text}>`, value)).toBe("<[redacted API_KEY]>");
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
