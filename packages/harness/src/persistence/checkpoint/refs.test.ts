import { expect, it } from "vitest";
import { NO_REFS, refsFromText, refsToText } from "./refs.js";

it.each([
  ["nothing", NO_REFS, ""],
  ["messages", { ...NO_REFS, messages: [1, 5, 9, 9] }, "[1,5,9,9]"],
  ["parts", { ...NO_REFS, parts: [2, 2] }, "[[],[2,2]]"],
  ["a folded list", { messages: [7, 7], parts: [], lists: [1, 3] }, "[[7,7],[],[1,3]]"],
])("writes and reads %s", (_name, refs, text) => {
  expect(refsToText(refs)).toBe(text);
  expect(refsFromText(text)).toEqual(refs);
});
