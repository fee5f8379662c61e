import {
  Annotation,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  StateGraph,
} from "@langchain/langgraph";
import { beforeEach, describe, expect, it } from "vitest";
import type { AgentGraph, AgentRequest } from "../agent/contract.js";
import { LOCAL_PRINCIPAL } from "../context/principal.js";
import type { Persistence, RunRecord } from "../persistence/contract.js";
import { openPersistence } from "../persistence/open-persistence.js";
import { MemoryStreamBridge } from "./bridge/memory-stream-bridge.js";
import { RunManager } from "./run-manager.js";
import { InProcessRunQueue } from "./run-queue/in-process-run-queue.js";
import { parseRunRequest } from "./run-request.js";
import { ThreadService } from "./thread-service.js";

const State = Annotation.Root(MessagesAnnotation.spec);

let persistence: Persistence;
let letGo: () => void;
let removed: string[];

/** A process of its own on the same database; its agent waits until `letGo` is called. */
function processOn(shared: Persistence) {
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const node = (_state: typeof State.State, { signal }: LangGraphRunnableConfig) =>
    Promise.race([
      gate.then(() => ({ messages: [{ role: "ai", content: "done" }] })),
      new Promise<never>((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
    ]);
  const agents = async ({ checkpointer }: AgentRequest) => ({
    graph: new StateGraph(State)
      .addNode("model", node)
      .addEdge("__start__", "model")
      .compile({ checkpointer }) as AgentGraph,
    modelName: "scripted",
    close: async () => undefined,
  });
  const runs = new RunManager({
    persistence: shared,
    agents,
    bridge: new MemoryStreamBridge(),
    queue: new InProcessRunQueue(),
    pollMilliseconds: 1,
  });
  const removeFiles = async (_principal: unknown, threadId: string) => void removed.push(threadId);
  return { runs, threads: new ThreadService({ persistence: shared, agents, runs, removeFiles }) };
}

const request = parseRunRequest({ assistant_id: "lead_agent", input: { messages: ["hi"] } });
const jobOf = ({ threadId, runId }: RunRecord) => ({ principal: LOCAL_PRINCIPAL, threadId, runId });

let here: ReturnType<typeof processOn>;
let elsewhere: ReturnType<typeof processOn>;
let run: RunRecord;

beforeEach(async () => {
  persistence = await openPersistence({ backend: "memory" });
  removed = [];
  here = processOn(persistence);
  elsewhere = processOn(persistence);
  run = await elsewhere.runs.start(LOCAL_PRINCIPAL, "t1", request);
});

describe("a run that another process works on", () => {
  it("cannot be stopped, watched or overtaken from here, and nothing of its thread is changed", async () => {
    const refusal = {
      code: "thread_busy",
      status: 409,
      message: `Thread t1 is busy with run ${run.runId}, which another process works on.`,
      next: "Wait until it is over, or stop it where it was started.",
    };
    const message = { messages: [{ type: "human", content: "beside it" }] };
    for (const attempt of [
      () => here.runs.cancel(jobOf(run)),
      () => here.runs.cancelThread(LOCAL_PRINCIPAL, "t1"),
      () => here.runs.stream(jobOf(run)),
      () => here.runs.start(LOCAL_PRINCIPAL, "t1", request),
      () => here.threads.updateState(LOCAL_PRINCIPAL, "t1", { values: message }),
      () => here.threads.remove(LOCAL_PRINCIPAL, "t1"),
    ]) {
      await expect(attempt()).rejects.toMatchObject(refusal);
    }
    expect(removed).toEqual([]);
    letGo();
    expect(await elsewhere.runs.join(jobOf(run))).toMatchObject({ status: "success" });
    const state = await here.threads.state(LOCAL_PRINCIPAL, "t1");
    expect(state).toMatchObject({ values: { messages: [{ content: "hi" }, { content: "done" }] } });
    expect(await here.threads.remove(LOCAL_PRINCIPAL, "t1")).toBe(true);
  });

  it("is waited for from here until it is over", async () => {
    const joined = here.runs.join(jobOf(run));
    letGo();
    expect(await joined).toMatchObject({ runId: run.runId, status: "success" });
  });

  it("is waited for only as long as the caller stays", async () => {
    const caller = new AbortController();
    const joined = here.runs.join(jobOf(run), caller.signal);
    caller.abort();
    expect((await joined).status).toMatch(/pending|running/);
  });
});

describe("a run of a process that died meanwhile", () => {
  beforeEach(async () => {
    await persistence.threads.create(LOCAL_PRINCIPAL, { threadId: "t2" });
    run = await persistence.runs.create(LOCAL_PRINCIPAL, {
      ...request,
      runId: "lost",
      threadId: "t2",
      request: request.payload,
      owner: "a-process-that-ended",
    });
  });

  it("is ended when somebody waits for it", async () => {
    expect(await here.runs.join(jobOf(run))).toMatchObject({ status: "error", stopReason: "process_lost" });
  });

  it("stands in nobody's way", async () => {
    expect(await here.threads.remove(LOCAL_PRINCIPAL, "t2")).toBe(true);
  });
});
