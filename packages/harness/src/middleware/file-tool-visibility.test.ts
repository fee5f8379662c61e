import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import type { ClientTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { type AgentMiddleware, createAgent, createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { FileBackend } from "../filesystem/contract.js";
import { createAgentGraph } from "../graph/create-agent-graph.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { type Author, defineTool } from "../tools/define-tool.js";
import type { ToolKind } from "../tools/face.js";
import { definitionOf, fileToolVisibility, withText } from "./file-tool-visibility.js";

const describeTool = (kind: ToolKind, visible: ReadonlySet<ToolKind>): string =>
  `${kind} beside ${[...visible].filter((other) => other !== kind).join(", ") || "nothing"}`;

const ALL: ReadonlySet<ToolKind> = new Set(["read", "delete", "grep", "execute"]);

const fake = (kind: ToolKind, author: Author = "face") =>
  defineTool({
    name: `my_${kind}`,
    operation: kind,
    description: author === "face" ? describeTool(kind, ALL) : "mine",
    describedBy: author,
    input: z.object({ path: z.string().describe("Where.") }),
    run: async ({ path }) => ({ text: `${kind} ran on ${path}` }),
  });

/** Only what this middleware asks of a backend. */
const filesThat = (able: { remove: boolean; shell: boolean }): FileBackend =>
  ({
    id: "fake",
    canRemove: able.remove,
    ...(able.shell ? { shell: { sandbox: {}, workingDirectory: "/", reachesHost: false } } : {}),
  }) as unknown as FileBackend;

const EVERYTHING = filesThat({ remove: true, shell: true });

type OfferedTool = ReturnType<typeof definitionOf>;

interface Seen {
  readonly tools: readonly { readonly name: string; readonly description?: string }[];
  readonly prompt: string;
  readonly list: readonly unknown[];
}

/** Records what the model would be given, further in than the middleware under test. */
const spy = (seen: Seen[]) =>
  createMiddleware({
    name: "spy",
    wrapModelCall(request, next) {
      const tools = (request.tools ?? []).map((tool) => {
        const {
          name,
          description,
          function: own,
        } = tool as ClientTool & { function?: { description: string } };
        return { name: String(name), description: own?.description ?? String(description) };
      });
      seen.push({ tools, prompt: request.systemPrompt, list: request.tools ?? [] });
      return next(request);
    },
  });

const hide = (name: string) =>
  createMiddleware({
    name: "hide",
    wrapModelCall: (request, next) =>
      next({ ...request, tools: (request.tools ?? []).filter((tool) => tool.name !== name) }),
  });

interface Given {
  readonly tools: ClientTool[];
  readonly outside?: readonly AgentMiddleware[];
  readonly files?: FileBackend;
  readonly systemPrompt?: string;
  readonly calls?: readonly string[];
}

const BUILDERS = [
  { name: "a plain createAgent", create: createAgent as unknown as typeof createAgentGraph },
  { name: "our own graph", create: createAgentGraph },
] as const;

describe.each(BUILDERS)("file-tool-visibility in $name", ({ create }) => {
  const run = async ({ tools, outside = [], files = EVERYTHING, systemPrompt, calls = [] }: Given) => {
    const seen: Seen[] = [];
    const visibility = fileToolVisibility({
      files,
      tools,
      describe: describeTool,
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
    });
    const turns = [...calls.map((name) => ({ calls: [{ name, args: { path: "/a" } }] })), { text: "done" }];
    const agent = create({
      model: new ScriptedModel(turns),
      tools,
      systemPrompt: "base",
      middleware: [...outside, visibility, spy(seen)],
    });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
    return { seen, answers: messages.filter((message) => message.getType() === "tool") };
  };

  it("leaves the list and the prompt as they are when nothing is hidden", async () => {
    const tools = [fake("read"), fake("delete"), fake("grep"), fake("execute")];
    const { seen } = await run({ tools });
    expect(seen[0]?.list.every((tool, position) => tool === tools[position])).toBe(true);
    expect(seen[0]?.prompt).toBe("base");
  });

  it("drops what the backend cannot do, and describes the rest without it", async () => {
    const tools = [fake("read"), fake("delete"), fake("grep"), fake("execute")];
    const { seen } = await run({ tools, files: filesThat({ remove: false, shell: false }) });
    expect(seen[0]?.tools).toEqual([
      { name: "my_read", description: "read beside grep" },
      { name: "my_grep", description: "grep beside read" },
    ]);
  });

  it("describes a tool by what another middleware has left, in the same order, and still runs it", async () => {
    const tools = [fake("delete"), fake("grep"), fake("execute"), fake("read")];
    const { seen, answers } = await run({ tools, outside: [hide("my_execute")], calls: ["my_grep"] });
    expect(seen[0]?.tools.map(({ description }) => description)).toEqual([
      "delete beside grep, read",
      "grep beside delete, read",
      "read beside delete, grep",
    ]);
    expect(answers.map(({ text }) => text)).toEqual(["grep ran on /a"]);
    expect(tools[1]?.description).toBe(describeTool("grep", ALL));
  });

  it("gives the very same definitions at each request, for prompt caches", async () => {
    const tools = [fake("grep"), fake("execute")];
    const { seen } = await run({ tools, outside: [hide("my_execute")], calls: ["my_grep"] });
    expect(seen).toHaveLength(2);
    expect(seen[1]?.list[0]).toBe(seen[0]?.list[0]);
  });

  it("never changes a description that its caller wrote", async () => {
    const tools = [fake("grep", "caller"), fake("execute")];
    const { seen } = await run({ tools, outside: [hide("my_execute")] });
    expect(seen[0]?.tools).toEqual([{ name: "my_grep", description: "mine" }]);
    expect(seen[0]?.list[0]).toBe(tools[0]);
  });

  it("puts its text behind the agent's prompt", async () => {
    const { seen } = await run({ tools: [fake("read")], systemPrompt: "Files are yours." });
    expect(seen[0]?.prompt).toBe("base\n\nFiles are yours.");
  });
});

describe("a tool that was made elsewhere", () => {
  it("is neither dropped nor described anew, whatever it does", async () => {
    const seen: Seen[] = [];
    const files = filesThat({ remove: false, shell: false });
    const agent = createAgent({
      model: new ScriptedModel([{ text: "done" }]),
      tools: [fake("execute")],
      middleware: [fileToolVisibility({ files, tools: [], describe: describeTool }), spy(seen)],
    });
    await agent.invoke({ messages: [new HumanMessage("go")] });
    expect(seen[0]?.tools).toEqual([{ name: "my_execute", description: describeTool("execute", ALL) }]);
  });
});

describe("a definition in place of a tool", () => {
  const schema = {
    type: "object",
    properties: { path: { type: "string", description: "Where." } },
    required: ["path"],
  };

  /** The tools in the body of the one request that the model makes. Nothing leaves this process. */
  const sent = async (tool: OfferedTool, useResponsesApi: boolean): Promise<Record<string, unknown>> => {
    let body: { tools: Record<string, unknown>[] } = { tools: [] };
    const fetch = async (_address: unknown, init?: { body?: unknown }) => {
      body = JSON.parse(String(init?.body)) as typeof body;
      const message = { role: "assistant", content: "ok" };
      return Response.json(useResponsesApi ? { output: [] } : { choices: [{ index: 0, message }] });
    };
    const configuration = { fetch };
    const model = new ChatOpenAI({
      model: "gpt-4o",
      apiKey: "none",
      maxRetries: 0,
      useResponsesApi,
      configuration,
    });
    await model.bindTools([tool]).invoke("go");
    return body.tools[0] ?? {};
  };

  it.each([false, true])(
    "reaches OpenAI like the tool itself, with other words (responses: %s)",
    async (api) => {
      const tool = fake("grep");
      const own = JSON.stringify(await sent(tool, api));
      const replaced = JSON.parse(
        JSON.stringify(await sent(definitionOf(tool, "new words"), api)),
      ) as unknown;
      expect(own).toContain('"name":"my_grep"');
      expect(replaced).toEqual(JSON.parse(own.replace(tool.description, "new words")));
    },
  );

  it("reaches Anthropic's servers in their own form", () => {
    const model = new ChatAnthropic({ model: "claude-sonnet-4-5", apiKey: "none" });
    const [sent] = model.formatStructuredToolToAnthropic([definitionOf(fake("grep"), "new words")]) ?? [];
    expect(sent).toEqual({
      name: "my_grep",
      description: "new words",
      input_schema: expect.objectContaining(schema),
    });
  });

  it("does not carry what one client wrote into it to another model", async () => {
    const lists: (readonly unknown[])[] = [];
    const tools = [fake("grep"), fake("execute")];
    const visibility = fileToolVisibility({ files: EVERYTHING, tools, describe: describeTool });
    for (const turns of [[{ text: "one" }], [{ text: "two" }]]) {
      const seen: Seen[] = [];
      const agent = createAgent({
        model: new ScriptedModel(turns),
        tools,
        middleware: [hide("my_execute"), visibility, spy(seen)],
      });
      await agent.invoke({ messages: [new HumanMessage("go")] });
      lists.push(seen[0]?.list ?? []);
    }
    expect(lists[0]?.[0]).toEqual(lists[1]?.[0]);
    expect(lists[0]?.[0]).not.toBe(lists[1]?.[0]);
  });
});

describe("withText", () => {
  it("keeps the blocks of the prompt and what is marked on them", () => {
    const marked = { type: "text" as const, text: "base", cache_control: { type: "ephemeral" } };
    const message = new SystemMessage({ content: [marked] });
    expect(withText(message, "more").content).toEqual([marked, { type: "text", text: "\n\nmore" }]);
    expect(withText(message, "")).toBe(message);
    expect(withText(new SystemMessage(""), "more").content).toBe("more");
  });
});
