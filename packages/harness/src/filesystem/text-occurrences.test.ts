import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstOccurrence, occurrences } from "./text-occurrences.js";

describe("occurrences", () => {
  it("finds places without overlaps, up to the limit", () => {
    expect(occurrences("aaaaa", "aa")).toEqual([0, 2]);
    expect(occurrences("aaaaa", "aa", 1)).toEqual([0]);
    expect(firstOccurrence("abc", "c")).toBe(2);
    expect(firstOccurrence("abc", "d")).toBe(-1);
  });

  it("finds long texts where the engine finds them", () => {
    const letter = fc.constantFrom("a", "a", "a", "b");
    fc.assert(
      fc.property(
        fc.string({ unit: letter, minLength: 65, maxLength: 70 }),
        fc.array(fc.string({ unit: letter, maxLength: 40 }), { maxLength: 6 }),
        fc.nat(),
        (part, others, cut) => {
          const whole = others.join(part.slice(cut % part.length)) + part + others.join(part);
          const expected: number[] = [];
          for (let at = whole.indexOf(part); at !== -1; at = whole.indexOf(part, at + part.length)) {
            expected.push(at);
          }
          expect(occurrences(whole, part)).toEqual(expected);
        },
      ),
    );
  });
});
