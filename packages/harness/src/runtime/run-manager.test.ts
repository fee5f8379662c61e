import { AIMessage, ToolMessage } from "@langchain/core/messages";
import {
  Annotation,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  StateGraph,
} from "@langchain/langgraph";
import { beforeEach, describe, expect, it } from "vitest";
import type { AgentGraph, AgentRequest } from "../agent/contract.js";
import { LOCAL_PRINCIPAL } from "../context/principal.js";
import type { Persistence, RunRecord } from "../persistence/contract.js";
import { openPersistence } from "../persistence/open-persistence.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { MemoryStreamBridge } from "./bridge/memory-stream-bridge.js";
import type { StreamFrame } from "./bridge/contract.js";
import { RunManager } from "./run-manager.js";
import { InProcessRunQueue } from "./run-queue/in-process-run-queue.js";
import { parseRunRequest } from "./run-request.js";
import { ThreadService } from "./thread-service.js";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  title: Annotation<string>,
  _secret: Annotation<string>,
});
type Node = (state: typeof State.State, config: LangGraphRunnableConfig) => Promise<object>;

const graphOf =
  (node: Node) =>
  ({ checkpointer }: AgentRequest) =>
    new StateGraph(State).addNode("model", node).addEdge("__start__", "model").compile({ checkpointer });

const answer: Node = async ({ messages }, config) => {
  const reply = await new ScriptedModel([{ text: "one two three" }]).invoke(messages, config);
  return { messages: [reply], title: "T", _secret: "s" };
};

/** Says a little through the model's stream, then waits until it is stopped. */
const endless: Node = async (_state, config) => {
  const callbacks = new ScriptedModel([{ text: "half an answer" }]);
  await callbacks.invoke([], config);
  await new Promise((_resolve, reject) => {
    config.signal?.addEventListener("abort", () => reject(config.signal?.reason));
  });
  return {};
};

let persistence: Persistence;
let runs: RunManager;
let threads: ThreadService;

const serve = (node: Node): void => serveGraph(graphOf(node));

function serveGraph(build: (request: AgentRequest) => unknown): void {
  const agents = async (request: AgentRequest) => ({
    graph: build(request) as AgentGraph,
    modelName: "scripted",
    close: async () => undefined,
  });
  const options = { persistence, agents, bridge: new MemoryStreamBridge(), queue: new InProcessRunQueue() };
  runs = new RunManager(options);
  threads = new ThreadService({ persistence, agents, runs });
}

const ask = (text: string, more: object = {}) =>
  parseRunRequest({
    assistant_id: "lead_agent",
    input: { messages: [{ role: "user", content: text }] },
    stream_mode: ["values", "messages-tuple"],
    ...more,
  });

const job = ({ threadId, runId }: RunRecord) => ({ principal: LOCAL_PRINCIPAL, threadId, runId });

async function framesOf(run: RunRecord): Promise<StreamFrame[]> {
  const frames: StreamFrame[] = [];
  for await (const frame of await runs.stream(job(run))) frames.push(frame);
  return frames;
}

/** Reads until the whole of what {@link endless} says has come. */
async function untilSaid(run: RunRecord): Promise<void> {
  let text = "";
  for await (const { event, data } of await runs.stream(job(run))) {
    if (event === "messages") text += (data as [{ content: string }])[0].content;
    if (text === "half an answer") return;
  }
}

const start = (threadId: string, request = ask("hi")) => runs.start(LOCAL_PRINCIPAL, threadId, request);
const messagesNow = async (threadId: string) => {
  const { values } = (await threads.state(LOCAL_PRINCIPAL, threadId)) as {
    values: { messages?: { content: string }[] };
  };
  return (values.messages ?? []).map(({ content }) => content);
};

beforeEach(async () => {
  persistence = await openPersistence({ backend: "memory" });
});

describe("a run", () => {
  it("streams what was asked for, and stores its messages, its end and the thread's summary", async () => {
    serve(answer);
    const run = await start("t1");
    expect(run.status).toBe("pending");
    const frames = await framesOf(run);
    expect(frames.map(({ event }) => event)).toEqual([
      "metadata",
      "values",
      "messages",
      "messages",
      "messages",
      "values",
      "end",
    ]);
    expect(frames[0]?.data).toEqual({ run_id: run.runId, attempt: 1 });
    expect(frames.at(-1)?.data).toEqual({ status: "success", stop_reason: null });
    expect(JSON.stringify(frames)).not.toMatch(/_secret|"__pregel_\w+":/);

    const thread = await threads.find(LOCAL_PRINCIPAL, "t1");
    expect(thread).toMatchObject({
      status: "idle",
      metadata: { graph_id: "lead_agent", assistant_id: "lead_agent" },
      values: {
        title: "T",
        messages: [
          { type: "human", content: "hi" },
          { type: "ai", content: "one two three" },
        ],
      },
    });
    const events = await persistence.events.list(LOCAL_PRINCIPAL, "t1", { limit: 100 });
    expect(events.map(({ seq, eventType }) => [seq, eventType])).toEqual([
      [1, "run.start"],
      [2, "model.chosen"],
      [3, "message.human"],
      [4, "message.ai"],
      [5, "run.end"],
    ]);
    expect(await runs.join(job(run))).toMatchObject({ status: "success", epoch: 1 });
  });

  it("uses one id for a message in its pieces, in the state and in the log", async () => {
    serve(answer);
    const frames = await framesOf(await start("t1"));
    const streamed = frames.flatMap(({ event, data }) =>
      event === "messages" ? [(data as [{ id: string }])[0].id] : [],
    );
    const { values } = (await threads.state(LOCAL_PRINCIPAL, "t1")) as {
      values: { messages: { id: string }[] };
    };
    const events = await persistence.events.list(LOCAL_PRINCIPAL, "t1", {
      limit: 9,
      eventTypes: ["message.ai"],
    });
    const logged = events.map(({ content }) => (content as { id: string }).id);
    expect(new Set(streamed)).toEqual(new Set([values.messages[1]?.id]));
    expect(logged).toEqual([values.messages[1]?.id]);
  });

  it("logs the messages of a second run once each", async () => {
    serve(async () => ({ messages: [new AIMessage("ok")] }));
    await framesOf(await start("t1", ask("first")));
    await framesOf(await start("t1", ask("second")));
    const events = await persistence.events.list(LOCAL_PRINCIPAL, "t1", { limit: 100 });
    const said = events.filter(({ eventType }) => eventType.startsWith("message."));
    expect(said.map(({ content }) => (content as { content: string }).content)).toEqual([
      "first",
      "ok",
      "second",
      "ok",
    ]);
  });

  it("ends with an error frame when the agent fails, and the thread says so", async () => {
    serve(async () => {
      throw new TypeError("boom");
    });
    const run = await start("t1");
    const frames = await framesOf(run);
    expect(frames.slice(-2).map(({ event, data }) => [event, data])).toEqual([
      ["error", { error: "TypeError", message: "boom" }],
      ["end", { status: "error", stop_reason: null }],
    ]);
    expect((await threads.find(LOCAL_PRINCIPAL, "t1")).status).toBe("error");
    expect(await threads.state(LOCAL_PRINCIPAL, "t1")).toMatchObject({ next: [] });
    expect(await threads.result(LOCAL_PRINCIPAL, await runs.join(job(run)))).toMatchObject({
      __error__: { error: "TypeError", message: "boom" },
    });
  });

  it("ends with what there is when it runs out of steps", async () => {
    const build = ({ checkpointer }: AgentRequest) =>
      new StateGraph(State)
        .addNode("model", async () => ({ messages: [new AIMessage("again")] }))
        .addEdge("__start__", "model")
        .addEdge("model", "model")
        .compile({ checkpointer });
    const agents = async (request: AgentRequest) => ({
      graph: build(request) as AgentGraph,
      modelName: "m",
      close: async () => undefined,
    });
    runs = new RunManager({
      persistence,
      agents,
      bridge: new MemoryStreamBridge(),
      queue: new InProcessRunQueue(),
    });
    const frames = await framesOf(await start("t1", ask("hi", { config: { recursion_limit: 3 } })));
    expect(frames.at(-1)?.data).toEqual({ status: "interrupted", stop_reason: "recursion_limit" });
    expect(frames.map(({ event }) => event)).not.toContain("error");
    expect((await persistence.threads.find(LOCAL_PRINCIPAL, "t1"))?.status).toBe("idle");
  });

  it("waits for a person, says so in the state, and goes on with the answer", async () => {
    serve(async () => ({ messages: [new AIMessage(`you said ${interrupt({ question: "?" })}`)] }));
    const frames = await framesOf(await start("t1"));
    const asked = frames.findLast(({ event }) => event === "values")?.data;
    expect(asked).toEqual({ __interrupt__: [{ id: expect.any(String), value: { question: "?" } }] });
    expect(frames.at(-1)?.data).toEqual({ status: "interrupted", stop_reason: "awaiting_input" });
    const state = await threads.state(LOCAL_PRINCIPAL, "t1");
    expect(state).toMatchObject({ next: ["model"], tasks: [{ interrupts: [{ value: { question: "?" } }] }] });
    expect((await threads.find(LOCAL_PRINCIPAL, "t1")).status).toBe("interrupted");

    const resume = parseRunRequest({ assistant_id: "lead_agent", input: {}, command: { resume: "yes" } });
    await framesOf(await start("t1", resume));
    expect(await messagesNow("t1")).toEqual(["hi", "you said yes"]);
  });

  it("is given up by goto __end__", async () => {
    serve(async () => ({ messages: [new AIMessage(String(interrupt("?")))] }));
    await framesOf(await start("t1"));
    const giveUp = parseRunRequest({ assistant_id: "lead_agent", command: { goto: "__end__" } });
    const frames = await framesOf(await start("t1", giveUp));
    expect(frames.at(-1)?.data).toMatchObject({ status: "success" });
    expect(await threads.state(LOCAL_PRINCIPAL, "t1")).toMatchObject({ next: [] });
  });
});

describe("a command that leads to a node", () => {
  const goTo = (goto: unknown) => parseRunRequest({ assistant_id: "lead_agent", command: { goto } });

  it("is followed to one that the graph has", async () => {
    serve(answer);
    await runs.join(job(await start("t1")));
    await runs.join(job(await start("t1", goTo("model"))));
    expect(await messagesNow("t1")).toEqual(["hi", "one two three", "one two three"]);
  });

  it("is refused before a run exists when the graph has no such node", async () => {
    serve(answer);
    for (const goto of ["nowhere", "__start__", ["model", { node: "nowhere", input: {} }]]) {
      await expect(start("t1", goTo(goto))).rejects.toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining("the nodes are model, __end__"),
      });
    }
    expect(await runs.list(LOCAL_PRINCIPAL, "t1", { limit: 1, offset: 0 })).toEqual([]);
  });
});

describe("cancelling", () => {
  it("keeps the text that the model had written", async () => {
    serve(endless);
    const run = await start("t1");
    await untilSaid(run);
    await runs.cancel(job(run), { wait: true });
    expect(await runs.find(LOCAL_PRINCIPAL, "t1", run.runId)).toMatchObject({
      status: "interrupted",
      stopReason: "cancelled",
    });
    expect(await messagesNow("t1")).toEqual(["hi", "half an answer"]);
    expect((await threads.find(LOCAL_PRINCIPAL, "t1")).values).toMatchObject({
      messages: [{ content: "hi" }, { content: "half an answer" }],
    });
    expect(await threads.state(LOCAL_PRINCIPAL, "t1")).toMatchObject({ next: [] });
    const events = await persistence.events.list(LOCAL_PRINCIPAL, "t1", {
      limit: 9,
      eventTypes: ["message.ai"],
    });
    expect(events).toHaveLength(1);
  });

  it("keeps the answers of steps that were done beside the stopped one, also after the next message", async () => {
    const quick: Node = async () => ({
      messages: [new ToolMessage({ id: "quick", tool_call_id: "1", content: "done" })],
    });
    const slow: Node = async ({ messages }, { signal }) => {
      if (messages.length > 1) return {};
      return new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    };
    serveGraph(({ checkpointer }) =>
      new StateGraph(State)
        .addNode("quick", quick)
        .addNode("slow", slow)
        .addEdge("__start__", "quick")
        .addEdge("__start__", "slow")
        .compile({ checkpointer }),
    );
    const run = await start("t1", ask("hi", { stream_mode: "updates" }));
    for await (const { event } of await runs.stream(job(run))) if (event === "updates") break;
    await runs.cancel(job(run), { wait: true });
    expect(await messagesNow("t1")).toEqual(["hi", "done"]);

    await framesOf(await start("t1", ask("and now?")));
    expect(await messagesNow("t1")).toEqual(["hi", "done", "and now?"]);
    const events = await persistence.events.list(LOCAL_PRINCIPAL, "t1", {
      limit: 9,
      eventTypes: ["message.human", "message.tool"],
    });
    expect(events.map(({ content }) => (content as { content: string }).content).toSorted()).toEqual(
      ["hi", "done", "and now?"].toSorted(),
    );
  });

  it("takes everything back with rollback, on a new thread and on one with a history", async () => {
    serve(endless);
    const first = await start("t1");
    await untilSaid(first);
    await runs.cancel(job(first), { wait: true, action: "rollback" });
    expect(await messagesNow("t1")).toEqual([]);
    expect((await threads.find(LOCAL_PRINCIPAL, "t1")).values).toEqual({ messages: [] });

    await persistence.threads.create(LOCAL_PRINCIPAL, { threadId: "t2" });
    await threads.updateState(LOCAL_PRINCIPAL, "t2", { values: { messages: ["before"] }, asNode: "model" });
    const second = await start("t2");
    await untilSaid(second);
    await runs.cancel(job(second), { wait: true, action: "rollback" });
    expect(await messagesNow("t2")).toEqual(["before"]);
    expect((await threads.find(LOCAL_PRINCIPAL, "t2")).values).toMatchObject({
      messages: [{ content: "before" }],
    });
    expect((await runs.find(LOCAL_PRINCIPAL, "t2", second.runId)).stopReason).toBe("rolled_back");
  });

  it("ends a run that has not begun, and its readers", async () => {
    serve(endless);
    const first = await start("t1");
    const second = await start("t1");
    const reading = framesOf(second);
    await runs.cancel(job(second), { wait: true });
    expect((await reading).map(({ event }) => event)).toEqual(["end"]);
    expect((await runs.find(LOCAL_PRINCIPAL, "t1", second.runId)).status).toBe("interrupted");
    await runs.cancel(job(first), { wait: true });
    expect(runs.activeRuns(LOCAL_PRINCIPAL, "t1")).toEqual([]);
  });

  it("does nothing to a run that is over, and knows no foreign run", async () => {
    serve(answer);
    const run = await start("t1");
    await framesOf(run);
    await runs.cancel(job(run), { wait: true });
    expect((await runs.find(LOCAL_PRINCIPAL, "t1", run.runId)).status).toBe("success");
    await expect(runs.cancel({ ...job(run), principal: { tenantId: "2", userId: "2" } })).rejects.toThrow(
      /has no run/,
    );
  });
});

describe("runs on a busy thread", () => {
  it("wait in order when nothing else was asked for", async () => {
    serve(answer);
    const all = await Promise.all([start("t1", ask("1")), start("t1", ask("2")), start("t1", ask("3"))]);
    await Promise.all(all.map(framesOf));
    expect(await messagesNow("t1")).toEqual([
      "1",
      "one two three",
      "2",
      "one two three",
      "3",
      "one two three",
    ]);
  });

  it("are refused with reject, and no run exists", async () => {
    serve(endless);
    const run = await start("t1");
    await expect(start("t1", ask("x", { multitask_strategy: "reject" }))).rejects.toThrow(/is busy with run/);
    expect(await runs.list(LOCAL_PRINCIPAL, "t1", { limit: 9, offset: 0 })).toHaveLength(1);
    await runs.cancel(job(run), { wait: true });
  });

  it("stop the earlier one with interrupt, and begin when it is over", async () => {
    let calls = 0;
    serve((state, config) => (calls++ === 0 ? endless(state, config) : answer(state, config)));
    const first = await start("t1", ask("1"));
    await untilSaid(first);
    const second = await start("t1", ask("2", { multitask_strategy: "interrupt" }));
    await framesOf(second);
    expect(await messagesNow("t1")).toEqual(["1", "half an answer", "2", "one two three"]);
    expect((await runs.find(LOCAL_PRINCIPAL, "t1", first.runId)).stopReason).toBe("cancelled");
  });
});

describe("branches", () => {
  it("fork from an older checkpoint, and simply go on from the newest", async () => {
    serve(answer);
    await framesOf(await start("t1", ask("1")));
    const [head] = await threads.history(LOCAL_PRINCIPAL, "t1", { limit: 1 });
    const { checkpoint_id: headId } = (head ?? {})["checkpoint"] as unknown as { checkpoint_id: string };
    await framesOf(await start("t1", ask("2", { checkpoint: { checkpoint_id: headId, checkpoint_ns: "" } })));
    expect(await messagesNow("t1")).toEqual(["1", "one two three", "2", "one two three"]);
    await framesOf(await start("t1", ask("other", { checkpoint: { checkpoint_id: headId } })));
    expect(await messagesNow("t1")).toEqual(["1", "one two three", "other", "one two three"]);
    const history = await threads.history(LOCAL_PRINCIPAL, "t1", { limit: 100 });
    const children = history.filter(
      ({ parent_checkpoint }) =>
        (parent_checkpoint as { checkpoint_id: string } | null)?.checkpoint_id === headId,
    );
    expect(children).toHaveLength(2);
  });

  it("regenerate an answer when no input is given", async () => {
    let count = 0;
    serve(async () => ({ messages: [new AIMessage(`answer ${++count}`)] }));
    await framesOf(await start("t1"));
    const history = await threads.history(LOCAL_PRINCIPAL, "t1", { limit: 10 });
    const before = history.find(({ next }) => (next as string[])[0] === "model");
    const again = parseRunRequest({ assistant_id: "lead_agent", checkpoint: before?.["checkpoint"] });
    await framesOf(await start("t1", again));
    expect(await messagesNow("t1")).toEqual(["hi", "answer 2"]);
  });

  it("are refused for a checkpoint that is not there", async () => {
    serve(answer);
    await expect(start("t1", ask("x", { checkpoint_id: "nope" }))).rejects.toThrow(/has no checkpoint nope/);
    await framesOf(await start("t1"));
    await expect(start("t1", ask("x", { checkpoint_id: "nope" }))).rejects.toThrow(/has no checkpoint nope/);
  });
});

describe("a run manager", () => {
  it("marks what a dead process left", async () => {
    serve(answer);
    await persistence.threads.create(LOCAL_PRINCIPAL, { threadId: "t1" });
    const request = ask("x");
    await persistence.runs.create(LOCAL_PRINCIPAL, {
      runId: "lost",
      threadId: "t1",
      assistantId: "lead_agent",
      multitaskStrategy: "enqueue",
      onDisconnect: "continue",
      request: request.payload,
      metadata: {},
      owner: "a-process-that-ended",
    });
    expect(await runs.reconcile()).toBe(1);
    expect(await runs.find(LOCAL_PRINCIPAL, "t1", "lost")).toMatchObject({
      status: "error",
      stopReason: "process_lost",
    });
    const frames: StreamFrame[] = [];
    const lost = { principal: LOCAL_PRINCIPAL, threadId: "t1", runId: "lost" };
    for await (const frame of await runs.stream(lost, { after: "-1" })) frames.push(frame);
    expect(frames.map(({ event }) => event)).toEqual(["gap", "end"]);
  });

  it("stops everything when it closes, and takes no more", async () => {
    serve(endless);
    const first = await start("t1");
    const second = await start("t1");
    await untilSaid(first);
    await runs.close();
    const ended = await runs.list(LOCAL_PRINCIPAL, "t1", { limit: 9, offset: 0 });
    expect(ended.map(({ runId, status, stopReason }) => [runId, status, stopReason])).toEqual([
      [second.runId, "interrupted", "shutdown"],
      [first.runId, "interrupted", "shutdown"],
    ]);
    await expect(start("t2")).rejects.toThrow(/shutting down/);
  });

  it("streams the older messages mode as whole messages so far", async () => {
    serve(answer);
    const frames = await framesOf(await start("t1", ask("hi", { stream_mode: ["messages"] })));
    const partial = frames.filter(({ event }) => event === "messages/partial").map(({ data }) => data);
    expect(frames.map(({ event }) => event)).toEqual([
      "metadata",
      "messages/metadata",
      "messages/partial",
      "messages/partial",
      "messages/partial",
      "end",
    ]);
    expect(partial.map((data) => (data as [{ content: string }])[0].content)).toEqual([
      "one ",
      "one two ",
      "one two three",
    ]);
  });
});
