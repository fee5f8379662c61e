import { describe, expect, it } from "vitest";
import { en } from "./en.js";
import { firstLanguage, translator } from "./translate.js";
import { zh } from "./zh.js";

const gaps = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();

describe("the tables of texts", () => {
  it("fill the same values into both languages", () => {
    const differing = Object.entries(en).filter(
      ([key, text]) => JSON.stringify(gaps(text)) !== JSON.stringify(gaps(zh[key as keyof typeof en])),
    );
    expect(differing).toEqual([]);
  });

  it("fill in values, and leave a gap that has none", () => {
    expect(translator("zh")("removeFile", { name: "a.csv" })).toBe("移除 a.csv");
    expect(translator("en")("removeFile")).toBe("Remove {name}");
  });

  it.each([
    ["zh", ["en-GB"], "zh"],
    [undefined, ["de-DE", "zh-TW", "en"], "zh"],
    ["tlh", ["de"], "en"],
  ] as const)("begin with the chosen language %s, else one of %j", (chosen, preferred, language) => {
    expect(firstLanguage(chosen, preferred)).toBe(language);
  });
});
