/**
 * A graph whose checkpoints have everything that a saver meets: images, Sends, parallel tools, a subgraph, forks,
 * messages without ids, and an interrupt that waits. What it does follows from the last thing it was told.
 */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  END,
  interrupt,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from "@langchain/langgraph";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  /** Messages that keep no ids: this reducer gives none. */
  asides: Annotation<BaseMessage[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
  files: Annotation<Record<string, unknown>>({
    reducer: (before, more) => ({ ...before, ...more }),
    default: () => ({}),
  }),
  title: Annotation<string>(),
});
type StateOf = typeof State.State;
type ToolCall = NonNullable<AIMessage["tool_calls"]>[number];

const CALLS: Readonly<Record<string, readonly string[]>> = {
  look: ["view", "read", "list"],
  ask: ["read", "approve"],
};

const imageOf = (letter: string): string => Buffer.alloc(30_000, letter).toString("base64");

const lastOf = (messages: readonly BaseMessage[]): BaseMessage | undefined => messages.at(-1);

function assistant({ messages }: StateOf) {
  const last = lastOf(messages);
  const words = String(last?.content).split(" ");
  const names = HumanMessage.isInstance(last) ? (CALLS[words[0] ?? ""] ?? []) : [];
  const at = messages.length;
  const tool_calls = names.map((name, place) => ({
    name,
    args: { path: `/${at}` },
    id: `${name}-${at}-${place}`,
    type: "tool_call" as const,
  }));
  return {
    messages: [
      new AIMessage({
        content: names.length === 0 ? `Done with ${messages.length} messages 🙂` : "",
        tool_calls,
      }),
    ],
    asides: [new AIMessage(`thought ${at}`)],
  };
}

function next({ messages, ...state }: StateOf) {
  const last = lastOf(messages);
  if (!AIMessage.isInstance(last)) return END;
  const calls = last.tool_calls ?? [];
  if (calls.length > 0) return calls.map((call) => new Send("tool", { ...state, messages, call }));
  return String(messages.findLast(HumanMessage.isInstance)?.content).startsWith("delegate") ? "helper" : END;
}

function tool({ call }: StateOf & { readonly call: ToolCall }) {
  const tool_call_id = call.id ?? "";
  if (call.name === "approve") {
    const answer: unknown = interrupt({ question: "May I?", call: tool_call_id });
    return {
      messages: [new ToolMessage({ content: `the answer is ${JSON.stringify(answer)}`, tool_call_id })],
    };
  }
  if (call.name !== "view") {
    return {
      messages: [new ToolMessage({ content: `${call.name} says: ${"line\n".repeat(300)}`, tool_call_id })],
      files: { [`/${tool_call_id}`]: { content: [call.name], created_at: "2026-01-01" } },
    };
  }
  const url = `data:image/png;base64,${imageOf(String(call.args["path"]).slice(-1))}`;
  const content = [
    { type: "text", text: "the picture" },
    { type: "image_url", image_url: { url } },
  ];
  return { messages: [new ToolMessage({ content, tool_call_id })] };
}

function helperGraph() {
  return new StateGraph(State)
    .addNode("think", ({ messages }) => ({
      messages: [new AIMessage(`The helper read ${messages.length} messages.`)],
    }))
    .addNode("answer", () => ({
      messages: [new HumanMessage("helped"), new AIMessage("The helper is done.")],
      title: "helped",
    }))
    .addEdge(START, "think")
    .addEdge("think", "answer")
    .compile({ checkpointer: true });
}

export const conversingGraph = (checkpointer: BaseCheckpointSaver) =>
  new StateGraph(State)
    .addNode("assistant", assistant)
    .addNode("tool", tool)
    .addNode("helper", helperGraph())
    .addEdge(START, "assistant")
    .addConditionalEdges("assistant", next, ["tool", "helper", END])
    .addEdge("tool", "assistant")
    .addEdge("helper", END)
    .compile({ checkpointer });

export type ConversingGraph = ReturnType<typeof conversingGraph>;

const configOf = (threadId: string) => ({ configurable: { thread_id: threadId } });

/** Says one thing to the thread; waits until the graph ends or is interrupted. */
export const say = (graph: ConversingGraph, threadId: string, text: string) =>
  graph.invoke({ messages: [new HumanMessage(text)], title: text }, configOf(threadId));

/** Answers the interrupt that waits. */
export const answer = (graph: ConversingGraph, threadId: string, resume: unknown) =>
  graph.invoke(new Command({ resume }), configOf(threadId));

/** A conversation with everything in it; at its end an interrupt waits. */
export async function converse(graph: ConversingGraph, threadId: string): Promise<void> {
  await say(graph, threadId, "look at this");
  const first = await graph.getState(configOf(threadId));
  await say(graph, threadId, "delegate it");
  await say(graph, threadId, "look again");
  // A branch, which takes over as the newest.
  await graph.updateState(first.config, { messages: [new HumanMessage("another way")], title: "fork" });
  await say(graph, threadId, "ask me");
}

/** Everything that LangGraph says of the thread's past, newest first, as plain data. */
export async function historyOf(graph: ConversingGraph, threadId: string): Promise<unknown[]> {
  const history: unknown[] = [];
  for await (const state of graph.getStateHistory(configOf(threadId))) {
    // Through JSON, so that messages compare by what they hold.
    history.push(JSON.parse(JSON.stringify(state)));
  }
  return history;
}
