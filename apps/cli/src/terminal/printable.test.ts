import { expect, it } from "vitest";
import { printable } from "./printable.js";

it.each([
  ["a cleared screen and a window's title", "\u001B[2J\u001B]0;owned\u0007first\n", "first\n"],
  ["a torn sequence", "\u001B[", "["],
  ["a line that is written over", "rm x\rgit status", "rm x\ngit status"],
  ["letters in another order", "a\u202Eb\u2066c", "abc"],
  ["other scripts, tabs and line breaks", "ä\t中\n", "ä\t中\n"],
])("makes %s harmless", (_what, text, shown) => {
  expect(printable(text)).toBe(shown);
});
