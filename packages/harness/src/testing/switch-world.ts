/** An installation whose runs wait at a gate of their thread, on databases that can be switched. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage } from "@langchain/core/messages";
import { type LangGraphRunnableConfig, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import type { AgentGraph, AgentRequest } from "../agent/contract.js";
import { type Logger, silentLogger } from "../base/logger.js";
import { LOCAL_PRINCIPAL } from "../context/principal.js";
import type { RunRecord } from "../persistence/contract.js";
import type { DatabaseLocation } from "../persistence/sql/database-location.js";
import { MemoryStreamBridge } from "../runtime/bridge/memory-stream-bridge.js";
import { RunManager } from "../runtime/run-manager.js";
import { InProcessRunQueue } from "../runtime/run-queue/in-process-run-queue.js";
import { parseRunRequest } from "../runtime/run-request.js";
import { ThreadService } from "../runtime/thread-service.js";
import { admissionOf } from "../runtime/database-switch/admission.js";
import { type OpenDatabases, openDatabases } from "../runtime/database-switch/open-databases.js";

export const makeHome = (): { readonly home: string; remove(): void } => {
  const home = mkdtempSync(join(tmpdir(), "deerflow-switch-"));
  return { home, remove: () => rmSync(home, { recursive: true, force: true }) };
};

export interface SwitchWorld {
  readonly databases: OpenDatabases;
  readonly runs: RunManager;
  readonly threads: ThreadService;
  /** Runs of this thread wait in their middle from now on. */
  hold(threadId: string): void;
  release(threadId: string): void;
  /** Resolves when a run of the thread stands at its gate. */
  reached(threadId: string): Promise<void>;
  start(threadId: string, text: string, more?: object): Promise<RunRecord>;
  /** Starts a run and waits until it is over. */
  ask(threadId: string, text: string): Promise<RunRecord>;
  /** What was said in a thread, in order. */
  said(threadId: string): Promise<readonly string[]>;
  switchTo(to: DatabaseLocation, copy?: boolean): Promise<void>;
  close(): Promise<void>;
}

interface Gate {
  readonly open: Promise<void>;
  readonly release: () => void;
  readonly arrived: Promise<void>;
  readonly arrive: () => void;
}

function gate(): Gate {
  let release = (): void => undefined;
  let arrive = (): void => undefined;
  const open = new Promise<void>((resolve) => {
    release = resolve;
  });
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  return { open, release, arrived, arrive };
}

export async function openWorld(
  home: string,
  database: DatabaseLocation,
  options: {
    readonly patience?: number;
    readonly store?: DatabaseLocation;
    readonly checkpointer?: DatabaseLocation;
    readonly logger?: Logger;
  } = {},
): Promise<SwitchWorld> {
  const { patience, logger = silentLogger, ...overrides } = options;
  const gates = new Map<string, Gate>();
  const databases = await openDatabases({
    home,
    locations: { database, ...overrides },
    serving: true,
    logger,
    lookMilliseconds: 20,
  });
  const { runs, threads } = await serve(databases, gates, patience);
  const start = (threadId: string, text: string, more: object = {}) => {
    const input = { messages: [{ role: "user", content: text }] };
    const request = parseRunRequest({ assistant_id: "lead_agent", input, ...more });
    return runs.start(LOCAL_PRINCIPAL, threadId, request);
  };
  return {
    databases,
    runs,
    threads,
    hold: (threadId) => void gates.set(threadId, gate()),
    release(threadId) {
      gates.get(threadId)?.release();
      gates.delete(threadId);
    },
    reached: async (threadId) => gates.get(threadId)?.arrived,
    start,
    async ask(threadId, text) {
      const { runId } = await start(threadId, text);
      return runs.join({ principal: LOCAL_PRINCIPAL, threadId, runId });
    },
    async said(threadId) {
      const { values } = await threads.state(LOCAL_PRINCIPAL, threadId);
      const { messages = [] } = values as { messages?: { content: string }[] }; // the state of `graphOf`
      return messages.map(({ content }) => content);
    },
    async switchTo(to, copy = true) {
      await databases.databaseSwitch.start({ to, copy });
    },
    async close() {
      await runs.close();
      await databases.close();
    },
  };
}

async function serve(
  { persistence, router }: OpenDatabases,
  gates: ReadonlyMap<string, Gate>,
  patience: number | undefined,
) {
  const agents = async ({ checkpointer, principal }: AgentRequest) => ({
    graph: graphOf(gates, checkpointer, persistence.store(principal)) as unknown as AgentGraph, // it has more
    modelName: "scripted",
    close: async () => undefined,
  });
  const runs = new RunManager({
    persistence,
    agents,
    bridge: new MemoryStreamBridge(),
    queue: new InProcessRunQueue(),
    admission: admissionOf(router, patience),
  });
  await runs.reconcile();
  return { runs, threads: new ThreadService({ persistence, agents, runs }) };
}

/** Echoes the question in two steps, with the gate of the thread between them. */
function graphOf(
  gates: ReadonlyMap<string, Gate>,
  checkpointer: AgentRequest["checkpointer"],
  store: ReturnType<OpenDatabases["persistence"]["store"]>,
) {
  const threadOf = ({ configurable }: LangGraphRunnableConfig): string => String(configurable?.["thread_id"]);
  return new StateGraph(MessagesAnnotation)
    .addNode("first", async ({ messages }, config: LangGraphRunnableConfig) => {
      const question = String(messages.at(-1)?.content);
      await config.store?.put(["questions", threadOf(config)], question, { asked: true });
      return { messages: [new AIMessage(`heard ${question}`)] };
    })
    .addNode("second", async (_state, config: LangGraphRunnableConfig) => {
      const own = gates.get(threadOf(config));
      own?.arrive();
      await Promise.race([own?.open, aborted(config.signal)]);
      config.signal?.throwIfAborted();
      return { messages: [new AIMessage("done")] };
    })
    .addEdge("__start__", "first")
    .addEdge("first", "second")
    .compile({ checkpointer, store });
}

const aborted = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
