/** The web workspace shows the images of a conversation: those that a person sent and those that a tool has read. */
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { crc32, deflateSync } from "node:zlib";
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { Client } from "@langchain/langgraph-sdk";
import type { AgentGraph, AgentRequest } from "@deerflow/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildWorkspace, hasChromium, openBrowser } from "../../apps/web/src/testing/browser.js";
import { startScriptedGateway } from "./scripted-gateway.js";

const SIDE = 40;

/** A picture of noise that a browser can show. */
function noise(): string {
  const chunk = (name: string, content: Buffer) => {
    const named = Buffer.concat([Buffer.from(name), content]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(content.length, 0);
    frame.writeUInt32BE(crc32(named), 4);
    return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  header.set([8, 2], 8);
  const rows = Array.from({ length: SIDE }, () => Buffer.concat([Buffer.alloc(1), randomBytes(SIDE * 3)]));
  const chunks = [
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...chunks]).toString("base64");
}

const image = (data: string) => ({ type: "image", mimeType: "image/png", data });

/** Reads a picture of its own and says so. */
const graph = ({ checkpointer }: AgentRequest) =>
  new StateGraph(MessagesAnnotation)
    .addNode("look", () => ({
      messages: [
        new AIMessage({
          id: "a1",
          content: "",
          tool_calls: [{ id: "c1", name: "read_file", args: { path: "/a.png" } }],
        }),
        new ToolMessage({
          id: "r1",
          tool_call_id: "c1",
          name: "read_file",
          content: [{ type: "text", text: "It follows." }, image(noise())] as never, // any block may stand here
          additional_kwargs: { read_file_path: "/mnt/user-data/uploads/dog.png" },
        }),
        new AIMessage({ id: "a2", content: "Both are noise." }),
      ],
    }))
    .addEdge("__start__", "look")
    .compile({ checkpointer }) as AgentGraph;

describe.skipIf(!hasChromium())("images in the workspace", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await buildWorkspace();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("are shown beside what was said, and in the result of the tool", async () => {
    const gateway = await startScriptedGateway({ webRoot: folder }, graph);
    const browser = await openBrowser();
    try {
      const client = new Client({ apiUrl: gateway.apiUrl, apiKey: null });
      const { thread_id } = await client.threads.create();
      const content = [
        { type: "text", text: "Compare" },
        { ...image(noise()), metadata: { name: "cat.png" } },
      ];
      await client.runs.wait(thread_id, "lead_agent", { input: { messages: [{ type: "human", content }] } });
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      await page.goto(`${gateway.url}/chats/${thread_id}`);
      await page.getByText("Both are noise.").waitFor();
      await page.locator('[data-tool="read_file"] button').first().click();
      for (const name of ["cat.png", "dog.png"]) {
        const shown = page.getByRole("img", { name });
        await shown.scrollIntoViewIfNeeded();
        await expect
          .poll(() => shown.evaluate((element) => (element as HTMLImageElement).naturalWidth))
          .toBe(SIDE);
        expect(await shown.getAttribute("src")).toMatch(
          new RegExp(`^/api/threads/${thread_id}/media/[0-9a-f]{64}$`),
        );
      }
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
      await gateway.close();
    }
  });
});
