/** Starts, stops and finds runs. What a run does is the worker's business; when it does it, the queue's. */
import { randomUUID } from "node:crypto";
import type { AgentFactory } from "../agent/contract.js";
import { DeerflowError } from "../base/errors.js";
import { isProcessAlive, processIdentity } from "../base/process-identity.js";
import { KeyedLock } from "../base/keyed-lock.js";
import { type Logger, silentLogger } from "../base/logger.js";
import { assertThreadId } from "../context/home-paths.js";
import type { Principal } from "../context/principal.js";
import { FINAL_RUN_STATUSES, type Persistence, type RunRecord } from "../persistence/contract.js";
import type { Admission } from "./database-switch/admission.js";
import type { StreamBridge, StreamFrame, SubscribeOptions } from "./bridge/contract.js";
import { gapData } from "./bridge/stream-cursor.js";
import { requireNodes } from "./graph-command.js";
import type { StorageQuota } from "./quota/storage-quota.js";
import { RunStopped, stopped } from "./run-outcome.js";
import type { RunJob, RunQueue } from "./run-queue/contract.js";
import { threadKey } from "./run-queue/in-process-run-queue.js";
import { withRequestMedia } from "./request-media.js";
import { DEFAULT_RUN_LIMITS, type RunLimits, type RunRequest } from "./run-request.js";
import { storedMedia } from "./stored-media.js";
import { RunWorker } from "./worker.js";

export interface RunManagerOptions {
  readonly persistence: Persistence;
  readonly bridge: StreamBridge;
  readonly queue: RunQueue;
  readonly agents: AgentFactory;
  readonly limits?: RunLimits;
  /** What threads and users may keep; no limit when absent. */
  readonly quota?: Pick<StorageQuota, "requireRoom">;
  readonly logger?: Logger;
  readonly newId?: () => string;
  /** This process, as the rows of its runs name it. */
  readonly owner?: string;
  /** Around each start of a run, which it may have to try again; by default it starts at once. */
  readonly admission?: Admission;
  /** Milliseconds between two looks at a run that another process works on. Default 500. */
  readonly pollMilliseconds?: number;
}

export interface CancelOptions {
  /** `rollback` also takes back what the run has done to the thread's state. Default `interrupt`. */
  readonly action?: "interrupt" | "rollback";
  /** Resolve only when the run is over. Default false. */
  readonly wait?: boolean;
}

/** A run of this process that is not over. */
interface ActiveRun {
  readonly job: RunJob;
  readonly abort: AbortController;
  readonly done: Promise<void>;
  readonly finished: () => void;
}

export class RunManager {
  readonly #options: RunManagerOptions;
  readonly #worker: RunWorker;
  readonly #active = new Map<string, ActiveRun>();
  readonly #starting = new KeyedLock();
  #closed = false;

  constructor(options: RunManagerOptions) {
    const { limits = DEFAULT_RUN_LIMITS, logger = silentLogger } = options;
    this.#options = options;
    this.#worker = new RunWorker({ ...options, limits, logger });
    options.queue.start((job) => this.#execute(job));
  }

  get limits(): RunLimits {
    return this.#options.limits ?? DEFAULT_RUN_LIMITS;
  }

  /**
   * Adds a run and returns at once; the thread is created when it does not exist.
   * @throws DeerflowError `thread_busy` (strategy reject), `thread_missing` (if_not_exists reject),
   *   `checkpoint_not_found`, `thread_id_invalid`, `quota_exceeded`, `invalid_request` (goto an unknown node, media that the thread does not
   *   have); in every such case no run exists
   */
  async start(principal: Principal, threadId: string, request: RunRequest): Promise<RunRecord> {
    assertThreadId(threadId);
    if (this.#closed) throw new DeerflowError("shutting_down");
    const { admission = (_principal, _threadId, start) => start() } = this.#options;
    return admission(principal, threadId, () => this.#add(principal, threadId, request));
  }

  #add(principal: Principal, threadId: string, request: RunRequest): Promise<RunRecord> {
    return this.#hold(principal, threadId, async () => {
      const { persistence, bridge, queue, newId = randomUUID } = this.#options;
      await this.#options.quota?.requireRoom(principal, threadId, sizeOf(request));
      // Asked before a thread is made; the worker puts the media in, so that it is not stored with the request.
      await withRequestMedia(request, threadId, storedMedia(persistence.checkpointer(principal), threadId));
      await this.#admitThread(principal, threadId, request);
      await this.#requireNodes(principal, threadId, request);
      await this.#makeRoom(principal, threadId, request.multitaskStrategy);
      const run = await persistence.runs.create(principal, {
        runId: newId(),
        threadId,
        assistantId: request.assistantId,
        multitaskStrategy: request.multitaskStrategy,
        onDisconnect: request.onDisconnect,
        request: request.payload,
        metadata: request.metadata,
        owner: this.#options.owner ?? processIdentity(),
      });
      await persistence.threads.update(principal, threadId, { status: "busy" });
      await bridge.open(run.runId);
      const job: RunJob = { principal, threadId, runId: run.runId };
      this.#active.set(run.runId, activeRun(job));
      await queue.add(job);
      return run;
    });
  }

  /** @throws DeerflowError `run_missing` */
  async find(principal: Principal, threadId: string, runId: string): Promise<RunRecord> {
    const run = await this.#options.persistence.runs.find(principal, threadId, runId);
    if (run === undefined) throw new DeerflowError("run_missing", { threadId, runId });
    return run;
  }

  /** Newest first. */
  list(principal: Principal, threadId: string, page: { limit: number; offset: number }) {
    return this.#options.persistence.runs.list(principal, threadId, page);
  }

  /** Ids of this process's runs of a thread that are not over, oldest first. */
  activeRuns(principal: Principal, threadId: string): readonly string[] {
    const key = threadKey(principal, threadId);
    return [...this.#active.values()]
      .filter(({ job }) => threadKey(job.principal, job.threadId) === key)
      .map(({ job }) => job.runId);
  }

  /**
   * The frames of a run. One whose frames are forgotten gives a `gap` and its `end`.
   * @throws DeerflowError `run_missing`, `stream_cursor_invalid`; `thread_busy` while another process works on it
   */
  async stream(job: RunJob, options: SubscribeOptions = {}): Promise<AsyncIterable<StreamFrame>> {
    const { bridge } = this.#options;
    const { run, active } = await this.#look(job);
    if (isForeign(run, active)) throw busyElsewhere(run);
    const frames = bridge.subscribe(job.runId, options);
    return (await bridge.has(job.runId)) ? frames : forgotten(run, options.after ?? "");
  }

  /**
   * Resolves with the run when it is over, whoever works on it, or as it is when `signal` aborts.
   * @throws DeerflowError `run_missing`
   */
  async join(job: RunJob, signal?: AbortSignal): Promise<RunRecord> {
    const { run, active } = await this.#look(job);
    if (isForeign(run, active)) return this.#pollUntilOver(job, signal);
    if (active !== undefined)
      await Promise.race([active.done, ...(signal === undefined ? [] : [aborted(signal)])]);
    return this.find(job.principal, job.threadId, job.runId);
  }

  /**
   * Stops a run, whether it waits or goes on. Nothing happens to one that is over.
   * @throws DeerflowError `run_missing`; `thread_busy` when another process works on it
   */
  async cancel(job: RunJob, { action = "interrupt", wait = false }: CancelOptions = {}): Promise<void> {
    const { run, active } = await this.#look(job);
    if (isForeign(run, active)) throw busyElsewhere(run);
    if (active === undefined) return;
    await this.#stop(active, action);
    if (wait) await active.done;
  }

  /**
   * Stops every run of a thread and waits until they are over.
   * @throws DeerflowError `thread_busy` when another process works on the thread; then nothing is stopped
   */
  async cancelThread(principal: Principal, threadId: string): Promise<void> {
    await this.#hold(principal, threadId, () => this.#requireOwnThread(principal, threadId));
    for (const runId of this.activeRuns(principal, threadId)) {
      await this.cancel({ principal, threadId, runId }, { wait: true });
    }
  }

  /** @throws DeerflowError `thread_busy` while this or another process works on the thread */
  async requireIdle(principal: Principal, threadId: string): Promise<void> {
    await this.#hold(principal, threadId, () => this.#requireOwnThread(principal, threadId));
    const [runId] = this.activeRuns(principal, threadId);
    if (runId !== undefined) throw busyHere(threadId, runId);
  }

  /** Marks as failed what a dead process left unfinished: before the first start, and where such a run is in the way. @returns how many */
  async reconcile(): Promise<number> {
    const { persistence } = this.#options;
    const error = "The process that worked on this run ended before the run did.";
    const lost = await persistence.runs.reconcile(
      { status: "error", error, stopReason: "process_lost" },
      isProcessAlive,
    );
    for (const { principal, run } of lost) {
      const content = { error: "process_lost", message: error };
      await persistence.events.append(principal, run.threadId, [
        { runId: run.runId, eventType: "run.error", content },
      ]);
      await persistence.threads.update(principal, run.threadId, { status: "error" });
    }
    return lost.length;
  }

  /** Takes no more runs, stops those there are and waits for them. */
  async close(): Promise<void> {
    this.#closed = true;
    const active = [...this.#active.values()];
    for (const run of active) await this.#stop(run, "shutdown");
    this.#worker.close();
    await Promise.all(active.map((run) => run.done));
    await this.#options.queue.close();
  }

  async #execute(job: RunJob): Promise<void> {
    const active = this.#active.get(job.runId) ?? activeRun(job);
    await this.#worker.execute(job, active.abort.signal);
    this.#active.delete(job.runId);
    active.finished();
  }

  async #stop(active: ActiveRun, action: RunStopped["action"]): Promise<void> {
    const { job, abort } = active;
    if (!(await this.#options.queue.remove(job.runId))) {
      abort.abort(new RunStopped(action));
      return;
    }
    await this.#endUnbegun(job, action);
    this.#active.delete(job.runId);
    active.finished();
  }

  /** A run that was stopped while it waited ends without a worker. */
  async #endUnbegun({ principal, threadId, runId }: RunJob, action: RunStopped["action"]): Promise<void> {
    const { persistence, bridge } = this.#options;
    const { outcome, threadStatus } = stopped(action);
    await persistence.runs.finish(principal, { threadId, runId, epoch: 0 }, outcome);
    if (this.activeRuns(principal, threadId).length === 1) {
      await persistence.threads.update(principal, threadId, { status: threadStatus });
    }
    await bridge.publish(runId, "end", { status: outcome.status, stop_reason: outcome.stopReason ?? null });
    await bridge.end(runId);
  }

  /** Runs are added to a thread one after the other. */
  #hold<T>(principal: Principal, threadId: string, work: () => Promise<T>): Promise<T> {
    return this.#starting.hold(threadKey(principal, threadId), work);
  }

  /**
   * A run as stored, and as this process knows it. A run leaves the process only after its row is final, so the row
   * is read last; and no run is just being added, so one that is not over and not known here is another process's.
   */
  #look(job: RunJob): Promise<{ run: RunRecord; active: ActiveRun | undefined }> {
    return this.#hold(job.principal, job.threadId, async () => {
      const active = this.#active.get(job.runId);
      return { active, run: await this.find(job.principal, job.threadId, job.runId) };
    });
  }

  /**
   * Runs wait for each other within one process only, so a thread that another one works on is busy. What a dead
   * one left is ended. Call while no run is added to the thread.
   */
  async #requireOwnThread(principal: Principal, threadId: string): Promise<void> {
    const { runs } = this.#options.persistence;
    const own = new Set(this.#active.keys()); // before the rows are read, as in #look
    const isElsewhere = ({ runId }: RunRecord): boolean => !own.has(runId);
    const elsewhere = (await runs.unfinished(principal, threadId)).filter(isElsewhere);
    if (elsewhere.length === 0) return;
    await this.reconcile();
    const foreign = (await runs.unfinished(principal, threadId)).find(isElsewhere);
    if (foreign !== undefined) throw busyElsewhere(foreign);
  }

  /** Looks at the row now and then: another process does not tell when it is done, or when it dies. */
  async #pollUntilOver(job: RunJob, signal: AbortSignal | undefined): Promise<RunRecord> {
    const { pollMilliseconds = 500 } = this.#options;
    for (;;) {
      const run = await this.find(job.principal, job.threadId, job.runId);
      if (FINAL_RUN_STATUSES.has(run.status) || signal?.aborted === true) return run;
      if (isProcessAlive(run.owner)) await pause(pollMilliseconds, signal);
      else await this.reconcile();
    }
  }

  /** The thread is there, carries the assistant's name, and has the checkpoint that the request names. */
  async #admitThread(principal: Principal, threadId: string, request: RunRequest): Promise<void> {
    const { persistence } = this.#options;
    const stamp = { graph_id: request.assistantId, assistant_id: request.assistantId };
    const known = await persistence.threads.find(principal, threadId);
    if (known === undefined) {
      if (request.ifNotExists === "reject") throw new DeerflowError("thread_missing", { threadId });
      if (request.checkpointId !== undefined) throw checkpointMissing(threadId, request.checkpointId);
      await persistence.threads.create(principal, { threadId, metadata: stamp });
      return;
    }
    if (request.checkpointId !== undefined)
      await this.#requireCheckpoint(principal, threadId, request.checkpointId);
    if (known.metadata["graph_id"] === undefined) {
      await persistence.threads.update(principal, threadId, { metadata: stamp });
    }
  }

  /** Only an agent knows the nodes of its graph, so one is made for a request that names some. */
  async #requireNodes(principal: Principal, threadId: string, request: RunRequest): Promise<void> {
    const { command, assistantId, context } = request;
    if (command?.goto === undefined) return;
    const { agents, persistence, newId = randomUUID } = this.#options;
    const checkpointer = persistence.checkpointer(principal);
    const agent = await agents({ principal, threadId, runId: newId(), assistantId, context, checkpointer });
    try {
      requireNodes(command, agent.graph);
    } finally {
      await agent.close();
    }
  }

  async #requireCheckpoint(principal: Principal, threadId: string, checkpointId: string): Promise<void> {
    const configurable = { thread_id: threadId, checkpoint_ns: "", checkpoint_id: checkpointId };
    const tuple = await this.#options.persistence.checkpointer(principal).getTuple({ configurable });
    if (tuple === undefined) throw checkpointMissing(threadId, checkpointId);
  }

  /** Applies the strategy for a thread that has runs already. A stopped run is over before the next begins. */
  async #makeRoom(
    principal: Principal,
    threadId: string,
    strategy: RunRequest["multitaskStrategy"],
  ): Promise<void> {
    await this.#requireOwnThread(principal, threadId);
    const [runId, ...later] = this.activeRuns(principal, threadId);
    if (runId === undefined || strategy === "enqueue") return;
    if (strategy === "reject") throw busyHere(threadId, runId);
    for (const each of [runId, ...later]) {
      const active = this.#active.get(each);
      if (active !== undefined) await this.#stop(active, strategy);
    }
  }
}

/** What the request adds to the thread at least. */
const sizeOf = ({ payload }: RunRequest): number =>
  Buffer.byteLength(JSON.stringify([payload["input"], payload["command"]]));

const checkpointMissing = (threadId: string, checkpointId: string) =>
  new DeerflowError("checkpoint_not_found", { threadId, checkpointId });

/** A run that is not over and that this process does not work on. */
const isForeign = (run: RunRecord, active: ActiveRun | undefined): boolean =>
  active === undefined && !FINAL_RUN_STATUSES.has(run.status);

const busyHere = (threadId: string, runId: string) =>
  new DeerflowError("thread_busy", {
    threadId,
    runId,
    where: "",
    hint: "Wait for it, cancel it, or send multitask_strategy enqueue.",
  });

const busyElsewhere = ({ threadId, runId }: RunRecord) =>
  new DeerflowError("thread_busy", {
    threadId,
    runId,
    where: ", which another process works on",
    hint: "Wait until it is over, or stop it where it was started.",
  });

function activeRun(job: RunJob): ActiveRun {
  let finished = (): void => undefined;
  const done = new Promise<void>((resolve) => {
    finished = resolve;
  });
  return { job, abort: new AbortController(), done, finished };
}

/** Resolves after so many milliseconds, or at once when the signal aborts. */
const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** What a reader gets of a run whose frames are gone. */
async function* forgotten(run: RunRecord, after: string): AsyncGenerator<StreamFrame> {
  yield { event: "gap", data: gapData(run.runId, after, {}) };
  if (!FINAL_RUN_STATUSES.has(run.status)) return;
  yield { event: "end", data: { status: run.status, stop_reason: run.stopReason ?? null } };
}
