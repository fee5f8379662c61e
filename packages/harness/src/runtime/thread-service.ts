/** Threads as clients see them: their rows, their state and history, and their end. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentFactory, AgentGraph } from "../agent/contract.js";
import { DeerflowError } from "../base/errors.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.js";
import { assertThreadId } from "../context/home-paths.js";
import type { Principal } from "../context/principal.js";
import type {
  Persistence,
  RunRecord,
  ThreadPatch,
  ThreadQuery,
  ThreadRecord,
} from "../persistence/contract.js";
import { assignMessageIds, toGraphInput } from "./run-input.js";
import { summarise } from "./run-journal.js";
import { withStoredMedia } from "./media-references.js";
import { toCheckpoint, toThreadState } from "./serialization.js";
import { findMediaFile, type MediaFile, storedMedia } from "./stored-media.js";

export interface ThreadServiceOptions {
  readonly persistence: Persistence;
  readonly agents: AgentFactory;
  /** Stops every run of a thread and waits; refuses what may not be done beside a run. Both throw `thread_busy`. */
  readonly runs: {
    cancelThread(principal: Principal, threadId: string): Promise<void>;
    requireIdle(principal: Principal, threadId: string): Promise<void>;
  };
  /** Removes the files of a thread. */
  readonly removeFiles?: (principal: Principal, threadId: string) => Promise<void>;
  /** Which assistant reads the state of a thread that no run has stamped. Default `lead_agent`. */
  readonly defaultAssistantId?: string;
}

export interface NewThreadRequest {
  /** A new UUID when absent. */
  readonly threadId?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  /** What to do when the thread is there already. Default `do_nothing`. */
  readonly ifExists?: "raise" | "do_nothing" | undefined;
}

export interface HistoryQuery {
  readonly limit: number;
  /** Only checkpoints before this one. */
  readonly before?: string | undefined;
  /** Every key must be equal (top level). */
  readonly metadata?: JsonObject | undefined;
  /** The namespace of a subgraph; the root when absent. */
  readonly checkpointNs?: string | undefined;
}

export interface StateChange {
  readonly values: JsonValue;
  /** Act as if this node had written the values; the last one that wrote when absent. */
  readonly asNode?: string | undefined;
  /** Branch off this checkpoint; the newest when absent. */
  readonly checkpointId?: string | undefined;
}

/** How often, and how far apart, media is looked for that a run may be about to store. */
const BUSY_ATTEMPTS = 10;
const BUSY_PAUSE_MILLISECONDS = 100;

export class ThreadService {
  readonly #options: ThreadServiceOptions;

  constructor(options: ThreadServiceOptions) {
    this.#options = options;
  }

  /**
   * @throws DeerflowError `thread_exists` with `ifExists: "raise"`, `thread_id_invalid`
   */
  async create(principal: Principal, thread: NewThreadRequest = {}): Promise<ThreadRecord> {
    const threadId = assertThreadId(thread.threadId ?? randomUUID());
    const { threads } = this.#options.persistence;
    const made = await threads.create(principal, { threadId, metadata: thread.metadata ?? {} });
    if (!made.created && thread.ifExists === "raise") throw new DeerflowError("thread_exists", { threadId });
    return made.thread;
  }

  /** @throws DeerflowError `thread_missing` */
  async find(principal: Principal, threadId: string): Promise<ThreadRecord> {
    const thread = await this.#options.persistence.threads.find(principal, threadId);
    if (thread === undefined) throw new DeerflowError("thread_missing", { threadId });
    return thread;
  }

  search(principal: Principal, query: ThreadQuery): Promise<readonly ThreadRecord[]> {
    return this.#options.persistence.threads.search(principal, query);
  }

  /** @throws DeerflowError `thread_missing` */
  async update(principal: Principal, threadId: string, patch: ThreadPatch): Promise<ThreadRecord> {
    const thread = await this.#options.persistence.threads.update(principal, threadId, patch);
    if (thread === undefined) throw new DeerflowError("thread_missing", { threadId });
    return thread;
  }

  /**
   * Stops the thread's runs and removes all that belongs to it. False when there was no such thread.
   * @throws DeerflowError `thread_busy` when another process works on it; then nothing is removed
   */
  async remove(principal: Principal, threadId: string): Promise<boolean> {
    const { persistence, runs, removeFiles } = this.#options;
    const known = await persistence.threads.find(principal, threadId);
    if (known === undefined) return false;
    await runs.cancelThread(principal, threadId);
    await persistence.checkpointer(principal).deleteThread(threadId);
    await removeFiles?.(principal, threadId);
    return persistence.threads.remove(principal, threadId);
  }

  /**
   * The state now, or at a checkpoint.
   * @throws DeerflowError `thread_missing`, `checkpoint_not_found`
   */
  async state(
    principal: Principal,
    threadId: string,
    at: { checkpointId?: string | undefined; subgraphs?: boolean } = {},
  ): Promise<JsonObject> {
    const thread = await this.find(principal, threadId);
    const config = checkpointConfig(threadId, at);
    const tuple = await this.#options.persistence.checkpointer(principal).getTuple(config);
    if (tuple === undefined && at.checkpointId !== undefined) {
      throw new DeerflowError("checkpoint_not_found", { threadId, checkpointId: at.checkpointId });
    }
    if (tuple === undefined) return toThreadState({ config }, threadId);
    const snapshot = await this.#withGraph(principal, thread, (graph) =>
      graph.getState(config, { subgraphs: at.subgraphs ?? false }),
    );
    const state = toThreadState(snapshot, threadId);
    return at.checkpointId === undefined ? settled(state, thread) : state;
  }

  /**
   * Newest first.
   * @throws DeerflowError `thread_missing`
   */
  async history(principal: Principal, threadId: string, query: HistoryQuery): Promise<JsonObject[]> {
    const thread = await this.find(principal, threadId);
    const config = checkpointConfig(threadId, query);
    const tuple = await this.#options.persistence.checkpointer(principal).getTuple(config);
    if (tuple === undefined) return [];
    const { limit, before, metadata } = query;
    const options = {
      limit,
      ...(before === undefined ? {} : { before: checkpointConfig(threadId, { checkpointId: before }) }),
      ...(metadata === undefined ? {} : { filter: metadata }),
    };
    return this.#withGraph(principal, thread, async (graph) => {
      const states: JsonObject[] = [];
      for await (const snapshot of graph.getStateHistory(config, options))
        states.push(toThreadState(snapshot, threadId));
      const [head, ...older] = states;
      if (head === undefined || before !== undefined) return states;
      return [settled(head, thread), ...older];
    });
  }

  /**
   * Writes into the state without a run. @returns the new checkpoint
   * @throws DeerflowError `thread_missing`, `thread_busy`, `state_update_invalid`, `invalid_request` for media that the
   *   thread does not have
   */
  async updateState(principal: Principal, threadId: string, change: StateChange): Promise<JsonObject> {
    const thread = await this.find(principal, threadId);
    await this.#options.runs.requireIdle(principal, threadId);
    const config = checkpointConfig(threadId, change);
    // The graph would begin a new state where it finds none.
    if (change.checkpointId !== undefined)
      await this.#requireCheckpoint(principal, threadId, change.checkpointId);
    const values =
      change.values === null ? null : await this.#graphValues(principal, threadId, change.values);
    return this.#withGraph(principal, thread, async (graph) => {
      const updated = await writeState(graph, { config, values, asNode: change.asNode });
      const snapshot = await graph.getState(checkpointConfig(threadId, {}));
      const { values: now } = snapshot as { values?: unknown }; // a StateSnapshot, read with care
      await this.update(principal, threadId, { values: summarise(now) });
      return toCheckpoint(updated) ?? {};
    });
  }

  /** What a run has come to: the state's values, `__interrupt__` when it waits, `__error__` when it failed. */
  async result(principal: Principal, run: RunRecord): Promise<JsonObject> {
    const { values, tasks } = await this.state(principal, run.threadId);
    const waiting = (Array.isArray(tasks) ? tasks : []).flatMap((task) =>
      isJsonObject(task) && Array.isArray(task["interrupts"]) ? task["interrupts"] : [],
    );
    return {
      ...(isJsonObject(values) ? values : {}),
      ...(waiting.length === 0 ? {} : { __interrupt__: waiting }),
      ...(run.status === "error" ? { __error__: await this.#failure(principal, run) } : {}),
    };
  }

  /**
   * What an address in a message stands for.
   * @param hash 64 hexadecimal digits
   * @throws DeerflowError `thread_missing`, `media_missing`
   */
  async media(principal: Principal, threadId: string, hash: string): Promise<MediaFile> {
    const { status } = await this.find(principal, threadId);
    const checkpointer = this.#options.persistence.checkpointer(principal);
    // A running step tells of its messages a moment before they are stored.
    const attempts = status === "busy" ? BUSY_ATTEMPTS : 1;
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const file = await findMediaFile(checkpointer, threadId, hash);
      if (file !== undefined) return file;
      if (attempt < attempts) await sleep(BUSY_PAUSE_MILLISECONDS);
    }
    throw new DeerflowError("media_missing", { threadId, hash });
  }

  async #graphValues(principal: Principal, threadId: string, values: JsonValue) {
    const find = storedMedia(this.#options.persistence.checkpointer(principal), threadId);
    return toGraphInput(assignMessageIds(await withStoredMedia(fieldsOf(values), threadId, find)));
  }

  async #requireCheckpoint(principal: Principal, threadId: string, checkpointId: string): Promise<void> {
    const config = checkpointConfig(threadId, { checkpointId });
    const tuple = await this.#options.persistence.checkpointer(principal).getTuple(config);
    if (tuple === undefined) throw new DeerflowError("checkpoint_not_found", { threadId, checkpointId });
  }

  async #failure(principal: Principal, run: RunRecord): Promise<JsonValue> {
    const query = { limit: 1, runId: run.runId, eventTypes: ["run.error"] };
    const [event] = await this.#options.persistence.events.list(principal, run.threadId, query);
    return event?.content ?? { error: "Error", message: run.error ?? "The run failed." };
  }

  async #withGraph<T>(
    principal: Principal,
    thread: ThreadRecord,
    work: (graph: AgentGraph) => Promise<T>,
  ): Promise<T> {
    const { agents, persistence, defaultAssistantId = "lead_agent" } = this.#options;
    const stamped = thread.metadata["graph_id"];
    const agent = await agents({
      principal,
      threadId: thread.threadId,
      runId: randomUUID(),
      assistantId: typeof stamped === "string" ? stamped : defaultAssistantId,
      context: {},
      checkpointer: persistence.checkpointer(principal),
    });
    try {
      return await work(agent.graph);
    } finally {
      await agent.close();
    }
  }
}

const checkpointConfig = (
  threadId: string,
  { checkpointId, checkpointNs }: { checkpointId?: string | undefined; checkpointNs?: string | undefined },
) => ({
  configurable: {
    thread_id: threadId,
    checkpoint_ns: checkpointNs ?? "",
    ...(checkpointId === undefined ? {} : { checkpoint_id: checkpointId }),
  },
});

/**
 * The newest state of a thread that nobody works on and that waits for nobody has no next step: clients take an
 * unfinished step for a breakpoint, and what a stopped or failed run left undone is no breakpoint.
 */
const settled = (state: JsonObject, thread: ThreadRecord): JsonObject =>
  thread.status === "idle" || thread.status === "error" ? { ...state, next: [] } : state;

async function writeState(
  graph: AgentGraph,
  change: { config: Record<string, unknown>; values: unknown; asNode: string | undefined },
): Promise<unknown> {
  try {
    return await graph.updateState(change.config, change.values, change.asNode);
  } catch (error) {
    const reason = refusalOf(error);
    if (reason === undefined) throw error;
    throw new DeerflowError("state_update_invalid", { reason }, error);
  }
}

function fieldsOf(values: JsonValue): JsonObject {
  if (isJsonObject(values)) return values;
  throw new DeerflowError("state_update_invalid", { reason: "values must be an object" });
}

/** Why the graph does not take an update; undefined when something else failed. */
function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === "InvalidUpdateError") return error.message.split("\n")[0];
  // LangGraph's StateSchema throws plain errors: the field, then the issues as JSON.
  const [, field, issues = ""] = /^Validation failed for field "([^"]*)": (.*)$/s.exec(error.message) ?? [];
  if (field === undefined) return undefined;
  const [, problem = "it has not the right shape"] = /"message":"((?:[^"\\]|\\.)*)"/.exec(issues) ?? [];
  return `${field}: ${problem}`;
}
