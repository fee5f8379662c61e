/** Works on one run, from its claim to its last frame. The one place where a run's failure is caught. */
import { setTimeout as sleep } from "node:timers/promises";
import { END } from "@langchain/langgraph";
import { DeerflowError, reasonOf } from "../base/errors.js";
import type { JsonObject } from "../base/json.js";
import type { Logger } from "../base/logger.js";
import type { AgentFactory, AgentGraph, PreparedAgent } from "../agent/contract.js";
import type { NewRunEvent, Persistence, RunRecord } from "../persistence/contract.js";
import type { StreamBridge } from "./bridge/contract.js";
import { commandUpdate, givesUp, graphInput } from "./graph-command.js";
import { RunJournal, summarise } from "./run-journal.js";
import { completed, failed, type RunEnding, RunStopped, stopped } from "./run-outcome.js";
import type { RunJob } from "./run-queue/contract.js";
import { RequestMedia, withRequestMedia } from "./request-media.js";
import { parseRunRequest, type RunLimits, type RunRequest } from "./run-request.js";
import { toJson } from "./serialization.js";
import { withLostInput } from "./lost-input.js";
import { findStart, type StartPoint, threadConfig, valuesNow } from "./start-point.js";
import { storedMedia } from "./stored-media.js";
import { parseGraphPart, StreamFramer } from "./stream-frames.js";
import { graphModes } from "./stream-modes.js";
import { untilStored } from "./until-stored.js";
import { type TrackedSaver, trackSaver } from "./tracked-saver.js";

export interface RunWorkerOptions {
  readonly persistence: Persistence;
  readonly bridge: StreamBridge;
  readonly agents: AgentFactory;
  readonly limits: RunLimits;
  readonly logger: Logger;
}

/** One run while it is worked on. */
interface Work {
  readonly job: RunJob;
  readonly record: RunRecord;
  readonly request: RunRequest;
  /** The media of the request as its row has it. */
  readonly media: RequestMedia;
  readonly signal: AbortSignal;
}

/** More runs in a row than a process could lose. */
const EARLIER_RUNS = 20;

export class RunWorker {
  readonly #options: RunWorkerOptions;
  readonly #closing = new AbortController();

  constructor(options: RunWorkerOptions) {
    this.#options = options;
  }

  /** Lets runs that wait for their database go: the next start ends them. */
  close(): void {
    this.#closing.abort();
  }

  /** Resolves when the run is over and everything about it is stored. Never rejects. */
  async execute(job: RunJob, signal: AbortSignal): Promise<void> {
    const { bridge, logger } = this.#options;
    try {
      await this.#claimAndRun(job, signal);
    } catch (error) {
      // The run could not even be noted as failed (a broken disk, say): its readers must not wait for ever.
      logger.error("A run could not be finished.", { runId: job.runId, reason: reasonOf(error) });
      await bridge.publish(job.runId, "error", { error: "internal", message: reasonOf(error) });
    } finally {
      await bridge.end(job.runId);
    }
  }

  async #claimAndRun(job: RunJob, signal: AbortSignal): Promise<void> {
    const { persistence, bridge, limits } = this.#options;
    const { principal, threadId, runId } = job;
    const record = await this.#stored(job, () => persistence.runs.claim(principal, threadId, runId));
    if (record === undefined) return;
    await this.#stored(job, () => persistence.threads.update(principal, threadId, { status: "busy" }));
    await bridge.publish(runId, "metadata", { run_id: runId, attempt: record.epoch });
    await this.#append(job, [
      { runId, eventType: "run.start", content: { assistant_id: record.assistantId } },
    ]);
    const request = parseRunRequest(record.request, limits);
    const work: Work = { job, record, signal, request, media: new RequestMedia(record.request, threadId) };
    await this.#finish(work, await this.#runToEnding(work));
  }

  /** Everything that the agent does, and how it ended. */
  async #runToEnding(work: Work): Promise<RunEnding> {
    const { persistence, agents, logger } = this.#options;
    const { job, request, signal } = work;
    const { threadId, runId } = job;
    // Once another process has taken the run over, this one stores nothing for it any more.
    const fence = { threadId, runId, epoch: work.record.epoch };
    const { saver, settled } = trackSaver(persistence.checkpointer(job.principal, fence), stampOf(work));
    let agent: PreparedAgent | undefined;
    try {
      signal.throwIfAborted();
      agent = await agents({
        principal: job.principal,
        threadId: job.threadId,
        runId: job.runId,
        assistantId: request.assistantId,
        context: request.context,
        checkpointer: saver,
      });
      const content = { model_name: agent.modelName };
      await this.#append(job, [{ runId: job.runId, eventType: "model.chosen", content }]);
      return await this.#stream({ ...work, settled }, agent.graph);
    } catch (error) {
      if (signal.reason instanceof RunStopped) return stopped(signal.reason.action);
      const ending = failed(error);
      if (ending.failure !== undefined) {
        logger.warn("A run failed.", {
          runId: job.runId,
          error: ending.failure.error,
          reason: reasonOf(error),
        });
      }
      return ending;
    } finally {
      await agent?.close();
    }
  }

  async #stream(work: Work & Pick<TrackedSaver, "settled">, graph: AgentGraph): Promise<RunEnding> {
    const { job, request, signal } = work;
    const start = await findStart(graph, job.threadId, request);
    await this.#requireFork(job, start);
    const { threadId } = job;
    const journal = new RunJournal({
      runId: job.runId,
      threadId,
      caller: request.assistantId,
      values: start.values,
    });
    const framer = new StreamFramer({
      threadId,
      modes: request.streamModes,
      subgraphs: request.streamSubgraphs,
    });
    try {
      const whole = await this.#wholeRequest(work, start);
      if (givesUp(whole)) await giveUp(graph, { job, request: whole });
      const stream = await graph.stream(graphInput(whole), streamConfig(work, start));
      for await (const item of stream) await this.#pass(work, { item, journal, framer });
      signal.throwIfAborted();
    } catch (error) {
      await work.settled();
      const stop: unknown = signal.reason;
      if (stop instanceof RunStopped) await this.#settle(work, { graph, journal, start, stop });
      throw error;
    } finally {
      await this.#noteState(work, graph);
    }
    return completed(journal.interrupted || (await isPaused(graph, work)));
  }

  /** The graph would begin a new state in place of a checkpoint that was pruned while the run waited. */
  async #requireFork({ principal, threadId }: RunJob, { fork }: StartPoint): Promise<void> {
    if (fork === undefined) return;
    const checkpointer = this.#options.persistence.checkpointer(principal);
    if ((await checkpointer.getTuple(threadConfig(threadId, fork))) !== undefined) return;
    throw new DeerflowError("checkpoint_not_found", { threadId, checkpointId: fork });
  }

  /** What earlier runs have lost is in it, and the media that it names by address. */
  async #wholeRequest({ job, request }: Work, start: StartPoint): Promise<RunRequest> {
    const { principal, threadId } = job;
    const whole = withLostInput(request, await this.#earlierRuns(job), start.values);
    const checkpointer = this.#options.persistence.checkpointer(principal);
    return withRequestMedia(whole, threadId, storedMedia(checkpointer, threadId));
  }

  /** Newest first. */
  async #earlierRuns({ principal, threadId, runId }: RunJob): Promise<readonly RunRecord[]> {
    const page = { limit: EARLIER_RUNS, offset: 0 };
    const runs = await this.#options.persistence.runs.list(principal, threadId, page);
    return runs.slice(runs.findIndex((run) => run.runId === runId) + 1);
  }

  /** One part of the graph's stream: first into the log, then to the readers. */
  async #pass(work: Work, part: { item: unknown; journal: RunJournal; framer: StreamFramer }): Promise<void> {
    const { job } = work;
    const parsed = parseGraphPart(part.item);
    const events = part.journal.observe(parsed);
    if (events.length > 0) {
      await this.#append(job, events);
      await this.#noteSummary(job, part.journal.summary);
      await this.#lightenRow(work);
    }
    for (const { event, data } of part.framer.frames(parsed)) {
      await this.#options.bridge.publish(job.runId, event, data);
    }
  }

  /** After a stop: keep what the model had written, or go back to where the run began. */
  async #settle(
    { job }: Work,
    {
      graph,
      journal,
      start,
      stop,
    }: { graph: AgentGraph; journal: RunJournal; start: StartPoint; stop: RunStopped },
  ): Promise<void> {
    try {
      if (stop.action === "rollback") return await this.#rollBack(job, graph, start);
      for (const { message, node } of journal.unfinished()) {
        await graph.updateState(threadConfig(job.threadId), { messages: [message] }, node);
        await this.#append(job, [journal.messageEvent(message)]);
      }
    } catch (error) {
      // The run is stopped all the same; only its traces are not as they should be.
      this.#options.logger.error("A stopped run left its thread unsettled.", {
        runId: job.runId,
        reason: reasonOf(error),
      });
    }
  }

  /** The state before the run becomes the newest again, as a copy: nothing is deleted that others point to. */
  async #rollBack(job: RunJob, graph: AgentGraph, start: StartPoint): Promise<void> {
    if (start.checkpointId === undefined) {
      await this.#options.persistence.checkpointer(job.principal).deleteThread(job.threadId);
    } else {
      await graph.updateState(threadConfig(job.threadId, start.checkpointId), null, "__copy__");
    }
  }

  /** From the state and not from the journal: a stop adds the unfinished answer to it, or takes everything back. */
  async #noteState(work: Work, graph: AgentGraph): Promise<void> {
    const { job } = work;
    try {
      await this.#lightenRow(work);
      await this.#noteSummary(job, summarise(await valuesNow(graph, job.threadId)));
    } catch (error) {
      // The list shows an older summary; how the run itself ended must not be hidden by that.
      this.#options.logger.error("A thread's summary could not be renewed.", {
        threadId: job.threadId,
        reason: reasonOf(error),
      });
    }
  }

  /** Media that the checkpoints hold does not stay in the run's row as well. */
  async #lightenRow({ job, record, media }: Work): Promise<void> {
    const { persistence } = this.#options;
    const { principal, threadId, runId } = job;
    const light = await media.lighten(storedMedia(persistence.checkpointer(principal), threadId));
    if (light === undefined) return;
    await persistence.runs.replaceRequest(principal, { threadId, runId, epoch: record.epoch }, light);
  }

  async #noteSummary({ principal, threadId }: RunJob, values: JsonObject): Promise<void> {
    await this.#options.persistence.threads.update(principal, threadId, { values });
  }

  /** Durable first, then the frames that tell of it: who sees `end` finds everything stored. */
  async #finish({ job, record }: Work, { outcome, threadStatus, failure }: RunEnding): Promise<void> {
    const { persistence, bridge } = this.#options;
    const { principal, threadId, runId } = job;
    await this.#append(job, [
      failure === undefined
        ? {
            runId,
            eventType: "run.end",
            content: { status: outcome.status, stop_reason: outcome.stopReason ?? null },
          }
        : { runId, eventType: "run.error", content: { ...failure } },
    ]);
    const owned = { threadId, runId, epoch: record.epoch };
    await this.#stored(job, () => persistence.runs.finish(principal, owned, outcome));
    await this.#stored(job, () => persistence.threads.update(principal, threadId, { status: threadStatus }));
    if (failure !== undefined) await bridge.publish(runId, "error", { ...failure });
    await bridge.publish(runId, "end", { status: outcome.status, stop_reason: outcome.stopReason ?? null });
  }

  async #append(job: RunJob, events: readonly NewRunEvent[]): Promise<void> {
    const { principal, threadId } = job;
    await this.#stored(job, () => this.#options.persistence.events.append(principal, threadId, events));
  }

  /** A run whose beginning or end is not stored keeps its thread: it waits until the database takes it. */
  #stored<T>({ runId }: RunJob, work: () => Promise<T>): Promise<T> {
    const { logger } = this.#options;
    return untilStored(work, {
      signal: this.#closing.signal,
      // Ending early is what the signal is for.
      wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
      onWait: ({ sentence }) => logger.warn("A run waits for its database.", { runId, reason: sentence }),
    });
  }
}

/** What the checkpoints of a run, and its traces, say of it. */
const stampOf = ({ job, request }: Pick<Work, "job" | "request">) => ({
  run_id: job.runId,
  assistant_id: request.assistantId,
  graph_id: request.assistantId,
});

function streamConfig({ job, request, signal }: Work, { fork }: StartPoint): Record<string, unknown> {
  const { configurable } = threadConfig(job.threadId, fork);
  return {
    configurable: { ...configurable, run_id: job.runId },
    metadata: {
      ...(toJson(request.metadata, job.threadId) as Record<string, unknown>), // metadata is an object by its schema
      ...stampOf({ job, request }),
    },
    // A client may see only what a crash cannot take back.
    durability: "sync",
    streamMode: graphModes(request.streamModes),
    subgraphs: request.streamSubgraphs,
    recursionLimit: request.recursionLimit,
    signal,
    ...(request.interruptBefore === undefined ? {} : { interruptBefore: request.interruptBefore }),
    ...(request.interruptAfter === undefined ? {} : { interruptAfter: request.interruptAfter }),
  };
}

/** Drops the steps that the graph still had before it, an interrupted one with them. */
async function giveUp(graph: AgentGraph, { job, request }: Pick<Work, "job" | "request">): Promise<void> {
  const update = commandUpdate(request.command ?? {});
  if (update !== null) await graph.updateState(threadConfig(job.threadId), update);
  await graph.updateState(threadConfig(job.threadId), null, END);
}

/** Whether the graph stands at a breakpoint that the request set. */
async function isPaused(graph: AgentGraph, { job, request }: Work): Promise<boolean> {
  if (request.interruptBefore === undefined && request.interruptAfter === undefined) return false;
  const snapshot = await graph.getState(threadConfig(job.threadId));
  const { next } = snapshot as { next?: unknown }; // a StateSnapshot, read with care
  return Array.isArray(next) && next.length > 0;
}
