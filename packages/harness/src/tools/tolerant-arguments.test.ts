import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseArguments } from "./tolerant-arguments.js";

const schema = z.object({
  description: z.string(),
  path: z.string(),
  line: z.number().int().optional(),
  all: z.boolean().default(false),
  list: z.array(z.string()).optional(),
});
const parse = (given: unknown) => parseArguments(schema, given, { file_path: "path" });
const base = { description: "", path: "/f", all: false };

describe("parseArguments", () => {
  it.each([
    ["what fits", { description: "why", path: "/f" }, { ...base, description: "why" }],
    ["an alias", { file_path: "/f" }, base],
    ["an alias that says the same as the own name", { path: "/f", file_path: "/f" }, base],
    ["an alias beside nothing under the own name", { path: null, file_path: "/f" }, base],
    ["an unknown argument", { path: "/f", extra: 1 }, base],
    ["a number as text", { path: "/f", line: "12" }, { ...base, line: 12 }],
    ["a truth value as text", { path: "/f", all: "true" }, { ...base, all: true }],
    ["null for nothing", { path: "/f", line: null, all: null }, base],
    ["a lone value for a list", { path: "/f", list: "a" }, { ...base, list: ["a"] }],
    ["a list as JSON text", { path: "/f", list: '["a","b"]' }, { ...base, list: ["a", "b"] }],
    ["an object where text is wanted", { path: { a: 1 } }, { ...base, path: '{\n  "a": 1\n}' }],
    ["a number where text is wanted", { path: 7 }, { ...base, path: "7" }],
  ])("accepts %s", (_, given, expected) => expect(parse(given)).toEqual(expected));

  it.each([
    ["a missing argument", {}, /path: /],
    ["null for what is needed", { path: null }, /path: /],
    ["text that is no number", { path: "/f", line: "two" }, /line: .*number/],
    ["half a line", { path: "/f", line: "1.5" }, /line: /],
    ["no arguments at all", "text", /path: /],
    ["a list for arguments", ["/f"], /path: /],
    ["two values for one argument", { path: "/f", file_path: "/g" }, /path is given twice/],
    ["two values in the other order", { file_path: "/g", path: "/f" }, /path is given twice/],
    ["several misfits", { line: "x", all: "y" }, /path: .*line: .*all: /],
  ])("refuses %s", (_, given, reason) => {
    expect(() => parse(given)).toThrow(
      expect.objectContaining({ code: "arguments_invalid", message: expect.stringMatching(reason) }),
    );
  });
});
