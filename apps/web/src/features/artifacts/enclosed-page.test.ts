import { describe, expect, it } from "vitest";
import { enclosedPage } from "./enclosed-page.js";

const META = /<meta http-equiv="Content-Security-Policy" content="default-src 'none';[^"]*">/;

describe("enclosedPage", () => {
  it.each([
    ["<h1>a</h1>", ""],
    ["<!DOCTYPE html>\n<html><head></head></html>", "<!DOCTYPE html>"],
    ["\n <!doctype html PUBLIC 'x'><p>", "\n <!doctype html PUBLIC 'x'>"],
    ["<!-- --><script>", ""],
    ["", ""],
  ])("puts the policy in front of everything but the document type in %j", (html, before) => {
    const page = enclosedPage(html);
    expect(page.slice(0, before.length)).toBe(before);
    expect(page.slice(before.length)).toMatch(new RegExp(`^${META.source}`));
    expect(page.replace(META, "")).toBe(html);
  });
});
