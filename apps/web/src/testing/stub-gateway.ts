/** A gateway that plays one scripted run, frame by frame as the test lets it, and serves the built workspace. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import {
  PAGE_PATH,
  REPORT,
  REPORT_PATH,
  scriptedRun,
  TABLE_PATH,
  type ScriptedFrame,
} from "./scripted-run.js";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "font-src 'self'; frame-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'";
const FILES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  [REPORT_PATH]: ["text/markdown", REPORT],
  [TABLE_PATH]: ["text/csv", "region,revenue\nNorth,774.50\nSouth,534.00\nEast,388.50\nWest,205.80\n"],
  [PAGE_PATH]: [
    "text/html",
    "<style>h1{color:#1f5c4a}</style><h1>Sales</h1><script>document.title='ran'</script>",
  ],
};
const WHEN = "2026-11-30T09:00:00.000Z";

interface StubThread {
  readonly id: string;
  title: string | undefined;
  frames: ScriptedFrame[];
  /** How many of the frames have been said. */
  said: number;
  stopped: boolean;
  /** True when the run has ended with a question to a person. */
  waits: boolean;
  readonly watchers: Set<() => void>;
}

export class StubGateway {
  readonly threads = new Map<string, StubThread>();
  /** Names of the uploaded files, in order. */
  readonly uploads: string[] = [];
  readonly cancelled: string[] = [];
  /** Every request is dropped while this is true. */
  offline = false;
  /** A request for which this holds is dropped. */
  loses: (path: string) => boolean = () => false;
  /** The list of threads stays empty while this is true. */
  unlisted = false;
  #webRoot = "";
  #server = createServer((request, response) => {
    if (this.offline || this.loses(request.url ?? "")) return void request.socket.destroy();
    this.#answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(JSON.stringify({ detail: String(error) }));
    });
  });

  /** @returns its address */
  async start(webRoot: string): Promise<string> {
    this.#webRoot = webRoot;
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const { port } = this.#server.address() as AddressInfo; // it listens on a port, not on a pipe
    return `http://127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  /** Cuts every connection, as a network does. */
  dropConnections(): void {
    this.#server.closeAllConnections();
  }

  /** Says the next frames of the newest run, `pause` milliseconds apart, up to the first for which `until` holds. */
  async play(until: (frame: ScriptedFrame) => boolean = () => false, pause = 0): Promise<void> {
    const thread = [...this.threads.values()].findLast(({ frames }) => frames.length > 0);
    if (thread === undefined) throw new Error("no run was started");
    while (thread.said < thread.frames.length && !thread.stopped) {
      const frame = thread.frames[thread.said];
      thread.said += 1;
      for (const watch of thread.watchers) watch();
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      if (frame !== undefined && until(frame)) return;
    }
  }

  #thread(id: string): StubThread {
    const known = this.threads.get(id);
    if (known) return known;
    const made: StubThread = {
      id,
      title: undefined,
      frames: [],
      said: 0,
      stopped: false,
      waits: false,
      watchers: new Set(),
    };
    this.threads.set(id, made);
    return made;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://stub");
    if (!pathname.startsWith("/api/")) return this.#page(pathname, response);
    const body = await bodyOf(request);
    const route = `${request.method} ${pathname.replace(/^\/api\/threads\/[^/]+/, "/t")}`;
    const id = /^\/api\/threads\/([^/]+)/.exec(pathname)?.[1] ?? "";
    const json = (value: unknown, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (route === "GET /api/health") return void json(HEALTH);
    if (route === "GET /api/models") return void json(MODELS);
    if (pathname === "/api/threads/search")
      return void json(this.unlisted ? [] : [...this.threads.values()].map(threadRow).toReversed());
    if (route === "POST /api/threads") return void json(threadRow(this.#thread(JSON.parse(body).thread_id)));
    if (route === "GET /t/uploads/limits") return void json(LIMITS);
    if (route === "POST /t/uploads") return void json(this.#upload(body));
    if (route.startsWith("GET /t/artifacts")) return artifact(pathname, response);
    const thread = this.threads.get(id);
    if (thread === undefined)
      return void json({ detail: `There is no thread ${id}.`, code: "thread_missing" }, 404);
    if (route === "DELETE /t") return void (this.threads.delete(id), response.writeHead(204).end());
    if (route === "GET /t/state") return void json(stateRow(thread));
    if (route === "POST /t/state") {
      thread.title = JSON.parse(body).values.title;
      return void json({});
    }
    if (route === "GET /t/runs") return void json(runRows(thread));
    if (route.endsWith("/cancel")) {
      this.cancelled.push(id);
      thread.stopped = true;
      for (const watch of thread.watchers) watch();
      return void response.writeHead(204).end();
    }
    if (route === "POST /t/runs/stream") {
      thread.frames = scriptedRun("run-1", JSON.parse(body).input.messages[0]);
      return stream(thread, 0, response);
    }
    return stream(thread, Number(request.headers["last-event-id"] ?? -1) + 1, response);
  }

  #upload(body: string) {
    const filename = /filename="([^"]*)"/.exec(body)?.[1] ?? "unnamed";
    this.uploads.push(filename);
    const path = `/mnt/user-data/uploads/${filename}`;
    const file = {
      filename,
      original_filename: filename,
      size: 684,
      path,
      virtual_path: path,
      artifact_url: "",
    };
    return { success: true, files: [file], skipped_files: [], message: "" };
  }

  async #page(pathname: string, response: ServerResponse): Promise<void> {
    const path = extname(pathname) === "" ? "/index.html" : pathname;
    const content = await readFile(join(this.#webRoot, path)).catch(() => undefined);
    const type = TYPES[extname(path)] ?? "application/octet-stream";
    if (content === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": type, "content-security-policy": POLICY }).end(content);
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer); // no encoding is set, so parts are buffers
  return Buffer.concat(parts).toString("utf8");
}

const isOver = (thread: StubThread): boolean => thread.stopped || thread.said >= thread.frames.length;

function stream(thread: StubThread, from: number, response: ServerResponse): void {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "content-location": `/threads/${thread.id}/runs/run-1`,
  });
  response.write(": connected\n\n");
  let next = from;
  const write = () => {
    for (; next < thread.said; next += 1) {
      const frame = thread.frames[next];
      response.write(`event: ${frame?.event}\ndata: ${JSON.stringify(frame?.data)}\nid: ${next}\n\n`);
    }
    if (thread.stopped)
      response.write(`event: end\ndata: {"status":"interrupted","stop_reason":"cancelled"}\nid: ${next}\n\n`);
    if (isOver(thread)) response.end();
  };
  thread.watchers.add(write);
  response.on("close", () => thread.watchers.delete(write));
  write();
}

function artifact(pathname: string, response: ServerResponse): void {
  const path = decodeURIComponent(pathname.replace(/^\/api\/threads\/[^/]+\/artifacts/, ""));
  const file = FILES[path];
  if (file === undefined)
    response.writeHead(404).end(JSON.stringify({ detail: `There is no file ${path}.` }));
  else
    response
      .writeHead(200, {
        "content-type": `${file[0]}; charset=utf-8`,
        "content-disposition": file[0] === "text/html" ? "attachment" : "inline",
        "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
      })
      .end(file[1]);
}

const valuesOf = (thread: StubThread): Record<string, unknown> => {
  const last = thread.frames.slice(0, thread.said).findLast(({ event }) => event === "values");
  return { ...(last?.data as Record<string, unknown> | undefined) }; // values frames hold a record
};

const threadRow = (thread: StubThread) => ({
  thread_id: thread.id,
  created_at: WHEN,
  updated_at: WHEN,
  state_updated_at: WHEN,
  metadata: {},
  status: thread.frames.length > 0 && !isOver(thread) ? "busy" : "idle",
  values: { title: thread.title ?? valuesOf(thread)["title"] ?? "", messages: [] },
  interrupts: {},
});
const runRows = (thread: StubThread) =>
  thread.frames.length === 0
    ? []
    : [
        {
          run_id: "run-1",
          thread_id: thread.id,
          assistant_id: "lead_agent",
          created_at: WHEN,
          updated_at: WHEN,
          status: thread.stopped ? "interrupted" : isOver(thread) ? "success" : "running",
          metadata: {},
          multitask_strategy: "enqueue",
          error: null,
          stop_reason: null,
        },
      ];
const stateRow = (thread: StubThread) => ({
  values: valuesOf(thread),
  next: [],
  tasks: thread.waits
    ? [
        {
          id: "1",
          name: "tools",
          path: [],
          error: null,
          interrupts: [{ id: "i", value: "May I?" }],
          checkpoint: null,
          state: null,
        },
      ]
    : [],
  checkpoint: { thread_id: thread.id, checkpoint_ns: "", checkpoint_id: null, checkpoint_map: null },
  parent_checkpoint: null,
  metadata: {},
  created_at: null,
});
const LIMITS = { max_files: 4, max_file_size: 2 * 1024 * 1024, max_total_size: 4 * 1024 * 1024 };
const HEALTH = {
  status: "healthy",
  service: "deerflow",
  version: "0.1.0",
  sandbox: {
    provider: "bubblewrap",
    available: true,
    reason: "Commands run isolated.",
    limits: "A control group keeps the limits.",
    network: "Commands reach no network.",
  },
  model: { name: "demo", source: "demo", reason: "" },
  database: "",
};
const model = (name: string, display_name: string, source: string, reason: string) => ({
  id: name,
  name,
  model: name,
  display_name,
  provider: "openai",
  source,
  reason,
  supports_thinking: false,
  supports_reasoning_effort: false,
  supports_vision: false,
});
const MODELS = {
  models: [
    model("demo", "demo/scripted-1", "demo", "No model is configured."),
    model("small", "Small model", "config", "From config.yaml."),
  ],
  token_usage: { enabled: false },
};
