/** Follows one thread: loads it, sends to it, streams its run, and tells listeners when the view has changed. */
import { FROM_THE_START, type RunPayload, type ThreadState } from "@deerflow/protocol";
import { systemClock, type Clock } from "./clock.js";
import { streamFrames, type StreamFrame } from "./event-source.js";
import { GatewayError, refusalOf, sentenceFor } from "./gateway-error.js";
import type { GatewayClient } from "./http.js";
import { recordOf, textOf } from "./json.js";
import { newId } from "./new-id.js";
import { emptyThreadView, isBusy, threadView, type ThreadAction, type ThreadView } from "./thread-view.js";
import type { AttachedFile, ViewMessage } from "./view-message.js";

export interface ObserverOptions {
  readonly client: GatewayClient;
  readonly clock?: Clock;
  readonly createId?: () => string;
  /** Frames that come within this time are told together; 0 tells each at once. */
  readonly batchMs?: number;
}

/** What a person sends. */
export interface Outgoing {
  readonly text: string;
  readonly files?: readonly AttachedFile[];
  /** A name of the model list; the default when absent. */
  readonly model?: string | undefined;
}

interface Followed {
  readonly threadId: string;
  readonly runId: string | undefined;
  readonly lastId: string | undefined;
  /** Opens the stream that starts the run; absent when the run is already there. */
  start?(signal: AbortSignal): Promise<Response>;
}

/** A run that was followed to its end. */
interface Ended {
  readonly runId: string | undefined;
  readonly status: string | undefined;
  readonly error: string | undefined;
}

/** A gap may come again while a very fast run goes on; after so many the thread is only reloaded. */
const MOST_GAPS = 5;
const RUN_IN_HEADER = /\/runs\/([^/?]+)/;

const humanMessage = (id: string, { text, files = [] }: Outgoing): ViewMessage => ({
  id,
  role: "human",
  text,
  reasoning: "",
  calls: [],
  files,
  streaming: false,
});

/** What is asked of the gateway for one message. */
export const runPayloadOf = (threadId: string, messageId: string, outgoing: Outgoing): RunPayload => ({
  assistant_id: "lead_agent",
  input: {
    messages: [
      {
        type: "human",
        id: messageId,
        content: [{ type: "text", text: outgoing.text }],
        additional_kwargs: {
          files: (outgoing.files ?? []).map(({ filename, size, path }) => ({
            filename,
            size,
            path,
            status: "uploaded",
          })),
        },
      },
    ],
  },
  context: {
    thread_id: threadId,
    is_plan_mode: true,
    ...(outgoing.model === undefined ? {} : { model_name: outgoing.model }),
  },
  stream_mode: ["values", "messages-tuple", "updates", "custom"],
  stream_resumable: true,
  on_disconnect: "continue",
});

/** @example const observer = new ThreadObserver({ client }); await observer.load(id); */
export class ThreadObserver {
  readonly #client: GatewayClient;
  readonly #clock: Clock;
  readonly #createId: () => string;
  readonly #batchMs: number;
  readonly #listeners = new Set<() => void>();
  #view: ThreadView = emptyThreadView;
  #shown: ThreadView = emptyThreadView;
  #cancelTelling: (() => void) | undefined;
  /** Aborted when another thread is opened: nothing late may reach the view. */
  #visit = new AbortController();

  constructor({ client, clock = systemClock, createId = newId, batchMs = 40 }: ObserverOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#createId = createId;
    this.#batchMs = batchMs;
  }

  /** The same object until something has changed. */
  readonly getSnapshot = (): ThreadView => this.#shown;

  /** @returns a function that ends the subscription */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Shows an existing thread; joins its run when one is under way. Ends when both are read. */
  async load(threadId: string): Promise<void> {
    const signal = this.#leave();
    this.#apply({ type: "open", threadId });
    await this.#guard(signal, "idle", () => this.#readAndFollow(threadId, signal));
  }

  /** Shows a thread that does not exist yet. */
  open(threadId: string): void {
    this.#leave();
    this.#apply({ type: "open", threadId });
    this.#apply({ type: "settle" });
  }

  /** Looks whether something happened elsewhere; does nothing while a run is followed. */
  async refresh(): Promise<void> {
    const { threadId, phase } = this.#view;
    if (threadId === undefined || (isBusy(phase) && phase !== "lost") || phase === "loading") return;
    await this.#guard(this.#visit.signal, phase, () => this.#readAndFollow(threadId, this.#visit.signal));
  }

  /**
   * Sends a message and follows the run that it starts.
   *
   * @returns false when the gateway did not take it; the view then says why
   */
  async send(outgoing: Outgoing): Promise<boolean> {
    const { threadId, phase } = this.#view;
    if (threadId === undefined || isBusy(phase)) return false;
    const { signal } = this.#visit;
    const messageId = this.#createId();
    this.#apply({ type: "send", message: humanMessage(messageId, outgoing) });
    try {
      await this.#client.createThread(threadId);
      signal.throwIfAborted();
      const payload = runPayloadOf(threadId, messageId, outgoing);
      const response = await this.#client.startRun(threadId, payload, signal);
      if (!response.ok) throw await refusalOf(response);
      this.#detach({ threadId, runId: undefined, lastId: undefined, start: async () => response }, signal);
      return true;
    } catch (error) {
      if (!signal.aborted) this.#apply({ type: "unsend", messageId, error: sentenceFor(error) });
      return false;
    }
  }

  /** Asks the gateway to end the run; the stream then tells how it ended. */
  async stop(): Promise<void> {
    const { threadId, runId, phase } = this.#view;
    if (threadId === undefined || runId === undefined || phase !== "running") return;
    this.#apply({ type: "stop" });
    await this.#guard(this.#visit.signal, "lost", () => this.#client.cancelRun(threadId, runId));
  }

  /** Ends every connection; the observer can be used again. */
  close(): void {
    this.#leave();
  }

  /**
   * Reads what is durable and joins the oldest run under way. The runs are asked for first: one that ends in
   * between is then joined and told whole, never missed.
   */
  async #readAndFollow(threadId: string, signal: AbortSignal, ended?: Ended): Promise<void> {
    const runs = await this.#client.runs(threadId);
    const state = await this.#client.state(threadId);
    signal.throwIfAborted();
    this.#applyState(state);
    const active = runs.findLast(
      ({ status, run_id }) => (status === "pending" || status === "running") && run_id !== ended?.runId,
    );
    if (active) {
      this.#apply({ type: "follow", runId: active.run_id, replay: true });
      this.#detach({ threadId, runId: active.run_id, lastId: undefined }, signal);
      return;
    }
    const last = runs[0];
    const error = last?.error ?? ended?.error;
    this.#apply({ type: "settle", status: ended?.status ?? last?.status, error });
  }

  /** Follows a run without anybody waiting for it; what goes wrong is in the view. */
  #detach(followed: Followed, signal: AbortSignal): void {
    void this.#guard(signal, "lost", () => this.#follow(followed, signal));
  }

  async #follow(followed: Followed, signal: AbortSignal): Promise<void> {
    let current = followed;
    for (let gaps = 0; gaps <= MOST_GAPS; gaps += 1) {
      const last = await this.#followUntilEnd(current, signal);
      if (last?.event !== "gap") return this.#settle(current.threadId, last, signal);
      const state = await this.#client.state(current.threadId);
      signal.throwIfAborted();
      this.#applyState(state);
      const gap = recordOf(last.data);
      const runId = textOf(gap["run_id"]) ?? this.#view.runId;
      current = { threadId: current.threadId, runId, lastId: textOf(gap["latest_available_event_id"]) };
    }
    await this.#settle(current.threadId, undefined, signal);
  }

  /** @returns the last frame */
  async #followUntilEnd(followed: Followed, signal: AbortSignal): Promise<StreamFrame | undefined> {
    const { threadId } = followed;
    let { start, runId } = followed;
    const open = async (lastId: string | undefined, connection: AbortSignal): Promise<Response> => {
      if (start === undefined) {
        const run = { threadId, runId: runId ?? this.#view.runId ?? "" };
        return this.#client.joinRun(run, lastId ?? FROM_THE_START, connection);
      }
      const response = await start(connection);
      start = undefined;
      runId = RUN_IN_HEADER.exec(response.headers.get("content-location") ?? "")?.[1];
      this.#apply({ type: "follow", runId: runId ?? "", replay: false });
      return response;
    };
    const frames = streamFrames(
      { open, resumable: () => start === undefined && (runId ?? this.#view.runId ?? "") !== "" },
      {
        signal,
        clock: this.#clock,
        lastId: followed.lastId,
        onConnection: (connected) => this.#apply({ type: "connection", connected }),
      },
    );
    let last: StreamFrame | undefined;
    for await (const frame of frames) {
      last = frame;
      this.#apply({ type: "frame", frame });
    }
    return last;
  }

  /** The stream is over: what is durable has the last word, save for an answer that was cut off. */
  async #settle(threadId: string, last: StreamFrame | undefined, signal: AbortSignal): Promise<void> {
    const status = textOf(recordOf(last?.data)["status"]);
    const { runId, error } = this.#view;
    this.#apply({ type: "settle", status });
    if (status === "interrupted" || status === "timeout") return;
    await this.#readAndFollow(threadId, signal, { runId, status, error });
  }

  /** Turns a failure into a sentence in the view; says nothing when the thread was left meanwhile. */
  async #guard(signal: AbortSignal, phase: ThreadView["phase"], work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      const lost = phase === "lost" && error instanceof GatewayError && error.kind === "offline";
      const missing = this.#view.phase === "loading" && error instanceof GatewayError && error.status === 404;
      this.#apply({ type: "fail", error: sentenceFor(error), phase: lost ? "lost" : "idle", missing });
    }
  }

  #leave(): AbortSignal {
    this.#visit.abort(new Error("left"));
    this.#visit = new AbortController();
    return this.#visit.signal;
  }

  #applyState({ values, tasks }: ThreadState): void {
    const waits = tasks.some(({ interrupts }) => interrupts.length > 0);
    this.#apply({ type: "state", values, waits });
  }

  #apply(action: ThreadAction): void {
    this.#view = threadView(this.#view, action);
    if (this.#view === this.#shown) return;
    if (this.#batchMs === 0 || action.type !== "frame") return this.#tell();
    this.#cancelTelling ??= this.#clock.after(this.#batchMs, () => this.#tell());
  }

  #tell(): void {
    this.#cancelTelling?.();
    this.#cancelTelling = undefined;
    this.#shown = this.#view;
    for (const listener of this.#listeners) listener();
  }
}
