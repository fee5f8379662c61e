/** Typed calls to a gateway. Every failure is a GatewayError with a sentence for a person. */
import {
  artifactUrl,
  health,
  modelList,
  run,
  thread,
  threadState,
  uploadLimits,
  uploadList,
  type Health,
  type ModelList,
  type Run,
  type RunPayload,
  type Thread,
  type ThreadSearch,
  type ThreadState,
  type UploadLimits,
  type UploadList,
} from "@deerflow/protocol";
import { GatewayError, refusalOf } from "./gateway-error.js";
import type { ShownImage } from "./view-message.js";

/** What a schema must be able to do; Zod schemas fit. */
interface Schema<Value> {
  safeParse(value: unknown): { success: true; data: Value } | { success: false; error: Error };
}

export interface GatewayOptions {
  /** Origin and path in front of `/api`, without a slash at the end; the page's own origin when absent. */
  readonly baseUrl?: string;
  readonly fetch?: typeof fetch;
}

interface Call {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const listSchema = <Value>(item: Schema<Value>): Schema<Value[]> => ({
  safeParse(value) {
    if (!Array.isArray(value)) return { success: false, error: new Error("expected a list") };
    const data: Value[] = [];
    for (const entry of value) {
      const parsed = item.safeParse(entry);
      if (!parsed.success) return parsed;
      data.push(parsed.data);
    }
    return { success: true, data };
  },
});

const threadPath = (threadId: string): string => `/api/threads/${encodeURIComponent(threadId)}`;
const runPath = (threadId: string, runId: string): string =>
  `${threadPath(threadId)}/runs/${encodeURIComponent(runId)}`;

/** @example const { models } = await new GatewayClient({ baseUrl: "http://127.0.0.1:2026" }).models(); */
export class GatewayClient {
  readonly #baseUrl: string;
  readonly #fetch: typeof fetch;

  constructor({ baseUrl = "", fetch: ownFetch }: GatewayOptions = {}) {
    this.#baseUrl = baseUrl;
    this.#fetch = ownFetch ?? ((input, init) => fetch(input, init));
  }

  health(signal?: AbortSignal): Promise<Health> {
    return this.#json(health, "/api/health", signal ? { signal } : {});
  }

  models(): Promise<ModelList> {
    return this.#json(modelList, "/api/models");
  }

  searchThreads(search: ThreadSearch): Promise<Thread[]> {
    return this.#json(listSchema(thread), "/api/threads/search", { method: "POST", body: search });
  }

  /** Creates the thread, or finds the one that is there. */
  createThread(threadId: string): Promise<Thread> {
    return this.#json(thread, "/api/threads", {
      method: "POST",
      body: { thread_id: threadId, if_exists: "do_nothing", metadata: {} },
    });
  }

  thread(threadId: string): Promise<Thread> {
    return this.#json(thread, threadPath(threadId));
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.#send(threadPath(threadId), { method: "DELETE" });
  }

  /** Renames a thread: the title is part of its state. */
  async renameThread(threadId: string, title: string): Promise<void> {
    await this.#send(`${threadPath(threadId)}/state`, { method: "POST", body: { values: { title } } });
  }

  state(threadId: string): Promise<ThreadState> {
    return this.#json(threadState, `${threadPath(threadId)}/state`);
  }

  /** Newest first. */
  runs(threadId: string, limit = 10): Promise<Run[]> {
    return this.#json(listSchema(run), `${threadPath(threadId)}/runs?limit=${limit}`);
  }

  /** Starts a run; the answer is its event stream, and its header `Content-Location` names the run. */
  startRun(threadId: string, payload: RunPayload, signal: AbortSignal): Promise<Response> {
    return this.#open(`${threadPath(threadId)}/runs/stream`, { method: "POST", body: payload, signal });
  }

  /** The frames of a run after `lastId` (`-1`: all of them), then those to come. */
  joinRun(run: { threadId: string; runId: string }, lastId: string, signal: AbortSignal): Promise<Response> {
    const headers = { "Last-Event-ID": lastId };
    return this.#open(`${runPath(run.threadId, run.runId)}/stream?cancel_on_disconnect=0`, {
      headers,
      signal,
    });
  }

  async cancelRun(threadId: string, runId: string): Promise<void> {
    const path = `${runPath(threadId, runId)}/cancel?wait=0&action=interrupt`;
    await this.#send(path, { method: "POST" });
  }

  /** Answers before the thread exists. */
  uploadLimits(threadId: string): Promise<UploadLimits> {
    return this.#json(uploadLimits, `${threadPath(threadId)}/uploads/limits`);
  }

  uploads(threadId: string): Promise<UploadList> {
    return this.#json(uploadList, `${threadPath(threadId)}/uploads`);
  }

  async deleteUpload(threadId: string, filename: string): Promise<void> {
    await this.#send(`${threadPath(threadId)}/uploads/${encodeURIComponent(filename)}`, { method: "DELETE" });
  }

  /** Where files are posted to (multipart, field `files`). */
  uploadAddress(threadId: string): string {
    return `${this.#baseUrl}${threadPath(threadId)}/uploads`;
  }

  /** The address of a file of the thread by its virtual path. */
  artifactAddress(threadId: string, path: string, download = false): string {
    return `${this.#baseUrl}${artifactUrl(threadId, path)}${download ? "?download=true" : ""}`;
  }

  /** The address of a picture of a message, which the message has without the server. */
  imageAddress({ address }: ShownImage): string {
    return address.startsWith("/") ? `${this.#baseUrl}${address}` : address;
  }

  /** The content of a file of the thread. */
  artifact(threadId: string, path: string, signal: AbortSignal): Promise<Response> {
    return this.#send(artifactUrl(threadId, path), { signal });
  }

  async #json<Value>(schema: Schema<Value>, path: string, call: Call = {}): Promise<Value> {
    const response = await this.#send(path, call);
    const body: unknown = await response.json().catch((cause: unknown) => {
      throw new GatewayError("broken", "The gateway's answer is no JSON.", response.status, cause);
    });
    const parsed = schema.safeParse(body);
    if (parsed.success) return parsed.data;
    throw new GatewayError(
      "broken",
      "The gateway's answer has an unknown shape.",
      response.status,
      parsed.error,
    );
  }

  async #send(path: string, call: Call = {}): Promise<Response> {
    const response = await this.#open(path, call);
    if (response.ok) return response;
    throw await refusalOf(response);
  }

  async #open(path: string, { method = "GET", body, headers = {}, signal }: Call): Promise<Response> {
    const init: RequestInit = { method, headers: { ...headers }, credentials: "same-origin" };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { ...headers, "Content-Type": "application/json" };
    }
    if (signal) init.signal = signal;
    try {
      return await this.#fetch(`${this.#baseUrl}${path}`, init);
    } catch (cause) {
      signal?.throwIfAborted();
      throw new GatewayError("offline", "The gateway does not answer. Is it running?", 0, cause);
    }
  }
}
