import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePartialObject } from "./partial-json.js";

describe("parsePartialObject", () => {
  it("shows a string value that is cut short", () => {
    expect(parsePartialObject('{"path":"/mnt/a.md","content":"# Rep')).toEqual({
      path: "/mnt/a.md",
      content: "# Rep",
    });
  });

  it.each([
    ["", {}],
    ["{", {}],
    ['{"pa', {}],
    ['{"path"', {}],
    ['{"path":', {}],
    ['{"path":"a","li', { path: "a" }],
    ['{"a":"x","limit":12', { a: "x", limit: 12 }],
    ['{"a":"x","deep":{"b":[1,2', { a: "x", deep: { b: [1, 2] } }],
    ['{"a":"tab\\', { a: "tab" }],
    ['{"a":"\\u00e', { a: "" }],
    ['{"a":"x",', { a: "x" }],
    ["[1,2]", {}],
  ])("reads %s", (text, expected) => {
    const read = Object.entries(parsePartialObject(text)).filter(([, value]) => value !== null);
    expect(Object.fromEntries(read)).toEqual(expected);
  });

  it("never throws, and reads a whole object as JSON does, wherever a text is cut", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (object, at) => {
        const text = JSON.stringify(object);
        expect(parsePartialObject(text)).toEqual(JSON.parse(text));
        parsePartialObject(text.slice(0, at % (text.length + 1)));
      }),
    );
  });
});
