import { expect, it } from "vitest";
import { parseByteRange } from "./byte-range.js";

it.each([
  ["bytes=0-9", 100, { first: 0, last: 9 }],
  ["bytes=0-1048575", 100, { first: 0, last: 99 }],
  ["bytes=90-", 100, { first: 90, last: 99 }],
  ["bytes=-10", 100, { first: 90, last: 99 }],
  ["bytes=-1000", 100, { first: 0, last: 99 }],
  ["bytes=100-", 100, "unsatisfiable"],
  ["bytes=0-", 0, "unsatisfiable"],
  ["bytes=-0", 100, "unsatisfiable"],
  ["bytes=9-0", 100, undefined],
  ["bytes=0-1,5-6", 100, undefined],
  ["bytes=-", 100, undefined],
  ["items=0-1", 100, undefined],
  [undefined, 100, undefined],
])("reads the range %j of %d bytes", (header, size, range) => {
  expect(parseByteRange(header, size)).toEqual(range);
});
