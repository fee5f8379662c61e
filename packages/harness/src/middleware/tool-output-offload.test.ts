import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { Command, MemorySaver, REMOVE_ALL_MESSAGES, StateSchema } from "@langchain/langgraph";
import {
  type AgentMiddleware,
  createAgent,
  createMiddleware,
  type DynamicStructuredTool,
  tool,
} from "langchain";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { silentLogger } from "../base/logger.js";
import { nameOf } from "../base/virtual-path.js";
import { filesChannel } from "../filesystem/files-channel.js";
import { MountedDiskBackend } from "../filesystem/mounted-disk-backend.js";
import { StateBackend } from "../filesystem/state-backend.js";
import { createAgentGraph } from "../graph/create-agent-graph.js";
import { ScriptedModel, type ScriptedTurn } from "../testing/scripted-model.js";
import { defineTool, type KeptText, type Operation, type ToolOutcome } from "../tools/define-tool.js";
import { toolOutputOffload, type ToolOutputOffloadOptions } from "./tool-output-offload.js";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

function disk() {
  const root = mkdtempSync(join(tmpdir(), "deerflow-offload-"));
  roots.push(root);
  const files = new MountedDiskBackend({
    mounts: [{ virtualPath: "/mnt", hostPath: root, mode: "read-write" }],
  });
  const folder = join(root, "results");
  const stored = () => {
    try {
      return readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    } catch {
      return [];
    }
  };
  return {
    root,
    files,
    folder: "/mnt/results",
    stored,
    hostPath: (path: string) => join(folder, nameOf(path)),
  };
}

type Build = (parts: {
  model: ScriptedModel;
  tools: readonly DynamicStructuredTool[];
  middleware: readonly AgentMiddleware[];
}) => { invoke(input: { messages: BaseMessage[] }, config: object): Promise<{ messages: BaseMessage[] }> };

const AGENTS: readonly (readonly [string, Build])[] = [
  [
    "createAgent",
    ({ model, tools, middleware }) =>
      // The cast is sound: the library's type of a run is wider than what a test asks for.
      createAgent({
        model,
        tools: [...tools],
        middleware: [...middleware],
        checkpointer: new MemorySaver(),
      }) as unknown as ReturnType<Build>,
  ],
  [
    "createAgentGraph",
    (parts) =>
      createAgentGraph({ ...parts, checkpointer: new MemorySaver() }) as unknown as ReturnType<Build>,
  ],
];

const foreign = (name: string, answer: () => unknown) =>
  tool(async () => answer() as string, { name, description: "Answers.", schema: z.object({}) });

const ours = (operation: Operation, text: string, fullText?: string, more: Pick<ToolOutcome, "kept"> = {}) =>
  defineTool({
    name: `do_${operation}`,
    operation,
    description: "Answers.",
    input: z.object({}),
    run: async () => ({ text, ...(fullText === undefined ? {} : { fullText }), ...more }),
  });

const CONFIG = { configurable: { thread_id: "t" } };

async function run(
  build: Build,
  answers: readonly DynamicStructuredTool[],
  options: ToolOutputOffloadOptions,
  calls: ScriptedTurn["calls"] = answers.map(({ name }) => ({ name, args: {} })),
) {
  const model = new ScriptedModel([{ calls }, { text: "done" }]);
  const agent = build({ model, tools: answers, middleware: [toolOutputOffload(options)] });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] }, CONFIG);
  const results = messages.filter((message) => ToolMessage.isInstance(message));
  return { messages, results, model };
}

const pathIn = (message: BaseMessage | undefined): string =>
  /in the file (\S+)\]/.exec(message?.text ?? "")?.[1] ?? "no path";

const LONG = `cost $$5 $& $' end\n${"x".repeat(79)}\n`.repeat(1000);

describe.each(AGENTS)("toolOutputOffload under %s", (_agent, build) => {
  it("stores a long result and shows its first line literally in a stub that is far shorter", async () => {
    const { files, folder, stored, hostPath } = disk();
    const { results, model } = await run(build, [foreign("search", () => LONG)], { files, folder });
    const [stub] = results;
    expect(stored()).toEqual([LONG]);
    expect(readFileSync(hostPath(pathIn(stub)), "utf8")).toBe(LONG);
    expect(stub?.text).toContain("\ncost $$5 $& $' end\n");
    expect(stub?.text.match(/is too long to show/g)).toHaveLength(1);
    expect(stub?.text.length).toBeLessThan(12_000);
    expect(stub).toMatchObject({ tool_call_id: "call-0-0", name: "search" });
    expect(model.calls[1]?.messages.at(-1)?.text).toBe(stub?.text);
  });

  it("leaves a result of exactly the limit as it is", async () => {
    const { files, folder, stored } = disk();
    const short = "x".repeat(80_000);
    const { results } = await run(
      build,
      [foreign("search", () => short), foreign("find", () => `${short}x`)],
      {
        files,
        folder,
      },
    );
    expect(results[0]?.text).toBe(short);
    expect(results[1]?.text).not.toContain(short);
    expect(stored()).toHaveLength(1);
  });

  it("measures and replaces text only: media, facts and marks of the message stay", async () => {
    const { files, folder, stored } = disk();
    const image = { type: "image", mimeType: "image/png", data: "A".repeat(200_000) };
    const answer = new ToolMessage({
      id: "m1",
      tool_call_id: "call-0-0",
      name: "look",
      status: "error",
      content: [
        { type: "text", text: "a".repeat(50_000) },
        image,
        { type: "text", text: "b".repeat(50_000) },
      ],
      artifact: { kept: true },
      additional_kwargs: { mark: 1 },
      response_metadata: { from: "there" },
    });
    const { results } = await run(build, [foreign("look", () => answer)], { files, folder });
    const [stub] = results;
    expect(stub?.content).toEqual([
      { type: "text", text: expect.stringContaining("too long to show") },
      image,
    ]);
    expect(stub).toMatchObject({
      id: "m1",
      tool_call_id: "call-0-0",
      name: "look",
      status: "error",
      artifact: { kept: true },
      additional_kwargs: { mark: 1 },
      response_metadata: { from: "there" },
    });
    expect(stored()).toEqual([`${"a".repeat(50_000)}\n${"b".repeat(50_000)}`]);
  });

  it("keeps the result when it cannot be stored, and says so in the log", async () => {
    const { root, files, folder } = disk();
    writeFileSync(join(root, "results"), "in the way");
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
    const { results } = await run(build, [foreign("search", () => LONG)], { files, folder, logger });
    expect(results[0]?.text).toBe(LONG);
    expect(warnings).toEqual(["A long tool result could not be stored"]);
  });

  it("leaves the file tools and what is exempt alone, and takes commands and foreign tools", async () => {
    const { files, folder, stored } = disk();
    const bounded = (["list", "glob", "grep", "read", "edit", "write", "delete"] as const).map((operation) =>
      ours(operation, LONG),
    );
    const { results } = await run(
      build,
      [
        ...bounded,
        foreign("exempt", () => LONG),
        ours("execute", LONG),
        foreign("own_limit", () => "y".repeat(900)),
      ],
      { files, folder, exemptTools: ["exempt"], limitsByTool: { own_limit: 800 } },
    );
    expect(results.slice(0, 8).map(({ text }) => text)).toEqual(Array.from({ length: 8 }, () => LONG));
    expect(results.slice(8).map((message) => pathIn(message))).toEqual([
      expect.stringMatching(/^\/mnt\/results\/do_execute-[0-9a-f]{12}\.txt$/),
      expect.stringMatching(/^\/mnt\/results\/own_limit-[0-9a-f]{12}\.txt$/),
    ]);
    expect(stored()).toHaveLength(2);
  });

  it("stores the whole of what a tool has cut, and shows how it ended", async () => {
    const { files, folder, stored } = disk();
    const full = `${"line of output\n".repeat(9000)}the end`;
    const cut = `${full.slice(0, 500)}\n[… cut …]\n${full.slice(-500)}\nExit code: 3`;
    const { results } = await run(build, [ours("execute", cut, full)], { files, folder });
    expect(stored()).toEqual([full]);
    expect(results[0]?.text).toMatch(/the end\nExit code: 3\n-----/);
  });

  it("points at the file that a tool has made, and stores nothing again", async () => {
    const { files, folder, stored } = disk();
    const note = "[The output was cut. All of it is in the file /kept/log.]";
    const full = `first\n${"line of output\n".repeat(9000)}the end\nExit code: 3`;
    const cut = `${full.slice(0, 500)}\n[… cut …]\n${full.slice(-500).replace("\nExit", () => `\n${note}\nExit`)}`;
    const told = `${cut}${" ".repeat(90_000)}\n[audit] beware`;
    const kept: KeptText = {
      path: "/kept/log",
      characters: 7_000_000,
      lines: 300_000,
      leftOut: 0,
      isAll: true,
      isInText: true,
      note,
    };
    const parts = [{}, { leftOut: 12_345, isInText: false }].map((part) => ({ ...kept, ...part }));
    const { results } = await run(
      build,
      parts.map((part, index) =>
        Object.assign(ours("execute", told, full, { kept: part }), { name: `do_${index}` }),
      ),
      { files, folder },
    );
    const [whole, middle] = results;
    expect(stored()).toEqual([]);
    expect(whole?.text).toMatch(
      /7000000 characters in 300000 lines\. All of it is in the file \/kept\/log\]/,
    );
    expect(whole?.text).toMatch(/299990 lines left out.*the end\nExit code: 3\n\[audit\] beware\n-----/s);
    expect(whole?.text).not.toContain(note);
    expect(middle?.text).toContain(
      "Its beginning and its end, without 12345 characters, are in the file /kept/log]",
    );
  });

  it("replaces every long tool message in a command and keeps the rest of it", async () => {
    const { files, folder, stored } = disk();
    const say = (id: string, content: string) =>
      new ToolMessage({ id, tool_call_id: id, name: "jump", content });
    const command = new Command({
      update: {
        messages: [
          new RemoveMessage({ id: REMOVE_ALL_MESSAGES }),
          new HumanMessage({ id: "h", content: LONG }),
          new AIMessage({
            id: "a",
            content: "",
            tool_calls: [
              { id: "call-0-0", name: "jump", args: {} },
              { id: "other", name: "jump", args: {} },
            ],
          }),
          say("call-0-0", LONG),
          say("other", `${LONG}more`),
        ],
      },
    });
    const { messages } = await run(build, [foreign("jump", () => command)], { files, folder });
    expect(messages.map(({ id }) => id).slice(0, 4)).toEqual(["h", "a", "call-0-0", "other"]);
    expect(messages[0]?.text).toBe(LONG);
    expect(messages.slice(2, 4).map(pathIn)).toEqual([
      expect.stringMatching(/^\/mnt\/results\/jump-/),
      expect.stringMatching(/^\/mnt\/results\/jump-/),
    ]);
    expect(stored().sort()).toEqual([LONG, `${LONG}more`].sort());
  });

  it("gives calls of one turn files of their own, also under ids that no name can hold", async () => {
    const { files, folder, stored } = disk();
    const ids = ["call.1", "call/1", "call\\1", "c".repeat(5000)];
    let count = 0;
    const search = foreign("../search", () => `${LONG}${(count += 1)}`);
    const { results } = await run(
      build,
      [search],
      { files, folder },
      ids.map((id) => ({ name: "../search", args: {}, id })),
    );
    expect(new Set(results.map(pathIn)).size).toBe(ids.length);
    expect(stored()).toHaveLength(ids.length);
  });

  it("says what kind of text it stored, in the name of the file too", async () => {
    const { files, folder } = disk();
    const rows = Array.from({ length: 3000 }, (_, id) => ({ id, name: `row ${id}`, tags: ["a", "b"] }));
    const { results } = await run(build, [foreign("query", () => JSON.stringify(rows))], { files, folder });
    expect(pathIn(results[0])).toMatch(/\.json$/);
    expect(results[0]?.text).toContain(
      "JSON: list of 3000, the first: { id: number; name: string; tags: list of 2",
    );
  });

  it("cuts in DeerFlow's way where nothing can be stored, and leaves what is not that long", async () => {
    const { results } = await run(
      build,
      [foreign("long", () => LONG), foreign("middle", () => "m".repeat(29_000))],
      { dialect: "deerflow" },
    );
    const [cut, whole] = results;
    expect(cut?.text.length).toBeLessThan(11_200);
    expect(cut?.text).toMatch(/\[… \d+ of 99000 characters are left out here and stored nowhere/);
    expect(whole?.text).toBe("m".repeat(29_000));
  });

  it("has DeerFlow's limit, previews and way of reading in its dialect", async () => {
    const { files, folder } = disk();
    const { results } = await run(
      build,
      [foreign("short", () => "s".repeat(11_999)), foreign("long", () => "word ".repeat(2400))],
      { files, folder, dialect: "deerflow" },
    );
    expect(results[0]?.text).toBe("s".repeat(11_999));
    expect(results[1]?.text).toMatch(
      /read_file: path "\/mnt\/results\/long-[0-9a-f]{12}\.txt", start_line 1, end_line 1;/,
    );
    expect(results[1]?.text).toContain("Text. 1 line, 2400 words.");
    expect(results[1]?.text.length).toBeLessThan(4000);
  });

  it("shows long results of older threads cut, without changing the state", async () => {
    const { files, folder, stored } = disk();
    const old = (id: string, name: string): BaseMessage[] => [
      new AIMessage({ id: `a-${id}`, content: "", tool_calls: [{ id, name, args: {} }] }),
      new ToolMessage({ id: `t-${id}`, tool_call_id: id, name, content: LONG }),
    ];
    const model = new ScriptedModel([{ text: "done" }]);
    const middleware = [toolOutputOffload({ files, folder, dialect: "deerflow" })];
    const agent = build({ model, tools: [ours("grep", "x"), foreign("search", () => "x")], middleware });
    const history = [
      ...old("1", "search"),
      ...old("2", "do_grep"),
      ...old("3", "read_file"),
      new HumanMessage("go"),
    ];
    const { messages } = await agent.invoke({ messages: history }, CONFIG);
    const shown = model.calls[0]?.messages.filter((message) => ToolMessage.isInstance(message)) ?? [];
    expect(shown[0]?.text).toMatch(/left out here and stored nowhere/);
    expect(shown.slice(1).map(({ text }) => text)).toEqual([LONG, LONG]);
    expect(messages.filter((message) => message.text === LONG)).toHaveLength(3);
    expect(stored()).toEqual([]);
  });

  it("keeps the files of parallel calls in the state where the files lie there", async () => {
    const field = createMiddleware({
      name: "files-field",
      stateSchema: new StateSchema({ files: filesChannel }),
    });
    const model = new ScriptedModel([{ calls: [{ name: "one" }, { name: "two" }] }, { text: "done" }]);
    const offload = toolOutputOffload({ files: new StateBackend() });
    const tools = [foreign("one", () => LONG), foreign("two", () => `${LONG}more`)];
    const agent = build({ model, tools, middleware: [field, offload] });
    const state = await agent.invoke({ messages: [new HumanMessage("go")] }, CONFIG);
    // The cast is sound: the middleware above adds the field.
    const { files } = state as unknown as { files: Record<string, { content: string }> };
    const paths = state.messages.filter((message) => ToolMessage.isInstance(message)).map(pathIn);
    expect(paths.map((path) => files[path]?.content)).toEqual([LONG, `${LONG}more`]);
  });

  it("throws on what a tool throws", async () => {
    const { files, folder } = disk();
    mkdirSync(join(roots[0] ?? "", "results"));
    const failing = foreign("failing", () => {
      throw new Error("no connection");
    });
    const thrown: unknown[] = [];
    const watching = {
      name: "watching",
      wrapToolCall: async (request: unknown, next: (given: unknown) => Promise<ToolMessage>) => {
        try {
          return await next(request);
        } catch (error) {
          thrown.push(error);
          return new ToolMessage({ tool_call_id: "call-0-0", content: "caught" });
        }
      },
      // The cast is sound: the hook takes and gives what the library's type says.
    } as unknown as AgentMiddleware;
    const model = new ScriptedModel([{ calls: [{ name: "failing" }] }, { text: "done" }]);
    const agent = build({
      model,
      tools: [failing],
      middleware: [watching, toolOutputOffload({ files, folder })],
    });
    await agent.invoke({ messages: [new HumanMessage("go")] }, CONFIG);
    expect(String(thrown[0])).toContain("no connection");
  });
});
