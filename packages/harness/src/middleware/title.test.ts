import { describe, expect, it } from "vitest";
import { titleOf } from "./title.js";

const options = { maxWords: 6, maxCharacters: 30 };

describe("titleOf", () => {
  it("keeps a short request as it is", () => {
    expect(titleOf("Sum the table", options)).toBe("Sum the table");
  });

  it("cuts after the allowed words and says so", () => {
    expect(titleOf("one two three four five six seven", options)).toBe("one two three four five six…");
  });

  it("never exceeds the allowed characters", () => {
    expect(titleOf("Analyse everything thoroughly, please", options)).toBe("Analyse everything…");
    expect(titleOf("x".repeat(80), options)).toBe(`${"x".repeat(29)}…`);
  });

  it("counts a Chinese request by characters, because it has no spaces", () => {
    expect([...titleOf("分析这个表格".repeat(10), options)]).toHaveLength(30);
  });

  it("takes the first line only", () => {
    expect(titleOf("  First line\nsecond", options)).toBe("First line");
  });
});
