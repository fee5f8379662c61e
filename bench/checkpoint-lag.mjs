#!/usr/bin/env node
/**
 * How long checkpoints hold the event loop: ten runs at once of 20 steps each, with 1 MB of state that every step
 * changes, on SQLite; beside the same runs without checkpoints. Fails when the 95th percentile is above 50 ms.
 * Options: --runs 10, --steps 20, --state 1048576
 */
import { mkdtempSync, rmSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Annotation, messagesStateReducer, StateGraph } from "@langchain/langgraph";
import { SqliteCheckpointSaver } from "../packages/harness/dist/persistence/index.js";

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
};
const RUNS = option("runs", 10);
const STEPS = option("steps", 20);
const STATE = option("state", 1024 * 1024);
const MOST_MS = 50;
const RESOLUTION_MS = 1;
const FILES = 50;

function textOf(seed, length) {
  let state = seed + 1;
  let text = "";
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += `${state.toString(36)} `;
  }
  return text.slice(0, length);
}

const State = Annotation.Root({
  messages: Annotation({ reducer: messagesStateReducer, default: () => [] }),
  files: Annotation({ reducer: (before, after) => ({ ...before, ...after }), default: () => ({}) }),
});

const graphOf = (checkpointer) =>
  new StateGraph(State)
    .addNode("model", ({ messages }) => {
      const round = (messages.length - 1) / 2;
      const tool_calls = [{ id: `c${round}`, name: "write", args: { round }, type: "tool_call" }];
      return {
        messages: [
          new AIMessage({
            id: `ai${round}`,
            content: textOf(round, 2_000),
            tool_calls: round < STEPS ? tool_calls : [],
          }),
        ],
      };
    })
    .addNode("tools", ({ messages }) => {
      const [call] = messages.at(-1).tool_calls;
      const file = `/f${call.args.round % FILES}`;
      return {
        files: { [file]: { content: textOf(call.args.round, STATE / FILES) } },
        messages: [new ToolMessage({ id: `r${call.id}`, content: "written", tool_call_id: call.id })],
      };
    })
    .addEdge("__start__", "model")
    .addConditionalEdges("model", ({ messages }) =>
      messages.at(-1).tool_calls.length > 0 ? "tools" : "__end__",
    )
    .addEdge("tools", "model")
    .compile({ checkpointer });

async function measure(checkpointer) {
  const files = Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => [`/f${index}`, { content: textOf(index, STATE / FILES) }]),
  );
  const graph = graphOf(checkpointer);
  const lag = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const started = performance.now();
  lag.enable();
  await Promise.all(
    Array.from({ length: RUNS }, (_, run) =>
      graph.invoke(
        { messages: [new HumanMessage({ id: "q", content: "go" })], files },
        { configurable: { thread_id: `run-${run}` }, recursionLimit: 10_000 },
      ),
    ),
  );
  lag.disable();
  return {
    p50: lag.percentile(50) / 1e6,
    p95: lag.percentile(95) / 1e6,
    max: lag.max / 1e6,
    wall: performance.now() - started,
  };
}

const folder = mkdtempSync(join(tmpdir(), "deerflow-lag-"));
const saver = SqliteCheckpointSaver.fromPath(join(folder, "lag.db"));
await saver.setup();
await measure(undefined); // the first round loads code
const rows = { "without checkpoints": await measure(undefined), "ours on SQLite": await measure(saver) };
await saver.close();
rmSync(folder, { recursive: true });
for (const [name, { p50, p95, max, wall }] of Object.entries(rows)) {
  process.stdout.write(
    `${name.padEnd(20)} event loop held p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, at most ${max.toFixed(0)} ms; ${(wall / 1000).toFixed(1)} s in all\n`,
  );
}
const { p95 } = rows["ours on SQLite"];
if (p95 > MOST_MS) process.stdout.write(`MISSED p95 ${p95.toFixed(1)} ms, allowed ${MOST_MS}\n`);
process.exit(p95 > MOST_MS ? 1 : 0);
