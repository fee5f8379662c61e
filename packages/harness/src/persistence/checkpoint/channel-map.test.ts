import { expect, it } from "vitest";
import { channelMapFromText, channelMapToText, valueNumbersOf } from "./channel-map.js";

it("writes and reads channels with a stored value, a short one and none", () => {
  const channels = new Map([
    ["messages", { version: 5, value: { number: 12 } }],
    ["short", { version: "00007.a", value: { inline: '{"a":1}' } }],
    ["null", { version: 1, value: { inline: "null" } }],
    ["gone", { version: 2, value: undefined }],
    ["__proto__", { version: 3, value: { number: 13 } }],
  ]);
  const text = channelMapToText(channels);
  expect(text).toContain('"messages":[5,12],"short":["00007.a",0,{"a":1}],"null":[1,0,null],"gone":[2]');
  expect(channelMapFromText(text)).toEqual(channels);
  expect(valueNumbersOf(channels)).toEqual([12, 13]);
});
