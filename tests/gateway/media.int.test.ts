/** What messages show, over a real socket, with the unmodified SDK as the client. */
import { createHash, randomBytes } from "node:crypto";
import { Client } from "@langchain/langgraph-sdk";
import { HumanMessage } from "@langchain/core/messages";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import type { AgentGraph, AgentRequest } from "@deerflow/harness";
import { ScriptedModel } from "@deerflow/harness/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ScriptedGateway, startScriptedGateway } from "./scripted-gateway.js";

const ASSISTANT = "lead_agent";
const bytes = randomBytes(300_000);
const data = bytes.toString("base64");
const hash = createHash("sha256").update(data).digest("hex");
const picture = { type: "image", mimeType: "image/png", data, metadata: { name: "cat.png" } };
const small = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };

const model = new ScriptedModel([{ text: "I see" }]);
const graph = ({ checkpointer }: AgentRequest) =>
  new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }, config) => ({ messages: [await model.invoke(messages, config)] }))
    .addEdge("__start__", "model")
    .compile({ checkpointer }) as AgentGraph;

let gateway: ScriptedGateway;
let client: Client;
beforeEach(async () => {
  gateway = await startScriptedGateway({}, graph);
  client = new Client({ apiUrl: gateway.apiUrl, apiKey: null });
  model.calls.length = 0;
});
afterEach(() => gateway.close());

const said = (...content: unknown[]) => ({ messages: [{ type: "human", id: "h1", content }] });
const run = (threadId: string, input: Record<string, unknown> | null, more: object = {}) =>
  client.runs.wait(threadId, ASSISTANT, { input, ...more });
const mediaUrl = (threadId: string, of = hash) => `${gateway.url}/api/threads/${threadId}/media/${of}`;
const shownIn = (threadId: string) => {
  const url = `/api/threads/${threadId}/media/${hash}`;
  const stored_as = { ...picture, data: url };
  return { type: "image_url", image_url: { url }, mime_type: "image/png", stored_as };
};
/** What the model was shown at its newest call. */
const seen = () =>
  model.calls.at(-1)?.messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
const newThread = async () => (await client.threads.create()).thread_id;

describe("media of messages", () => {
  it("reach a client by their address in every form of the state, in the stream and in the log", async () => {
    const thread = await newThread();
    const parts: unknown[] = [];
    const streamMode = ["values", "updates", "messages-tuple", "tasks", "debug", "checkpoints"] as const;
    for await (const part of client.runs.stream(thread, ASSISTANT, {
      input: said({ type: "text", text: "look" }, picture, small),
      streamMode: [...streamMode],
    })) {
      parts.push(part);
    }
    const state = await client.threads.getState(thread);
    const history = await client.threads.getHistory(thread);
    const page: unknown = await (await fetch(`${gateway.url}/api/threads/${thread}/messages/page`)).json();
    for (const told of [parts, state, history, page]) {
      const text = JSON.stringify(told);
      expect(text).toContain(`/api/threads/${thread}/media/${hash}`);
      expect(text).toContain(small.data);
      expect(text).not.toContain(data.slice(0, 100));
    }
    expect(state.values).toMatchObject({
      messages: [{ content: [{ type: "text", text: "look" }, shownIn(thread), small] }, { content: "I see" }],
    });
    expect(seen()).toContainEqual(picture);
    expect((await client.threads.get(thread)).values).toMatchObject({ messages: [{ content: "look" }, {}] });
  });

  it("are not kept a second time in the row of the run", async () => {
    const thread = await newThread();
    await run(thread, said(picture));
    const [newest] = await gateway.deps.runs.list({ tenantId: "local", userId: "local" }, thread, {
      limit: 1,
      offset: 0,
    });
    expect(newest?.request["input"]).toEqual({
      messages: [{ type: "human", id: "h1", content: [shownIn(thread)] }],
    });
  });

  it("can be loaded whole and in part, once and for all, as nothing that a browser would run", async () => {
    const thread = await newThread();
    await run(thread, said(picture));
    const whole = await fetch(mediaUrl(thread));
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      "content-type": "image/png",
      "cache-control": "private, max-age=31536000, immutable",
      etag: `"${hash}"`,
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringContaining("sandbox"),
      "content-disposition": expect.stringMatching(/^inline; filename="[0-9a-f]{12}\.png"/),
    });
    const part = await fetch(mediaUrl(thread), { headers: { range: "bytes=10-19" } });
    expect([part.status, Buffer.from(await part.arrayBuffer()).toString("hex")]).toEqual([
      206,
      bytes.subarray(10, 20).toString("hex"),
    ]);
    const known = await fetch(mediaUrl(thread), { headers: { "if-none-match": `"${hash}"` } });
    expect(known.status).toBe(304);
  });

  it.each([
    ["text/html", "application/octet-stream"],
    ["image/svg+xml", "application/octet-stream"],
    ["application/pdf", "application/pdf"],
  ])("that call themselves %s are a download of the type %s", async (mimeType, type) => {
    const thread = await newThread();
    await run(thread, said({ type: "file", mimeType, data }));
    const answer = await fetch(mediaUrl(thread));
    expect(answer.headers.get("content-type")).toBe(type);
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment/);
  });

  it("are there for their own thread only", async () => {
    const [thread, other] = [await newThread(), await newThread()];
    await run(thread, said(picture));
    for (const url of [
      mediaUrl(other),
      mediaUrl("unknown"),
      mediaUrl(thread, "0".repeat(64)),
      mediaUrl(thread, "x"),
    ]) {
      expect((await fetch(url)).status).toBe(404);
    }
    await client.threads.delete(thread);
    expect((await fetch(mediaUrl(thread))).status).toBe(404);
  });

  it("that a client sends back are the stored ones again, and no message changes by that", async () => {
    const thread = await newThread();
    await run(thread, said(picture));
    const { values } = await client.threads.getState<{ messages: object[] }>(thread);
    await run(thread, { messages: [...values.messages, { type: "human", content: "and now?" }] });
    const shown = model.calls.at(-1)?.messages ?? [];
    expect(shown.map((message) => message.getType())).toEqual(["human", "ai", "human"]);
    expect(shown[0]).toEqual(new HumanMessage({ id: "h1", content: [picture] as never })); // any block may stand here
  });

  it.each([
    ["the address alone", (url: string) => ({ type: "image_url", image_url: { url } })],
    ["the address as text", (url: string) => ({ type: "image_url", image_url: url })],
    ["the address on the server", (url: string) => ({ type: "image", url: `http://gateway.test${url}` })],
    [
      "the address below the other prefix",
      (url: string) => ({ type: "image", url: url.replace("/api/", "/api/langgraph/") }),
    ],
  ])("are found where a client has kept %s", async (_name, block) => {
    const thread = await newThread();
    await run(thread, said(picture));
    const sent = block(`/api/threads/${thread}/media/${hash}`);
    await run(thread, { messages: [{ type: "human", content: [sent] }] });
    expect(model.calls.at(-1)?.messages.at(-1)?.content).toEqual([
      { type: "image", mimeType: "image/png", data },
    ]);
  });

  it("are found in a change of the state and in a command", async () => {
    const thread = await newThread();
    await run(thread, said(picture));
    const again = (id: string) => ({ messages: [{ type: "human", id, content: [shownIn(thread)] }] });
    await client.threads.updateState(thread, { values: again("h2"), asNode: "model" });
    await run(thread, null, { command: { update: again("h3"), goto: "model" } });
    const shown = model.calls.at(-1)?.messages.filter((message) => message.getType() === "human") ?? [];
    expect(shown.map(({ id, content }) => [id, content])).toEqual(
      ["h1", "h2", "h3"].map((id) => [id, [picture]]),
    );
  });

  it("of another thread are refused, and such that nobody has, before a run or a thread exists", async () => {
    const [thread, other] = [await newThread(), await newThread()];
    await run(thread, said(picture));
    const sent = { messages: [{ type: "human", content: [shownIn(thread)] }] };
    await expect(run(other, sent)).rejects.toThrow(/422.*another|422.*media of thread/s);
    await expect(client.threads.updateState(other, { values: sent })).rejects.toThrow("422");
    const hidden = { ...shownIn(other), stored_as: shownIn(thread).stored_as };
    await expect(run(other, { messages: [{ type: "human", content: [hidden] }] })).rejects.toThrow("422");
    const lost = { type: "image", url: `/api/threads/fresh/media/${"0".repeat(64)}` };
    await expect(
      run("fresh", { messages: [{ type: "human", content: [lost] }] }, { ifNotExists: "create" }),
    ).rejects.toThrow("422");
    expect(await client.runs.list(other)).toEqual([]);
    await expect(client.threads.get("fresh")).rejects.toThrow("404");
  });
});
