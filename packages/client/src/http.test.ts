import { describe, expect, it } from "vitest";
import { sentenceOf } from "./gateway-error.js";
import { GatewayClient } from "./http.js";
import { uploadedFrom } from "./upload.js";

const answering = (response: Response) => new GatewayClient({ fetch: async () => response });

describe("GatewayClient", () => {
  it("turns a refusal into the gateway's own sentence", async () => {
    const client = answering(
      Response.json({ detail: "There is no thread x.", code: "thread_missing" }, { status: 404 }),
    );
    await expect(client.thread("x")).rejects.toMatchObject({
      kind: "refused",
      status: 404,
      message: "There is no thread x.",
    });
  });

  it("says so when nothing answers", async () => {
    const client = new GatewayClient({
      fetch: async () => {
        throw new TypeError("fetch failed");
      },
    });
    await expect(client.models()).rejects.toMatchObject({ kind: "offline", status: 0 });
  });

  it.each([
    ["no JSON", new Response("<html>")],
    ["an unknown shape", Response.json({ models: "none" })],
  ])("does not believe an answer that is %s", async (_, response) => {
    await expect(answering(response).models()).rejects.toMatchObject({ kind: "broken" });
  });

  it("escapes ids and paths in addresses", () => {
    const client = new GatewayClient({ baseUrl: "http://127.0.0.1:1" });
    expect(client.artifactAddress("a/b", "/mnt/user-data/outputs/50% off?.md", true)).toBe(
      "http://127.0.0.1:1/api/threads/a%2Fb/artifacts/mnt/user-data/outputs/50%25%20off%3F.md?download=true",
    );
  });
});

describe("sentenceOf", () => {
  it.each([
    ['{"detail":"Too big."}', "Too big."],
    ['{"detail":{"code":"x","message":"Not you."}}', "Not you."],
    [
      '{"detail":[{"msg":"limit must be a number"},{"msg":"offset too"}]}',
      "limit must be a number; offset too",
    ],
    ["<h1>Bad gateway</h1>", "The gateway answered with status 502."],
  ])("reads %s", (body, sentence) => {
    expect(sentenceOf(body, 502)).toBe(sentence);
  });
});

describe("uploadedFrom", () => {
  it("throws the reason when the file was skipped", () => {
    const body = {
      success: false,
      files: [],
      skipped_files: [{ filename: "a", reason: "a is empty." }],
      message: "",
    };
    expect(() => uploadedFrom(200, JSON.stringify(body))).toThrow("a is empty.");
  });
});
