/** The contract with LangChain on streams: every mode tells a client what it would hear from `createAgent`. */
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { ClientTool } from "@langchain/core/tools";
import {
  Command,
  getCurrentTaskInput,
  INTERRUPT,
  interrupt,
  isInterrupted,
  MemorySaver,
} from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, createMiddleware, tool, type ToolRuntime } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ScriptedModel } from "../testing/scripted-model.js";
import { createAgentGraph } from "./create-agent-graph.js";

interface Parts {
  readonly name?: string;
  readonly model: ScriptedModel;
  readonly tools: ClientTool[];
  readonly middleware?: AgentMiddleware[];
  readonly checkpointer?: MemorySaver;
}
interface Runnable {
  invoke(input: unknown, config: object): Promise<{ messages: BaseMessage[] }>;
  stream(input: unknown, config: object): Promise<AsyncIterable<[string[], string, unknown]>>;
  streamEvents(
    input: unknown,
    config: object,
  ): Promise<AsyncIterable<{ method: string; params: { namespace: string[] } }>>;
}
type Build = (parts: Parts) => Runnable;

const ours: Build = (parts) =>
  createAgentGraph({ ...parts, nodeName: "model_request" }) as unknown as Runnable;
const theirs: Build = (parts) => createAgent(parts).graph as unknown as Runnable;

/** A lead agent with a subagent as a tool, called twice beside a tool that writes to the stream. */
function lead(build: Build, asks = false): Runnable {
  const inner = tool(() => (asks ? `answer ${interrupt({ from: "inner" })}` : "inner result"), {
    name: "inner",
    description: "Works inside.",
    schema: z.object({ a: z.number() }),
  });
  const subagent = build({
    name: "researcher",
    model: new ScriptedModel([{ calls: [{ name: "inner", args: { a: 1 } }] }, { text: "sub says hello" }]),
    tools: [inner],
  });
  const task = tool(
    async ({ prompt }, runtime: ToolRuntime) => {
      const { messages } = await subagent.invoke(
        { messages: [new HumanMessage(`sub ${prompt}`)] },
        runtime["config"] as object,
      );
      return `${messages.at(-1)?.text} ${prompt}`;
    },
    { name: "task", description: "Asks a subagent.", schema: z.object({ prompt: z.string() }) },
  );
  const report = tool(
    ({ x }, runtime: ToolRuntime) => {
      runtime.writer?.({ progress: x } as never);
      const { messages } = getCurrentTaskInput(runtime["config"] as never) as { messages: BaseMessage[] };
      return `reported ${x} of ${messages.length}`;
    },
    { name: "report", description: "Reports.", schema: z.object({ x: z.number() }) },
  );
  const quiet = createMiddleware({
    name: "quiet",
    beforeModel: () => ({}),
    afterModel: () => undefined,
    wrapModelCall: (request, next) => next(request),
  });
  const calls = [
    { name: "task", args: { prompt: "P1" } },
    { name: "task", args: { prompt: "P2" } },
    { name: "report", args: { x: 7 } },
  ];
  return build({
    model: new ScriptedModel([{ text: "let me see", calls }, { text: "all done now" }]),
    tools: [task, report],
    middleware: [quiet],
    checkpointer: new MemorySaver(),
  });
}

const MODES = ["values", "updates", "messages", "custom", "tools", "checkpoints", "tasks", "debug"] as const;
const input = () => ({ messages: [new HumanMessage({ id: "go", content: "go" })] });
const config = {
  configurable: { thread_id: "s" },
  tags: ["mine"],
  metadata: { who: "me" },
  recursionLimit: 100,
};
const withoutIds = (namespace: readonly string[]) =>
  namespace.map((part) => part.replace(/:.*/, "")).join("|");

/** What a client can tell apart, sorted where calls race. */
async function heard(graph: Runnable, modes: readonly string[] = MODES) {
  const tokens = new Map<string, string>();
  const metadata = new Set<string>();
  const custom: unknown[] = [];
  const toolEvents: string[] = [];
  const answers: string[] = [];
  const namespaces = new Set<string>();
  const tasks = new Set<string>();
  const updates: string[] = [];
  let lastValues: BaseMessage[] = [];
  for await (const [namespace, mode, chunk] of await graph.stream(input(), {
    ...config,
    subgraphs: true,
    streamMode: modes,
  })) {
    const place = withoutIds(namespace);
    namespaces.add(`${mode} ${place}`);
    if (namespace[0] !== undefined) tasks.add(namespace[0]);
    if (mode === "values" && place === "") lastValues = (chunk as { messages: BaseMessage[] }).messages;
    if (mode === "custom") custom.push(chunk);
    if (mode === "tools") {
      const { event, name } = chunk as { event: string; name?: string };
      toolEvents.push(`${place} ${event} ${name}`);
    }
    if (mode === "updates" && place === "") {
      for (const [node, update] of Object.entries(chunk as Record<string, { messages?: unknown[] } | null>)) {
        if (!node.includes(".")) updates.push(`${node}: ${update?.messages?.length}`);
      }
    }
    if (mode === "messages") {
      const [message, about] = chunk as [BaseMessage, Record<string, unknown>];
      if (message.getType() === "tool") answers.push(`${place} ${message.text}`);
      if (message.getType() !== "ai") continue;
      const at = `${namespace.join("|")}`;
      tokens.set(at, `${tokens.get(at) ?? place}·${message.text}`);
      const { langgraph_node, tags, who, langgraph_checkpoint_ns } = about;
      metadata.add(
        `${langgraph_node} ${tags} ${who} ${withoutIds(String(langgraph_checkpoint_ns).split("|"))}`,
      );
    }
  }
  return {
    tokens: [...tokens.values()].toSorted(),
    metadata: [...metadata].toSorted(),
    custom,
    toolEvents: toolEvents.toSorted(),
    answers: answers.toSorted(),
    namespaces: [...namespaces].toSorted(),
    // P1, P2: each subagent has a namespace of its own.
    tasksWithNamespaces: tasks.size,
    updates,
    final: lastValues.map((message) => `${message.getType()}: ${message.text}`),
  };
}

describe("a stream of the agent graph", () => {
  it("tells in all modes at once what createAgent's tells, subagents included", async () => {
    const [expected, actual] = [await heard(lead(theirs)), await heard(lead(ours))];
    expect(actual).toEqual(expected);
    expect(actual.tokens.join()).toContain("let ·me ·see");
    expect(actual.tasksWithNamespaces).toBe(2);
    expect(actual.updates).toEqual([
      "model_request: 1",
      "tools: 1",
      "tools: 1",
      "tools: 1",
      "model_request: 1",
    ]);
  });

  it.each(["values", "updates", "messages", "custom", "tools"] as const)(
    "tells the same in mode %s alone",
    async (mode) => {
      expect(await heard(lead(ours), [mode])).toEqual(await heard(lead(theirs), [mode]));
    },
  );

  it("names no hook in the updates, only its two nodes", async () => {
    const nodes = new Set<string>();
    const stream = await lead(ours).stream(input(), { ...config, streamMode: ["updates"] });
    for await (const [, chunk] of stream as unknown as AsyncIterable<[string, object]>) {
      for (const node of Object.keys(chunk)) nodes.add(node);
    }
    expect([...nodes].toSorted()).toEqual(["model_request", "tools"]);
  });

  it("gives the events of version 3 with the same methods, counts of message events and namespaces", async () => {
    const count = async (graph: Runnable) => {
      const methods = new Set<string>();
      const namespaces = new Set<string>();
      let messageEvents = 0;
      for await (const { method, params } of await graph.streamEvents(input(), {
        ...config,
        version: "v3",
      })) {
        methods.add(method);
        namespaces.add(withoutIds(params.namespace));
        if (method === "messages") messageEvents += 1;
      }
      return { methods: [...methods].toSorted(), namespaces: [...namespaces].toSorted(), messageEvents };
    };
    expect(await count(lead(ours))).toEqual(await count(lead(theirs)));
  });

  it("shows the interrupts of subagents that run side by side, and one resume answers both", async () => {
    const graph = lead(ours, true);
    const first = await graph.invoke(input(), config);
    if (!isInterrupted(first)) throw new Error("The run did not stop at an interrupt.");
    const interruptIds = (first[INTERRUPT] as { id: string }[]).map(({ id }) => id);
    expect(new Set(interruptIds).size).toBe(2);
    const resume = Object.fromEntries(interruptIds.map((id) => [id, "YES"]));
    const { messages } = await graph.invoke(new Command({ resume }), config);
    expect(messages.filter((message) => message.getType() === "tool").map(({ text }) => text)).toEqual([
      "sub says hello P1",
      "sub says hello P2",
      "reported 7 of 2",
    ]);
  });
});
