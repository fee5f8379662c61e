import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../base/json.js";
import {
  type FindMedia,
  mediaUrl,
  toReference,
  withReferences,
  withStoredMedia,
} from "./media-references.js";

const data = Buffer.alloc(900, 7).toString("base64");
const url = `data:image/png;base64,${data}`;
const find: FindMedia = async () => ({ base64: data, mediaType: "image/png" });
const hashOf = (block: object) => /media\/([0-9a-f]{64})/.exec(JSON.stringify(toReference(block, "t1")))?.[1];

const BLOCKS: readonly (readonly [string, JsonObject])[] = [
  ["a standard block", { type: "image", mimeType: "image/png", data, metadata: { name: "a" } }],
  ["an older standard block", { type: "image", source_type: "base64", mime_type: "image/png", data }],
  ["OpenAI's", { type: "image_url", image_url: { url, detail: "low" } }],
  ["OpenAI's as text", { type: "image_url", image_url: url }],
  ["OpenAI's newer one", { type: "input_image", image_url: url, detail: "auto" }],
  ["Anthropic's", { type: "image", source: { type: "base64", media_type: "image/png", data } }],
  ["OpenAI's of a sound", { type: "input_audio", input_audio: { data, format: "wav" } }],
  [
    "OpenAI's of a file",
    { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${data}` } },
  ],
  ["a standard file", { type: "file", mimeType: "application/pdf", data, metadata: { filename: "a.pdf" } }],
];

describe("a media block on the wire", () => {
  it.each(BLOCKS)("of the form of %s is the very same when it comes back", async (_name, block) => {
    const sent = withReferences({ messages: [{ type: "human", content: [block] }] }, "t1");
    expect(JSON.stringify(sent.json)).not.toContain(data);
    expect([...sent.hashes]).toEqual([hashOf(block)]);
    const back = await withStoredMedia(sent.json, "t1", find);
    expect(back).toEqual({ messages: [{ type: "human", content: [block] }] });
  });

  it("has one address, whatever form it has", () => {
    expect(new Set(BLOCKS.map(([, block]) => hashOf(block))).size).toBe(1);
  });

  it.each([
    ["text", { type: "text", text: data }],
    ["what is short", { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" }],
    ["what has an address already", { type: "image_url", image_url: { url: "https://x.test/a.png" } }],
    ["what is no base64", { type: "image", mimeType: "image/png", data: "?".repeat(2000) }],
    ["what names an id", { type: "file", fileId: "f-1" }],
    ["anything else", { a: data }],
  ])("is no reference where it is %s", (_name, block) => {
    expect(toReference(block, "t1")).toBeUndefined();
  });

  it("follows a block that was changed in place", () => {
    const block = { type: "image", mimeType: "image/png", data };
    const before = hashOf(block);
    block.data = Buffer.alloc(900, 8).toString("base64");
    expect(hashOf(block)).not.toBe(before);
  });
});

describe("what a client sends", () => {
  it("is the very same value where it names no media", async () => {
    const nothing: FindMedia = async () => undefined;
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        // Typed more loosely than JSON, which it is.
        const sent = value as JsonObject;
        expect(await withStoredMedia(sent, "t1", nothing)).toBe(sent);
      }),
      { numRuns: 200, seed: 5 },
    );
  });

  it("keeps an address in a text, and one of another server that only looks alike", async () => {
    const block = { type: "image_url", image_url: { url: `https://x.test/media/${"0".repeat(64)}` } };
    const sent = { messages: [{ content: [{ type: "text", text: mediaUrl("t2", "0".repeat(64)) }, block] }] };
    expect(await withStoredMedia(sent, "t1", async () => undefined)).toBe(sent);
  });

  it("cannot put another block's media into the place of what it shows", async () => {
    const other = "1".repeat(64);
    const shown = { type: "image_url", image_url: { url: mediaUrl("t1", "0".repeat(64)) } };
    const block = {
      ...shown,
      stored_as: { type: "image", mimeType: "image/png", data: mediaUrl("t1", other) },
    };
    const media: FindMedia = async (hash) => ({
      base64: hash === other ? "other" : "shown",
      mediaType: "image/png",
    });
    expect(await withStoredMedia([block] as never, "t1", media)).toMatchObject([{ data: "shown" }]);
  });
});
