/** Runs of a real graph whose every message is known beforehand, so that what a crash left of one can be judged. */
import { setTimeout as sleep } from "node:timers/promises";
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
import { digestOf } from "./acknowledged-writes.js";

const ROUNDS = 4;
/** Calls that run side by side in each round. */
const CALLS = 3;
const LONGEST_CALL_MS = 5;

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  round: Annotation<number>(),
  files: Annotation<Record<string, string>>({
    reducer: (before, more) => ({ ...before, ...more }),
    default: () => ({}),
  }),
});

interface Call {
  readonly round: number;
  readonly place: number;
}

const idOf = ({ round, place }: Call): string => `call-${round}-${place}`;

/** One call of every third round waits for a person. */
const isAsked = ({ round, place }: Call): boolean => round % 3 === 2 && place === 1;

function question(round: number): AIMessage {
  const tool_calls = Array.from({ length: CALLS }, (_, place) => ({
    id: idOf({ round, place }),
    name: "look",
    args: { round, place },
    type: "tool_call" as const,
  }));
  return new AIMessage({ id: `ai-${round}`, content: `What is in ${round}? 🦌`.repeat(40), tool_calls });
}

const lastWord = (): AIMessage => new AIMessage({ id: "ai-last", content: "That is all." });

/** A picture in each second round, which a saver stores beside its message. */
function finding(call: Call): ToolMessage {
  const id = idOf(call);
  const text = `${id} has this line.\n`.repeat(120);
  const data = Buffer.alloc(9_000, id).toString("base64");
  const picture = [
    { type: "text", text },
    { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
  ];
  const content = call.place === 0 && call.round % 2 === 0 ? picture : text;
  return new ToolMessage({ id: `tool-${id}`, tool_call_id: id, content });
}

const task = (): HumanMessage => new HumanMessage({ id: "task", content: "Look into everything." });

const places = Array.from({ length: CALLS }, (_, place) => place);

/** The messages of a run at its end. */
const EXPECTED: readonly BaseMessage[] = [
  task(),
  ...Array.from({ length: ROUNDS }, (_, index) => index + 1).flatMap((round) => [
    question(round),
    ...places.map((place) => finding({ round, place })),
  ]),
  lastWord(),
];

/** The graph of a durable run. @param called - told of each call that runs to its end */
export function durableGraph(
  checkpointer: BaseCheckpointSaver,
  called: (id: string) => void = () => undefined,
) {
  const model = ({ round = 0 }: typeof State.State) =>
    round === ROUNDS ? { messages: [lastWord()] } : { messages: [question(round + 1)], round: round + 1 };
  const route = ({ messages }: typeof State.State) => {
    const last = messages.at(-1);
    const calls = AIMessage.isInstance(last) ? (last.tool_calls ?? []) : [];
    return calls.length === 0 ? END : calls.map(({ args }) => new Send("tool", args));
  };
  // A Send hands over the call in the place of the state.
  const tool = async (state: unknown) => {
    const call = state as Call;
    if (isAsked(call)) interrupt({ may: idOf(call) });
    await sleep(Math.random() * LONGEST_CALL_MS);
    called(idOf(call));
    return { messages: [finding(call)], files: { [`/${idOf(call)}`]: `seen in round ${call.round}` } };
  };
  return new StateGraph(State)
    .addNode("model", model)
    .addNode("tool", tool)
    .addEdge(START, "model")
    .addConditionalEdges("model", route, ["tool", END])
    .addEdge("tool", "model")
    .compile({ checkpointer });
}

export type DurableGraph = ReturnType<typeof durableGraph>;

const configOf = (threadId: string) => ({ configurable: { thread_id: threadId } });

/** Runs a thread from where its newest checkpoint is to its end, and says yes to every question. */
export async function runToEnd(
  graph: DurableGraph,
  threadId: string,
  durability: "sync" | "async" = "sync",
): Promise<void> {
  const config = { ...configOf(threadId), durability };
  for (;;) {
    const { tasks, values } = await graph.getState(configOf(threadId));
    const hasBegun = "messages" in values;
    // What is next says nothing: it leaves out what ran to its end right before a crash.
    if (hasBegun && tasks.length === 0) return;
    if (!hasBegun) await graph.invoke({ messages: [task()] }, config);
    else if (tasks.some(({ interrupts }) => interrupts.length > 0)) {
      await graph.invoke(new Command({ resume: "yes" }), config);
    } else await graph.invoke(null, config);
  }
}

/** What is wrong with a thread that has come to its end; empty when it has everything, once and in order. */
export async function faultsOfEnd(graph: DurableGraph, threadId: string): Promise<readonly string[]> {
  const { values } = await graph.getState(configOf(threadId));
  const faults: string[] = [];
  if (digestOf(values["messages"]) !== digestOf(EXPECTED)) {
    const ids = (values["messages"] as BaseMessage[]).map(({ id }) => id);
    faults.push(`the messages of ${threadId} are ${ids.join(", ")}`);
  }
  const files = Object.keys(values["files"]).length;
  if (files !== ROUNDS * CALLS) faults.push(`${threadId} has ${files} files`);
  return faults;
}
