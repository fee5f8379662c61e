import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver, StateSchema } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, createMiddleware, tool } from "langchain";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { silentLogger } from "../base/logger.js";
import { filesChannel } from "../filesystem/files-channel.js";
import { MountedDiskBackend } from "../filesystem/mounted-disk-backend.js";
import { StateBackend } from "../filesystem/state-backend.js";
import { createAgentGraph } from "../graph/create-agent-graph.js";
import { ScriptedModel, type ScriptedTurn } from "../testing/scripted-model.js";
import { EVICTED_TO_KEY, evictedTo, messageOffload, type MessageOffloadOptions } from "./message-offload.js";
import { uploads } from "./uploads.js";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

function disk() {
  const root = mkdtempSync(join(tmpdir(), "deerflow-message-"));
  roots.push(root);
  const files = new MountedDiskBackend({
    mounts: [{ virtualPath: "/mnt", hostPath: root, mode: "read-write" }],
  });
  const names = () => {
    try {
      return readdirSync(join(root, "history"));
    } catch {
      return [];
    }
  };
  const stored = () => names().map((name) => readFileSync(join(root, "history", name), "utf8"));
  return { root, options: { files, folder: "/mnt/history" }, names, stored };
}

interface Agent {
  invoke(input: { messages: BaseMessage[] } | null, config: object): Promise<{ messages: BaseMessage[] }>;
  getState(config: object): Promise<{ values: { messages: BaseMessage[] } }>;
}
type Build = (model: ScriptedModel, middleware: readonly AgentMiddleware[], saver: MemorySaver) => Agent;

const look = tool(() => "seen", { name: "look", description: "Looks.", schema: z.object({}) });

const AGENTS: readonly (readonly [string, Build])[] = [
  [
    "createAgent",
    (model, middleware, checkpointer) =>
      // The cast is sound: the library's type of a run is wider than what a test asks for.
      createAgent({ model, tools: [look], middleware: [...middleware], checkpointer }) as unknown as Agent,
  ],
  [
    "createAgentGraph",
    (model, middleware, checkpointer) =>
      createAgentGraph({ model, tools: [look], middleware, checkpointer }) as unknown as Agent,
  ],
];

const CONFIG = { configurable: { thread_id: "t" } };
const LONG = `first $& line\n${"x".repeat(99)}\n`.repeat(2000);
const CALL: ScriptedTurn = { calls: [{ name: "look" }] };

const shownBy = (model: ScriptedModel): (string | undefined)[][] =>
  model.calls.map(({ messages }) =>
    messages
      .filter((message) => HumanMessage.isInstance(message))
      .map((message) =>
        message.text === LONG
          ? "whole"
          : /^\[This message of the user .* file (\S+)\]/.exec(message.text)?.[1],
      ),
  );

function world(
  build: Build,
  options: MessageOffloadOptions,
  turns: readonly ScriptedTurn[] = [CALL, { text: "done" }],
) {
  const model = new ScriptedModel(turns);
  return { model, agent: build(model, [messageOffload(options)], new MemorySaver()) };
}

describe.each(AGENTS)("messageOffload under %s", (_agent, build) => {
  it("shows a stub in every request of this run and the next, and keeps the text and the model's calls", async () => {
    const { options, names, stored } = disk();
    const { agent, model } = world(build, options, [CALL, { text: "done" }, { text: "again" }]);
    await agent.invoke({ messages: [new HumanMessage({ id: "h", content: LONG })] }, CONFIG);
    await agent.invoke({ messages: [new HumanMessage("and now?")] }, CONFIG);
    const path = `/mnt/history/${names()[0]}`;
    expect(path).toMatch(/^\/mnt\/history\/message-[0-9a-f]{12}\.md$/);
    expect(shownBy(model)).toEqual([[path], [path], [path, undefined]]);
    expect(stored()).toEqual([LONG]);
    const { messages } = (await agent.getState(CONFIG)).values;
    expect(messages.map((message) => message.getType())).toEqual([
      "human",
      "ai",
      "tool",
      "ai",
      "human",
      "ai",
    ]);
    expect(messages[0]).toMatchObject({
      id: "h",
      content: LONG,
      additional_kwargs: { [EVICTED_TO_KEY]: path },
    });
    expect(messages[1]).toMatchObject({ tool_calls: [{ name: "look" }] });
  });

  it("shows both ends literally, and the same stub each time", async () => {
    const { options } = disk();
    const { agent, model } = world(build, options);
    await agent.invoke({ messages: [new HumanMessage(LONG)] }, CONFIG);
    const [first, second] = model.calls.map(({ messages }) => messages[0]?.text);
    expect(first).toContain("\nfirst $& line\n");
    expect(first).toContain("3990 lines left out");
    expect(second).toBe(first);
  });

  it("leaves a message of exactly the limit alone", async () => {
    const { options, names } = disk();
    const { agent, model } = world(build, { ...options, limitCharacters: LONG.length });
    await agent.invoke({ messages: [new HumanMessage(LONG)] }, CONFIG);
    expect(shownBy(model)).toEqual([["whole"], ["whole"]]);
    expect(names()).toEqual([]);
  });

  it("keeps images beside the stub, and stores a message that came without an id", async () => {
    const { options, stored } = disk();
    const { agent, model } = world(build, options);
    const image = { type: "image", mimeType: "image/png", data: "AAAA" };
    const message = new HumanMessage({ content: [{ type: "text", text: LONG }, image] });
    const { messages } = await agent.invoke({ messages: [message] }, CONFIG);
    expect(model.calls.map((call) => call.messages[0]?.content)).toEqual(
      Array.from({ length: 2 }, () => [
        { type: "text", text: expect.stringContaining("too long to show") },
        image,
      ]),
    );
    expect(messages.map((each) => each.getType())).toEqual(["human", "ai", "tool", "ai"]);
    expect(stored()).toEqual([LONG]);
  });

  it("changes nothing when the message cannot be stored, and stores it when that works again", async () => {
    const { root, options, stored } = disk();
    writeFileSync(join(root, "history"), "in the way");
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
    const { agent, model } = world(build, { ...options, logger }, [{ text: "done" }, { text: "again" }]);
    const { messages } = await agent.invoke({ messages: [new HumanMessage(LONG)] }, CONFIG);
    expect([shownBy(model), messages[0]?.additional_kwargs]).toEqual([[["whole"]], {}]);
    expect(warnings).toEqual(["A long message could not be stored"]);
    rmSync(join(root, "history"));
    await agent.invoke({ messages: [new HumanMessage("go on")] }, CONFIG);
    expect(shownBy(model)[1]).toEqual([expect.stringMatching(/^\/mnt\/history\//), undefined]);
    expect(stored()).toEqual([LONG]);
  });

  it("stores what the user wrote, not what an outer middleware put in front of it", async () => {
    const { options, stored } = disk();
    const model = new ScriptedModel([{ text: "done" }]);
    const agent = build(model, [uploads(), messageOffload(options)], new MemorySaver());
    const content = LONG;
    const additional_kwargs = { files: [{ filename: "a.csv", path: "/mnt/user-data/uploads/a.csv" }] };
    const { messages } = await agent.invoke(
      { messages: [new HumanMessage({ content, additional_kwargs })] },
      CONFIG,
    );
    expect(stored()).toEqual([LONG]);
    expect(messages[0]?.text).toBe(LONG);
  });

  it("hands on what an inner and an outer wrap make of the answer", async () => {
    const { options } = disk();
    const signed = (name: string) =>
      createMiddleware({
        name,
        wrapModelCall: async (request, next) => {
          const answer = await next(request);
          // The cast is sound: no wrap here answers with a command.
          const text = (answer as BaseMessage).text;
          (answer as BaseMessage).content = `${text} ${name}`;
          return answer;
        },
      });
    const model = new ScriptedModel([{ text: "done" }]);
    const agent = build(
      model,
      [signed("outer"), messageOffload(options), signed("inner")],
      new MemorySaver(),
    );
    const { messages } = await agent.invoke({ messages: [new HumanMessage(LONG)] }, CONFIG);
    expect(messages.map(({ text }) => text)).toEqual([LONG, "done inner outer"]);
    expect(messages[0]?.additional_kwargs).toHaveProperty(EVICTED_TO_KEY);
  });
});

describe.each(AGENTS)("messageOffload over files in the state, under %s", (_agent, build) => {
  const filesField = createMiddleware({
    name: "files-field",
    stateSchema: new StateSchema({ files: filesChannel }),
  });

  it("keeps the file with the thread", async () => {
    const model = new ScriptedModel([CALL, { text: "done" }]);
    const offload = messageOffload({ files: new StateBackend() });
    const agent = build(model, [filesField, offload], new MemorySaver());
    const state = await agent.invoke({ messages: [new HumanMessage(LONG)] }, CONFIG);
    const [path] = Object.keys((state as unknown as { files: object }).files);
    expect(path).toMatch(/^\/conversation_history\/message-[0-9a-f]{12}\.md$/);
    expect(shownBy(model)).toEqual([[path], [path]]);
    expect(state.messages[0]).toMatchObject({ content: LONG, additional_kwargs: { [EVICTED_TO_KEY]: path } });
  });

  it("lets a run whose model failed go on where it failed", async () => {
    let isDown = true;
    const model = new ScriptedModel([
      () => {
        if (isDown) throw new Error("no model");
        return { text: "done" };
      },
    ]);
    const offload = messageOffload({ files: new StateBackend() });
    const agent = build(model, [filesField, offload], new MemorySaver());
    await expect(agent.invoke({ messages: [new HumanMessage(LONG)] }, CONFIG)).rejects.toThrow("no model");
    isDown = false;
    const { messages } = await agent.invoke(null, CONFIG);
    expect(messages.map(({ text }) => text)).toEqual([LONG, "done"]);
  });
});

describe("messageOffload beside a structured response", () => {
  it("shows the stub and loses neither the response nor the message", async () => {
    const { options, names } = disk();
    const model = new ScriptedModel([{ calls: [{ name: "extract", args: { city: "Rome" } }] }]);
    const agent = createAgent({
      model,
      tools: [look],
      middleware: [messageOffload(options)],
      responseFormat: z.object({ city: z.string() }).meta({ title: "extract" }),
    });
    const result = await agent.invoke({ messages: [new HumanMessage(LONG)] });
    expect(result.structuredResponse).toEqual({ city: "Rome" });
    expect(shownBy(model)).toEqual([[`/mnt/history/${names()[0]}`]]);
    expect(result.messages[0]?.text).toBe(LONG);
  });
});

describe("evictedTo", () => {
  it.each([
    ["/mnt/history/a.md", "/mnt/history/a.md"],
    ["/mnt//history/./a.md", "/mnt/history/a.md"],
    ["relative.md", undefined],
    ["/mnt/../etc/passwd", undefined],
    ["/mnt/a\nObey.md", undefined],
    [7, undefined],
    [undefined, undefined],
  ])("reads %j as %j", (noted, path) => {
    const message = new HumanMessage({ content: "x", additional_kwargs: { [EVICTED_TO_KEY]: noted } });
    expect(evictedTo(message)).toBe(path);
  });
});
