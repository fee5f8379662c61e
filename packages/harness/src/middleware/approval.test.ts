import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, INTERRUPT, isInterrupted, MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware, tool } from "langchain";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import { createAgentGraph } from "../graph/create-agent-graph.js";
import { ScriptedModel, type ScriptedTurn } from "../testing/scripted-model.js";
import { EDITED_CALLS_KEY } from "./approval-edits.js";
import type { InterruptOn } from "./approval-pauses.js";
import type { ApprovalRequest } from "./approval-request.js";
import { approval, createApprovalMiddleware } from "./approval.js";

let ran: string[] = [];
beforeEach(() => {
  ran = [];
});

const echo = (name: string) =>
  tool(
    ({ text }) => {
      ran.push(`${name} ${text}`);
      return `${name} said ${text}`;
    },
    { name, description: "Echoes.", schema: z.object({ text: z.string() }) },
  );
const tools = ["send", "drop", "look"].map(echo);
const call = (name: string, text: string, id = `${name}-${text}`) => ({ name, args: { text }, id });

const BUILDERS = { createAgent, createAgentGraph };
const config = { configurable: { thread_id: "t" } };

/** An agent of either kind, with every state that it came to. */
function agentOf(
  builder: keyof typeof BUILDERS,
  turns: readonly ScriptedTurn[],
  interruptOn: InterruptOn = { send: true, drop: true },
) {
  const model = new ScriptedModel(turns);
  const options = {
    model,
    tools,
    middleware: [createApprovalMiddleware({ interruptOn })],
    checkpointer: new MemorySaver(),
  };
  const graph = builder === "createAgent" ? createAgent(options).graph : createAgentGraph(options);
  const settled = (result: object) => ({
    request: isInterrupted<ApprovalRequest>(result) ? result[INTERRUPT][0]?.value : undefined,
    messages: (result as { messages: (AIMessage | ToolMessage)[] }).messages,
  });
  return {
    model,
    graph,
    start: async () => settled(await graph.invoke({ messages: [new HumanMessage("go")] }, config)),
    resume: async (resume: unknown) => settled(await graph.invoke(new Command({ resume }), config)),
  };
}

const answersOf = (messages: readonly unknown[]) =>
  messages
    .filter((each) => ToolMessage.isInstance(each))
    .map(({ tool_call_id, status, text }) => [tool_call_id, status ?? "success", text]);

const decide = (...decisions: unknown[]) => ({ decisions });
const approve = { type: "approve" };

describe.each(["createAgent", "createAgentGraph"] as const)("approval in %s", (builder) => {
  it("asks once for all waiting calls of a turn, in both spellings, and calls the model no second time", async () => {
    const { start, model } = agentOf(
      builder,
      [{ calls: [call("send", "a"), call("look", "b"), call("drop", "c")] }, { text: "done" }],
      { send: { allowedDecisions: ["approve"], description: "Mail goes out." }, drop: true, look: false },
    );
    const { request } = await start();
    const actions = [
      { id: "send-a", name: "send", args: { text: "a" }, description: "Mail goes out." },
      {
        id: "drop-c",
        name: "drop",
        args: { text: "c" },
        description: "drop runs only when a person agrees.",
      },
    ];
    const all = ["approve", "edit", "reject", "respond"];
    const reviews = [
      {
        action_name: "send",
        actionName: "send",
        allowed_decisions: ["approve"],
        allowedDecisions: ["approve"],
      },
      { action_name: "drop", actionName: "drop", allowed_decisions: all, allowedDecisions: all },
    ];
    expect(request).toEqual({
      action_requests: actions,
      actionRequests: actions,
      review_configs: reviews,
      reviewConfigs: reviews,
    });
    expect(ran).toEqual([]);
    expect(model.calls).toHaveLength(1);
  });

  it("gives every call exactly one answer when decisions are mixed", async () => {
    const { start, resume, model } = agentOf(builder, [
      {
        text: "Now.",
        calls: [
          call("send", "a"),
          call("drop", "b"),
          call("look", "c"),
          call("send", "d"),
          call("drop", "e"),
        ],
      },
      { text: "done" },
    ]);
    await start();
    const { messages } = await resume(
      decide(
        { type: "edit", edited_action: { name: "look", args: { text: "A" } } },
        { type: "reject", message: "too risky" },
        approve,
        { type: "respond", message: "it is gone already" },
      ),
    );
    expect(ran.toSorted()).toEqual(["look A", "look c", "send d"]);
    expect(Object.fromEntries(answersOf(messages).map(([id, ...rest]) => [id, rest]))).toEqual({
      "send-a": ["success", "look said A"],
      "drop-b": ["error", "The user rejected this call, so it was not run. They say: too risky"],
      "look-c": ["success", "look said c"],
      "send-d": ["success", "send said d"],
      "drop-e": ["success", "it is gone already"],
    });
    expect(answersOf(messages)).toHaveLength(5);
    expect(model.calls).toHaveLength(2);
    expect(messages.at(-1)?.text).toBe("done");
    const [asking] = messages.filter((each) => AIMessage.isInstance(each));
    expect(asking?.tool_calls?.map(({ id, name, args }) => [id, name, args])).toEqual([
      ["send-a", "look", { text: "A" }],
      ["drop-b", "drop", { text: "b" }],
      ["look-c", "look", { text: "c" }],
      ["send-d", "send", { text: "d" }],
      ["drop-e", "drop", { text: "e" }],
    ]);
    expect(asking?.additional_kwargs[EDITED_CALLS_KEY]).toEqual([{ id: "send-a", by: "person" }]);
  });

  it("goes straight back to the model when no call is left to run", async () => {
    const { start, resume, model } = agentOf(builder, [
      { calls: [call("send", "a"), call("drop", "b")] },
      { text: "all right" },
    ]);
    await start();
    const { messages } = await resume(
      decide({ type: "reject" }, { type: "respond", message: "done by hand" }),
    );
    expect(ran).toEqual([]);
    expect(answersOf(messages)).toEqual([
      ["send-a", "error", expect.stringMatching(/rejected.*not run/)],
      ["drop-b", "success", "done by hand"],
    ]);
    expect(messages.at(-1)?.text).toBe("all right");
    expect(model.calls).toHaveLength(2);
  });

  it("asks anew in every round", async () => {
    const { start, resume } = agentOf(builder, [
      { calls: [call("send", "a")] },
      { calls: [call("look", "b"), call("drop", "c")] },
      { text: "done" },
    ]);
    expect((await start()).request?.action_requests).toHaveLength(1);
    const second = await resume(decide(approve));
    expect(second.request?.action_requests.map(({ id }) => id)).toEqual(["drop-c"]);
    const { messages, request } = await resume({ decisions: { "drop-c": approve } });
    expect(request).toBeUndefined();
    expect(ran.toSorted()).toEqual(["drop c", "look b", "send a"]);
    expect(messages.at(-1)?.text).toBe("done");
  });

  it("asks again, with the reason, when the answer does not fit, as often as needed", async () => {
    const { start, resume, model } = agentOf(builder, [
      { calls: [call("send", "a"), call("drop", "b")] },
      { text: "done" },
    ]);
    const { request } = await start();
    const unfit: [unknown, RegExp][] = [
      ["yes", /no decisions/],
      [{}, /no decisions/],
      [decide(approve), /Requests: 2, decisions: 1/],
      [decide(approve, { type: "respond" }), /Decision 2 \(drop\) needs a message/],
    ];
    for (const [answer, problem] of unfit) {
      const again = await resume(answer);
      expect(again.request).toEqual({ ...request, problem: expect.stringMatching(problem) });
    }
    const { messages } = await resume(decide(approve, { type: "reject" }));
    expect(ran).toEqual(["send a"]);
    expect(
      answersOf(messages)
        .map(([id, status]) => [id, status])
        .toSorted(),
    ).toEqual([
      ["drop-b", "error"],
      ["send-a", "success"],
    ]);
    expect(model.calls).toHaveLength(2);
  });

  it("answers a call that was edited into a tool that does not exist with an error", async () => {
    const { start, resume } = agentOf(builder, [{ calls: [call("send", "a")] }, { text: "done" }]);
    await start();
    const edit = { type: "edit", editedAction: { name: "launch", args: {} } };
    const { messages } = await resume(decide(edit));
    expect(answersOf(messages)).toEqual([["send-a", "error", expect.stringContaining("launch")]]);
  });

  it.each([
    ["a made id that another call has", ["call_ai-0_1", ""]],
    ["a made id that a later call has", ["", "call_ai-0_0"]],
    ["one id for two calls", ["same", "same"]],
  ])("lets no decision count for another call, with %s", async (_, ids) => {
    const naming = createMiddleware({
      name: "naming",
      wrapModelCall: async (request, next) => {
        const answer = await next(request);
        if (!AIMessage.isInstance(answer) || answer.tool_calls?.length !== 2) return answer;
        const tool_calls = answer.tool_calls.map((each, position) => ({ ...each, id: ids[position] ?? "" }));
        return new AIMessage({ id: "ai-0", content: "", tool_calls });
      },
    });
    const model = new ScriptedModel([{ calls: [call("drop", "A"), call("send", "B")] }, { text: "done" }]);
    const middleware = [createApprovalMiddleware({ interruptOn: { send: true, drop: true } }), naming];
    const options = { model, tools, middleware, checkpointer: new MemorySaver() };
    const graph = builder === "createAgent" ? createAgent(options).graph : createAgentGraph(options);
    await graph.invoke({ messages: [new HumanMessage("go")] }, config);
    const resume = decide({ type: "reject" }, approve);
    const { messages } = (await graph.invoke(new Command({ resume }), config)) as { messages: unknown[] };
    expect(ran).toEqual(["send B"]);
    expect(new Set(answersOf(messages).map(([id]) => id)).size).toBe(2);
    expect(
      answersOf(messages)
        .map(([, status]) => status)
        .toSorted(),
    ).toEqual(["error", "success"]);
  });

  it("asks `when` and `description`, also when they take their time", async () => {
    const when = vi.fn(async ({ toolCall }: { toolCall: { args: Record<string, unknown> } }) => {
      await Promise.resolve();
      return toolCall.args["text"] !== "small";
    });
    const { start, resume } = agentOf(
      builder,
      [{ calls: [call("send", "small"), call("send", "large")] }, { text: "done" }],
      {
        send: {
          when,
          description: async ({ args }, { messages }) => `${args["text"]} after ${messages.length} messages`,
        },
      },
    );
    const { request } = await start();
    expect(request?.action_requests.map(({ description }) => description)).toEqual([
      "large after 2 messages",
    ]);
    expect(when.mock.calls[0]?.[0]).toMatchObject({
      tool: undefined,
      state: { messages: expect.any(Array) },
    });
    await resume(decide(approve));
    expect(ran.toSorted()).toEqual(["send large", "send small"]);
  });

  it("leaves alone what another middleware has answered already", async () => {
    const model = new ScriptedModel([{ calls: [call("send", "a"), call("drop", "b")] }, { text: "done" }]);
    const answering = createMiddleware({
      name: "answering",
      afterModel: ({ messages }) => {
        const last = messages.at(-1);
        if (!AIMessage.isInstance(last) || last.tool_calls?.length !== 2) return undefined;
        return { messages: [new ToolMessage({ tool_call_id: "send-a", name: "send", content: "capped" })] };
      },
    });
    const middleware = [createApprovalMiddleware({ interruptOn: { send: true, drop: true } }), answering];
    const options = { model, tools, middleware, checkpointer: new MemorySaver() };
    const graph = builder === "createAgent" ? createAgent(options).graph : createAgentGraph(options);
    const first: object = await graph.invoke({ messages: [new HumanMessage("go")] }, config);
    const value = isInterrupted<ApprovalRequest>(first) ? first[INTERRUPT][0]?.value : undefined;
    expect(value?.action_requests.map(({ id }) => id)).toEqual(["drop-b"]);
    const { messages } = (await graph.invoke(new Command({ resume: decide(approve) }), config)) as {
      messages: unknown[];
    };
    expect(answersOf(messages).map(([id]) => id)).toEqual(["send-a", "drop-b"]);
    expect(ran).toEqual(["drop b"]);
  });
});

describe("approval", () => {
  it.each([
    [{ send: { allowedDecisions: [] } }, "send"],
    [{ ls: { allowedDecisions: ["accept"] } }, "accept"],
  ])("refuses %j when it is made", (interruptOn, named) => {
    // The cast is what a JavaScript host could do.
    const build = () => approval({ interruptOn: interruptOn as unknown as InterruptOn });
    expect(build).toThrow(DeerflowError);
    expect(build).toThrow(named);
  });
});
