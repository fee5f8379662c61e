import { expect, it } from "vitest";
import { TextTail } from "./text-tail.js";

const tailOf = (limit: number, pieces: readonly string[]) => {
  const tail = new TextTail(limit);
  for (const piece of pieces) tail.add(piece);
  return [tail.text, tail.leftOut];
};

it("keeps the end of a text, and counts the rest, however the text is cut into pieces", () => {
  expect(tailOf(4, ["ab", "cd"])).toEqual(["abcd", 0]);
  expect(tailOf(4, ["abcdefgh"])).toEqual(["efgh", 4]);
  expect(tailOf(4, [..."0123456789".repeat(9)])).toEqual(["6789", 86]);
  expect(tailOf(4, [])).toEqual(["", 0]);
});
