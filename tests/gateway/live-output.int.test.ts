/** What a command prints reaches who streams the run while the command is still at work. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDeerflowAgent } from "@deerflow/harness";
import { createFilesystemMiddleware, LocalShellBackend } from "@deerflow/harness/filesystem";
import { ScriptedModel } from "@deerflow/harness/testing";
import { Client } from "@langchain/langgraph-sdk";
import { afterEach, beforeEach, expect, it } from "vitest";
import { collect, lastValues, type Part } from "../support/sdk-reading.js";
import { type ScriptedGateway, startScriptedGateway } from "./scripted-gateway.js";

let gateway: ScriptedGateway;
let folder: string;
beforeEach(async () => {
  folder = "";
  gateway = await startScriptedGateway({}, (request, disk) => {
    folder = join(disk, "work");
    mkdirSync(folder, { recursive: true });
    const backend = new LocalShellBackend({ rootDir: folder, env: { PATH: process.env["PATH"] ?? "" } });
    // It ends only when its first words have been heard.
    const command = "echo first; until [ -e heard ]; do sleep 0.05; done; echo second";
    return createDeerflowAgent({
      model: new ScriptedModel([{ calls: [{ name: "execute", args: { command } }] }, { text: "done" }]),
      middleware: [createFilesystemMiddleware({ backend })],
      checkpointer: request.checkpointer,
    });
  });
});
afterEach(() => gateway.close());

const start = async (streamMode: ("values" | "custom")[]) => {
  const client = new Client({ apiUrl: gateway.apiUrl, apiKey: null });
  const { thread_id } = await client.threads.create();
  return client.runs.stream(thread_id, "lead_agent", {
    input: { messages: [{ role: "user", content: "go" }] },
    streamMode,
  });
};
const hear = () => writeFileSync(join(folder, "heard"), "");
const printed = (parts: readonly Part[]) =>
  parts.filter(({ event }) => event === "custom").map(({ data }) => data);

it("comes as custom events with the id of the call, before the result", async () => {
  const parts: Part[] = [];
  for await (const part of await start(["values", "custom"])) {
    parts.push(part as Part);
    if (part.event === "custom") hear();
  }
  const messages = lastValues(parts)?.messages ?? [];
  const answer = messages.find(({ type }) => type === "tool");
  expect(printed(parts)).toEqual(
    ["first\n", "second\n"].map((text) => ({
      type: "tool_output",
      tool_call_id: answer?.tool_call_id,
      tool: "execute",
      text,
    })),
  );
  expect(answer?.content).toMatch(/^first\nsecond\n\[The command succeeded/);
});

it("is told to nobody who did not ask for it", async () => {
  const parts = collect(await start(["values"]));
  await expect.poll(() => folder !== "").toBe(true);
  hear();
  expect(printed(await parts)).toEqual([]);
});
