import { describe, expect, it } from "vitest";
import { viewMessageOf } from "./view-message.js";

const address = `/api/threads/t1/media/${"a".repeat(64)}`;
const shown = (part: object, more: object = {}) =>
  viewMessageOf({ type: "human", id: "m", content: [{ type: "text", text: "look" }, part], ...more })?.images;

describe("the pictures of a message", () => {
  it.each([
    ["the gateway's form", { type: "image_url", image_url: { url: address } }, address],
    ["the address as text", { type: "image_url", image_url: address }, address],
    ["a standard block", { type: "image", url: address, mimeType: "image/png" }, address],
    [
      "a small one inline",
      { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
      "data:image/png;base64,iVBORw0KGgo=",
    ],
  ])("are known in %s", (_name, part, expected) => {
    expect(shown(part)).toEqual([{ address: expected, name: "" }]);
  });

  it.each([
    "https://elsewhere.test/track.png",
    "//elsewhere.test/track.png",
    `https://elsewhere.test${address}`,
    `${address}/../../../x`,
    "/api/threads/t1/artifacts/mnt/user-data/outputs/page.html",
    "data:image/svg+xml;base64,AAAA",
    "javascript:alert(1)",
  ])("are never fetched from %s", (url) => {
    expect(shown({ type: "image_url", image_url: { url } })).toBeUndefined();
    expect(shown({ type: "image", url })).toBeUndefined();
  });

  it("are called as the block says, or as the file that a tool has read", () => {
    const part = { type: "image_url", image_url: { url: address } };
    expect(shown({ ...part, stored_as: { metadata: { name: "cat.png" } } })).toEqual([
      { address, name: "cat.png" },
    ]);
    const read = { type: "tool", tool_call_id: "c", additional_kwargs: { read_file_path: "/mnt/a.png" } };
    expect(shown(part, read)).toEqual([{ address, name: "/mnt/a.png" }]);
  });

  it("are not a person's where a tool shows them in a message of its own", () => {
    const frames = {
      type: "human",
      id: "f",
      content: "Frames",
      additional_kwargs: { read_file_media_result: true },
    };
    expect(viewMessageOf(frames)).toBeUndefined();
  });
});
