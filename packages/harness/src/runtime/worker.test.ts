import { Annotation, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import type { AgentGraph, AgentRequest } from "../agent/contract.js";
import { DeerflowError } from "../base/errors.js";
import { LOCAL_PRINCIPAL, type Principal } from "../context/principal.js";
import type { RunFence } from "../persistence/checkpoint/checkpoint-rows.js";
import { openPersistence } from "../persistence/open-persistence.js";
import { MemoryStreamBridge } from "./bridge/memory-stream-bridge.js";
import { RunManager } from "./run-manager.js";
import { InProcessRunQueue } from "./run-queue/in-process-run-queue.js";
import { parseRunRequest } from "./run-request.js";
import { ThreadService } from "./thread-service.js";

const State = Annotation.Root(MessagesAnnotation.spec);
const answerTo = (text: string) => ({ messages: [{ role: "ai", content: text }] });

async function serve(wrap = (saver: BaseCheckpointSaver) => saver) {
  const memory = await openPersistence({ backend: "memory" });
  const fences: RunFence[] = [];
  const persistence = {
    ...memory,
    checkpointer(principal: Principal, fence?: RunFence) {
      if (fence !== undefined) fences.push(fence);
      return wrap(memory.checkpointer(principal, fence));
    },
  };
  const agents = async ({ checkpointer }: AgentRequest) => ({
    graph: new StateGraph(State)
      .addNode("first", () => answerTo("one"))
      .addNode("second", () => answerTo("two"))
      .addEdge("__start__", "first")
      .addEdge("first", "second")
      .compile({ checkpointer }) as AgentGraph,
    modelName: "scripted",
    close: async () => undefined,
  });
  const runs = new RunManager({
    persistence,
    agents,
    bridge: new MemoryStreamBridge(),
    queue: new InProcessRunQueue(),
  });
  const threads = new ThreadService({ persistence, agents, runs });
  const input = { messages: ["hi"] };
  const start = () =>
    runs.start(
      LOCAL_PRINCIPAL,
      "t1",
      parseRunRequest({ assistant_id: "lead_agent", input, stream_mode: ["values"] }),
    );
  return { runs, threads, start, fences, memory };
}

describe("the worker", () => {
  it("names the run and its assistant in the history", async () => {
    const { runs, threads, start } = await serve();
    const run = await start();
    await runs.join({ principal: LOCAL_PRINCIPAL, ...run });
    await threads.updateState(LOCAL_PRINCIPAL, "t1", { values: { messages: [] } });
    const next = await start();
    await runs.join({ principal: LOCAL_PRINCIPAL, ...next });
    const history = await threads.history(LOCAL_PRINCIPAL, "t1", { limit: 20 });
    const stamp = ({ runId }: { runId: string }) => [runId, "lead_agent", "lead_agent"];
    expect(
      history
        .map(({ metadata }) => metadata as Record<string, unknown>)
        .map(({ run_id, assistant_id, graph_id }) => [run_id, assistant_id, graph_id])
        .toReversed(),
    ).toEqual([
      ...Array.from({ length: 4 }, () => stamp(run)),
      [undefined, undefined, undefined],
      ...Array.from({ length: 4 }, () => stamp(next)),
    ]);
    expect(
      await threads.history(LOCAL_PRINCIPAL, "t1", { limit: 20, metadata: { run_id: next.runId } }),
    ).toHaveLength(4);
  });

  it("stores checkpoints as the owner that it was when it took the run up", async () => {
    const { runs, start, fences } = await serve();
    const run = await start();
    await runs.join({ principal: LOCAL_PRINCIPAL, ...run });
    expect(fences).toEqual([{ threadId: "t1", runId: run.runId, epoch: 1 }]);
  });

  it("ends a run whose end the database could not take, once it can", async () => {
    const { runs, threads, start, memory } = await serve();
    let refused = 0;
    const { finish } = memory.runs;
    memory.runs.finish = async (...given) => {
      refused += 1;
      if (refused === 1) throw new DeerflowError("database_full", { path: "memory", reason: "full" });
      return finish.apply(memory.runs, given);
    };
    const run = await start();
    await runs.join({ principal: LOCAL_PRINCIPAL, ...run });
    expect(refused).toBe(2);
    expect((await runs.find(LOCAL_PRINCIPAL, "t1", run.runId))?.status).toBe("success");
    expect((await threads.find(LOCAL_PRINCIPAL, "t1"))?.status).toBe("idle");
  });

  it("shows a client no step whose checkpoint is not stored, however slow the disk", async () => {
    const order: string[] = [];
    const slow = (saver: BaseCheckpointSaver) =>
      new Proxy(saver, {
        get(target, name) {
          if (name === "put") {
            return async (...given: Parameters<BaseCheckpointSaver["put"]>) => {
              for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next));
              order.push(`stored step ${given[2].step}`);
              return saver.put(...given);
            };
          }
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    const { runs, start } = await serve(slow);
    const run = await start();
    for await (const { event, data } of await runs.stream({ principal: LOCAL_PRINCIPAL, ...run })) {
      // The first message is the input itself; it is kept with the run's row before the run begins.
      const count = event === "values" ? (data as { messages: unknown[] }).messages.length : 0;
      if (count > 1) order.push(`shown step ${count - 1}`);
    }
    expect(order.filter((line) => !/step (-1|0)$/.test(line))).toEqual([
      "stored step 1",
      "shown step 1",
      "stored step 2",
      "shown step 2",
    ]);
  });
});
