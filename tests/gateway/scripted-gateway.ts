/** A gateway on a free port, in front of a scripted agent: what the SDK tests talk to. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage } from "@langchain/core/messages";
import {
  Annotation,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  StateGraph,
} from "@langchain/langgraph";
import { type GatewayDeps, type RunningGateway, startGateway } from "@deerflow/gateway";
import {
  type AgentGraph,
  type AgentRequest,
  InProcessRunQueue,
  LOCAL_PRINCIPAL,
  MemoryStreamBridge,
  type QuotaLimits,
  RunManager,
  StorageQuota,
  ThreadService,
} from "@deerflow/harness";
import { MountedDiskBackend } from "@deerflow/harness/filesystem";
import { openPersistence, type Persistence } from "@deerflow/harness/persistence";
import { ScriptedModel } from "@deerflow/harness/testing";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  title: Annotation<string>,
  _private: Annotation<string>,
});

/** Held back runs wait here until the test lets them go on. */
export class Gate {
  readonly #waiting = new Set<() => void>();

  /** How many runs stand here. */
  get waiting(): number {
    return this.#waiting.size;
  }

  open(): void {
    for (const go of this.#waiting) go();
    this.#waiting.clear();
  }

  pass(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(resolve);
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  }
}

export interface ScriptedGateway extends RunningGateway {
  readonly deps: GatewayDeps;
  readonly persistence: Persistence;
  /** The address that an SDK client is given. */
  readonly apiUrl: string;
  readonly gate: Gate;
  /** The folder behind the uploads and outputs of all threads. */
  readonly disk: string;
}

/**
 * The agent answers `you said <text>`, word by word. A text that starts with `slow` waits at the gate after the
 * answer and then says `at last`; `half` waits in the middle of its answer; `ask` asks a person; `fail` fails.
 */
function graphOf(gate: Gate, { checkpointer }: AgentRequest) {
  type Node = (state: typeof State.State, config: LangGraphRunnableConfig) => Promise<object>;
  const textOf = (state: typeof State.State) =>
    state.messages.findLast((message) => message.getType() === "human")?.text ?? "";
  const model: Node = async (state, config) => {
    const text = textOf(state);
    if (text.startsWith("fail")) throw new TypeError("the model broke");
    const said = text.startsWith("ask")
      ? `you decided ${JSON.stringify(interrupt({ question: text }))}`
      : `you said ${text}`;
    config.writer?.({ progress: state.messages.length });
    const reply = await new ScriptedModel([{ text: said }]).invoke(state.messages, config);
    if (text.startsWith("half")) await gate.pass(config.signal);
    return { messages: [reply], title: "A title", _private: "secret" };
  };
  const late: Node = async (state, config) => {
    if (!textOf(state).startsWith("slow")) return {};
    await gate.pass(config.signal);
    return { messages: [new AIMessage({ id: `late-${state.messages.length}`, content: "at last" })] };
  };
  return new StateGraph(State)
    .addNode("model", model)
    .addNode("late", late)
    .addEdge("__start__", "model")
    .addEdge("model", "late")
    .compile({ checkpointer });
}

/**
 * @param buildGraph another agent than the scripted one; `disk` is the folder behind the files of all threads
 * @param quotaLimits how much may be kept; nothing is counted when absent
 */
export async function startScriptedGateway(
  more: Partial<GatewayDeps> = {},
  buildGraph?: (request: AgentRequest, disk: string) => AgentGraph,
  quotaLimits?: () => QuotaLimits,
): Promise<ScriptedGateway> {
  const gate = new Gate();
  const disk = await mkdtemp(join(tmpdir(), "deerflow-gateway-"));
  const persistence = await openPersistence({ backend: "memory" });
  const agents = async (request: AgentRequest) => ({
    graph: buildGraph?.(request, disk) ?? (graphOf(gate, request) as AgentGraph),
    modelName: "scripted",
    close: async () => undefined,
  });
  const bridge = new MemoryStreamBridge();
  const files: GatewayDeps["files"] = async (_principal, threadId) => {
    const hostPath = join(disk, threadId);
    await mkdir(hostPath, { recursive: true });
    return new MountedDiskBackend({
      mounts: [{ virtualPath: "/mnt/user-data", hostPath, mode: "read-write" }],
    });
  };
  const quota = quotaLimits && new StorageQuota({ persistence, files, limits: quotaLimits });
  const queue = new InProcessRunQueue();
  const runs = new RunManager({ persistence, agents, bridge, queue, ...(quota && { quota }) });
  const deps: GatewayDeps = {
    runs,
    threads: new ThreadService({ persistence, agents, runs }),
    events: persistence.events,
    models: async () => ({ models: [] }),
    files,
    ...(quota && { quota }),
    health: async () => ({
      sandbox: { provider: "none", available: false, reason: "This is a test." },
      model: { name: "scripted", source: "demo", reason: "This is a test." },
      database: "memory",
    }),
    principal: async () => LOCAL_PRINCIPAL,
    version: "0.0.0-test",
    heartbeatMilliseconds: 200,
    ...more,
  };
  const gateway = await startGateway(deps, { port: 0 });
  return {
    ...gateway,
    deps,
    persistence,
    gate,
    disk,
    apiUrl: `${gateway.url}/api/langgraph`,
    close: async () => {
      await gateway.close();
      await runs.close();
      await persistence.close();
      await rm(disk, { recursive: true, force: true });
    },
  };
}
