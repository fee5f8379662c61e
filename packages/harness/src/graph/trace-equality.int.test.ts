/** The contract with LangChain: with `parity`, every hook sees and does exactly what it would under `createAgent`. */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { ClientTool } from "@langchain/core/tools";
import { Command, MemorySaver, ReducedValue, StateSchema } from "@langchain/langgraph";
import {
  type AgentMiddleware,
  createAgent,
  createMiddleware,
  type JumpToTarget,
  type Runtime,
  tool,
  type ToolRuntime,
  toolErrorMiddleware,
} from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ScriptedModel, type ScriptedTurn } from "../testing/scripted-model.js";
import { createAgentGraph } from "./create-agent-graph.js";

type Seen = Record<string, unknown> & { messages: BaseMessage[] };
type Event = readonly unknown[];

/** What one hook of one middleware does, besides counting and logging. */
interface Act {
  readonly jumpTo?: JumpToTarget;
  /** On which of its calls; the first when absent. */
  readonly on?: number;
  readonly messages?: (seen: Seen) => BaseMessage[];
}

interface Case {
  readonly name: string;
  readonly acts?: Readonly<Record<string, Act>>;
  readonly turns?: readonly ScriptedTurn[];
  /** Middleware C answers calls with this many tool calls by a command. */
  readonly commandOnCalls?: number;
}

const PHASES = ["beforeAgent", "beforeModel", "afterModel", "afterAgent"] as const;
const NAMES = ["A", "B", "C", "D"] as const;

const TURNS: readonly ScriptedTurn[] = [
  { text: "a", calls: [{ name: "echo", args: { x: "1" } }] },
  {
    calls: [
      { name: "echo", args: { x: "2" } },
      { name: "note", args: { x: "3" } },
      { name: "missing" },
      { name: "dynamic" },
    ],
  },
  { calls: [{ name: "echo", args: { x: 5 } }, { name: "boom" }] },
  { text: "done" },
];

const human = (id: string) => [new HumanMessage({ id, content: id })];
const fabricated = () => [
  new AIMessage({
    id: "fabricated",
    content: "",
    tool_calls: [{ id: "f1", name: "echo", args: { x: "fabricated" } }],
  }),
];
const edited = ({ messages }: Seen) => {
  const last = messages.at(-1) as AIMessage;
  return [
    new AIMessage({
      id: last.id as string,
      content: "edited",
      tool_calls: (last.tool_calls ?? []).slice(0, 1),
    }),
  ];
};

const CASES: readonly Case[] = [
  { name: "no jumps" },
  { name: "beforeModel jumps to end", acts: { "B.beforeModel": { jumpTo: "end", on: 2 } } },
  { name: "beforeAgent jumps to end", acts: { "B.beforeAgent": { jumpTo: "end" } } },
  { name: "beforeAgent jumps to model", acts: { "B.beforeAgent": { jumpTo: "model" } } },
  { name: "beforeModel jumps to model", acts: { "A.beforeModel": { jumpTo: "model" } } },
  { name: "the outermost afterModel jumps to end", acts: { "A.afterModel": { jumpTo: "end" } } },
  { name: "an inner afterModel jumps to end", acts: { "C.afterModel": { jumpTo: "end" } } },
  {
    name: "the outermost afterModel jumps to model after the final answer",
    acts: { "A.afterModel": { jumpTo: "model", on: 4 } },
  },
  {
    name: "an inner afterModel jumps to model after the final answer",
    acts: { "C.afterModel": { jumpTo: "model", on: 4, messages: () => human("again") } },
  },
  { name: "afterModel jumps to tools", acts: { "C.afterModel": { jumpTo: "tools" } } },
  {
    name: "beforeModel fabricates a call and jumps to tools",
    acts: { "B.beforeModel": { jumpTo: "tools", messages: fabricated } },
    turns: [{ text: "done" }],
  },
  {
    name: "afterAgent jumps to model",
    acts: { "B.afterAgent": { jumpTo: "model", messages: () => human("more") } },
  },
  { name: "afterModel replaces the message", acts: { "C.afterModel": { on: 2, messages: edited } } },
  { name: "wrapModelCall answers with a command", commandOnCalls: 4 },
];

const sharedLog = () =>
  new ReducedValue(
    z.array(z.string()).default(() => []),
    { inputSchema: z.array(z.string()), reducer: (current, added) => [...current, ...added] },
  );

const echo = tool(
  ({ x }, runtime: ToolRuntime) => `echo ${x} seen=${(runtime.state as Seen).messages.length}`,
  {
    name: "echo",
    description: "Echoes.",
    schema: z.object({ x: z.string() }),
  },
);
const note = tool(
  ({ x }, runtime: ToolRuntime) =>
    new Command({
      update: {
        shared: [`note:${x}`],
        messages: [
          new ToolMessage({ content: `noted ${x}`, tool_call_id: runtime.toolCallId, name: "note" }),
        ],
      },
    }),
  { name: "note", description: "Notes.", schema: z.object({ x: z.string() }) },
);
const dynamic = tool(() => "dynamic!", {
  name: "dynamic",
  description: "Unknown at first.",
  schema: z.object({}),
});
const boom = tool(
  () => {
    throw new Error("kaboom");
  },
  { name: "boom", description: "Throws.", schema: z.object({}) },
);

/** A middleware with every hook that logs what it is given. */
function logging(name: string, log: Event[], test: Case): AgentMiddleware {
  const counter = `${name}_count`;
  const calls = new Map<string, number>();
  const fieldsOf = (seen: object) =>
    Object.keys(seen)
      .filter((field) => field !== "structuredResponse")
      .toSorted();
  const hookOf = (phase: string) => (seen: Seen, runtime: Runtime) => {
    const id = `${name}.${phase}`;
    const times = (calls.get(id) ?? 0) + 1;
    calls.set(id, times);
    const kinds = seen.messages.map((message) => message.getType()).join();
    const shared = (seen["shared"] as string[] | undefined) ?? [];
    const { user } = runtime.context as { user: string };
    const hasThread = "thread_id" in (runtime.configurable ?? {});
    log.push([id, kinds, seen[counter], shared.length, fieldsOf(seen), user, hasThread]);
    const act = test.acts?.[id];
    const base = { [counter]: Number(seen[counter] ?? 0) + 1, shared: [id] };
    if (act !== undefined && times === (act.on ?? 1)) {
      const { jumpTo, messages } = act;
      return { ...base, ...(messages && { messages: messages(seen) }), ...(jumpTo && { jumpTo }) };
    }
    return id === "B.beforeModel" ? undefined : base;
  };
  return createMiddleware({
    name,
    stateSchema: new StateSchema({ [counter]: z.number().default(0), shared: sharedLog() }),
    contextSchema: z.object({ user: z.string().default("anonymous") }),
    tools: name === "B" ? [note] : [],
    ...Object.fromEntries(
      PHASES.map((phase) => [phase, { canJumpTo: ["end", "model", "tools"], hook: hookOf(phase) }]),
    ),
    async wrapModelCall(request, next) {
      const { state, runtime, tools, systemPrompt, messages } = request;
      const offered = tools.map((entry) => entry["name"]);
      const seen = state as Seen;
      log.push([
        `${name}.model>`,
        messages.length,
        seen[counter],
        fieldsOf(seen),
        runtime.context.user,
        offered,
        systemPrompt,
      ]);
      const response = await next({ ...request, systemPrompt: `${systemPrompt}|${name}` });
      log.push([`${name}.model<`, response.constructor.name, response.tool_calls?.length]);
      const byCommand = name === "C" && response.tool_calls?.length === test.commandOnCalls;
      return byCommand ? new Command({ update: { shared: ["command"] } }) : response;
    },
    async wrapToolCall(request, next) {
      const { toolCall, runtime } = request;
      const seen = request.state as Seen;
      const { length } = seen.messages;
      log.push([
        `${name}.tool>`,
        toolCall.name,
        length,
        seen[counter],
        fieldsOf(seen),
        runtime.context.user,
        request.tool?.["name"],
      ]);
      const given =
        name === "B" && toolCall.name === "dynamic" ? { ...request, tool: dynamic as ClientTool } : request;
      const outcome = await next(given);
      log.push([`${name}.tool<`, toolCall.name, outcome.constructor.name, (outcome as ToolMessage).status]);
      return outcome;
    },
  });
}

/** Calls of one message run side by side, so what happens in them has no order among the calls. */
function withoutRaces(log: readonly Event[]): readonly string[] {
  const ordered: string[] = [];
  let racing: string[] = [];
  const settle = () => {
    ordered.push(...racing.toSorted());
    racing = [];
  };
  for (const event of log) {
    if (String(event[0]).includes(".tool")) {
      racing.push(JSON.stringify(event));
    } else {
      settle();
      ordered.push(JSON.stringify(event));
    }
  }
  settle();
  return ordered;
}

/** `createAgent` shows the model the stack of an argument error; ours does not. */
const withoutStack = (message: BaseMessage) => message.text.replaceAll(/\n\s+at .*/g, "");

const described = (message: BaseMessage) => ({
  type: message.getType(),
  name: message.name,
  text: withoutStack(message),
  status: (message as ToolMessage).status,
  calls: (message as AIMessage).tool_calls?.map((call) => call.name),
});

type Build = (parts: {
  model: ScriptedModel;
  tools: ClientTool[];
  middleware: AgentMiddleware[];
  checkpointer: MemorySaver;
}) => { invoke(input: unknown, config: object): Promise<unknown> };

const ours: Build = (parts) => createAgentGraph({ ...parts, systemPrompt: "SYSTEM", parity: true });
const theirs =
  (version: "v1" | "v2"): Build =>
  (parts) =>
    // `graph` and not the agent itself: that one feeds the old state in again as input.
    createAgent({ ...parts, systemPrompt: "SYSTEM", version }).graph as unknown as ReturnType<Build>;

async function trace(build: Build, test: Case) {
  const log: Event[] = [];
  const model = new ScriptedModel(test.turns ?? TURNS);
  const checkpointer = new MemorySaver();
  const errors = toolErrorMiddleware({ onError: (error) => `ERROR ${(error as Error).message}` });
  const middleware = [...NAMES.map((name) => logging(name, log, test)), errors];
  const graph = build({ model, tools: [echo, boom], middleware, checkpointer });
  const config = { configurable: { thread_id: "t" }, context: { user: "u1" }, recursionLimit: 500 };
  const result = (await graph.invoke({ messages: human("go") }, config)) as Seen;
  let checkpoints = 0;
  for await (const _ of checkpointer.list({ configurable: { thread_id: "t" } })) checkpoints += 1;
  return {
    checkpoints,
    seen: {
      log: withoutRaces(log),
      messages: result.messages.map(described),
      shared: result["shared"],
      counts: NAMES.map((name) => result[`${name}_count`]),
      modelCalls: model.calls.map(({ messages, tools }) => [messages.map(withoutStack), tools]),
    },
  };
}

describe.each(["v2", "v1"] as const)("the trace is that of createAgent %s", (version) => {
  it.each(CASES)("when $name", async (test) => {
    const [expected, actual] = [await trace(theirs(version), test), await trace(ours, test)];
    expect(actual.seen).toEqual(expected.seen);
    expect(actual.seen.log.length).toBeGreaterThan(5);
    expect(actual.checkpoints).toBeLessThan(expected.checkpoints);
  });
});
