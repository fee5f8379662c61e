import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Clock } from "./clock.js";
import { GatewayClient } from "./http.js";
import { ThreadObserver } from "./thread-observer.js";
import type { ThreadView } from "./thread-view.js";

const recorded = readFileSync(new URL("./recorded-run.sse.txt", import.meta.url), "utf8")
  .split("\n\n")
  .filter((frame) => frame !== "")
  .map((frame) => `${frame}\n\n`);
const values = (count: number): unknown => {
  const line = recorded.slice(0, count).findLast((frame) => frame.startsWith("event: values"));
  return line === undefined ? {} : JSON.parse(/^data: (.*)$/m.exec(line)?.[1] ?? "{}");
};

/** Timers fire in the next turn; the watch on silence never does. */
const clock: Clock = {
  after(milliseconds, call) {
    if (milliseconds > 10_000) return () => {};
    const timer = setImmediate(call);
    return () => clearImmediate(timer);
  },
};

const runRow = (status: string, id = "run-1", error: string | null = null) => ({
  run_id: id,
  thread_id: "t",
  assistant_id: "lead_agent",
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  status,
  metadata: {},
  multitask_strategy: "enqueue",
  error,
  stop_reason: null,
});
const threadRow = {
  thread_id: "t",
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  state_updated_at: "2026-01-01T00:00:00Z",
  metadata: {},
  status: "idle",
  values: {},
  interrupts: {},
};
const checkpoint = { thread_id: "t", checkpoint_ns: "", checkpoint_id: null, checkpoint_map: null };
const stateOf = (state: unknown, tasks: readonly unknown[] = []) => ({
  values: state,
  next: [],
  tasks,
  checkpoint,
  parent_checkpoint: null,
  metadata: {},
  created_at: null,
});
const stream = (frames: readonly string[], headers: Record<string, string> = {}) =>
  new Response(frames.join(""), { headers: { "content-type": "text/event-stream", ...headers } });

type Answer = Response | object | Error;
/** A gateway whose answers are queued by route; the last one of a queue stays. */
function scripted(routes: Readonly<Record<string, Answer[]>>) {
  const calls: string[] = [];
  const bodies: unknown[] = [];
  const ownFetch: typeof fetch = async (input, init) => {
    const path = String(input).replace(/\?.*$/, "").replace("/api/threads", "");
    const lastId = new Headers(init?.headers).get("last-event-id");
    const route = `${init?.method} ${path}`;
    calls.push(lastId === null ? route : `${route} after ${lastId}`);
    if (init?.body) bodies.push(JSON.parse(String(init.body)));
    const queue = routes[route];
    if (queue === undefined) throw new Error(`unexpected ${route}`);
    const answer = queue.length > 1 ? queue.shift() : queue[0];
    if (answer instanceof Error) throw answer;
    return answer instanceof Response ? answer : Response.json(answer);
  };
  let made = 0;
  const observer = new ThreadObserver({
    client: new GatewayClient({ fetch: ownFetch }),
    clock,
    createId: () => `h${(made += 1)}`,
    batchMs: 0,
  });
  return { calls, bodies, observer };
}

/** Resolves with the first view for which the condition holds. */
const until = (observer: ThreadObserver, holds: (view: ThreadView) => boolean): Promise<ThreadView> =>
  new Promise((resolve) => {
    const check = () => {
      const view = observer.getSnapshot();
      if (!holds(view)) return;
      unsubscribe();
      resolve(view);
    };
    const unsubscribe = observer.subscribe(check);
    check();
  });
const isDone = (view: ThreadView) => view.phase === "idle" && view.messages.some(({ id }) => id === "a3");
const ids = (view: ThreadView) => view.messages.map(({ id }) => id);
const ALL = ["h1", "a1", "t1", "a2", "t2", "t3", "a3"];
const located = { "content-location": "/threads/t/runs/run-1" };
const whole = recorded.length;

describe("ThreadObserver", () => {
  it("shows a finished thread", async () => {
    const { observer, calls } = scripted({
      "GET /t/runs": [[runRow("success")]],
      "GET /t/state": [stateOf(values(whole))],
    });
    await observer.load("t");
    expect([ids(observer.getSnapshot()), observer.getSnapshot().phase]).toEqual([ALL, "idle"]);
    expect(calls).toEqual(["GET /t/runs", "GET /t/state"]);
  });

  it("joins a run under way from its first frame, and doubles and loses nothing", async () => {
    const { observer, calls } = scripted({
      "GET /t/runs": [[runRow("running")], [runRow("success")]],
      "GET /t/state": [stateOf(values(13)), stateOf(values(whole))],
      "GET /t/runs/run-1/stream": [stream(recorded)],
    });
    await observer.load("t");
    const view = await until(observer, isDone);
    expect(ids(view)).toEqual(ALL);
    expect(view.messages.at(-1)?.text).toBe("The total is **45**.");
    expect(calls).toContain("GET /t/runs/run-1/stream after -1");
  });

  it("sends a message, follows its run, and resumes after the last frame when the stream breaks", async () => {
    const { observer, calls, bodies } = scripted({
      "POST ": [threadRow],
      "POST /t/runs/stream": [stream(recorded.slice(0, 5), located)],
      "GET /t/runs/run-1/stream": [new TypeError("network"), stream(recorded.slice(5))],
      "GET /t/runs": [[runRow("success")]],
      "GET /t/state": [stateOf(values(whole))],
    });
    observer.open("t");
    expect(await observer.send({ text: "Add up sales.csv", model: "demo" })).toBe(true);
    const view = await until(observer, isDone);
    expect(ids(view)).toEqual(ALL);
    expect(calls.filter((call) => call.includes("stream"))).toEqual([
      "POST /t/runs/stream",
      "GET /t/runs/run-1/stream after 5",
      "GET /t/runs/run-1/stream after 5",
    ]);
    expect(bodies[1]).toMatchObject({
      assistant_id: "lead_agent",
      input: { messages: [{ id: "h1", content: [{ type: "text", text: "Add up sales.csv" }] }] },
      context: { model_name: "demo" },
      on_disconnect: "continue",
    });
  });

  it("takes the message back when the gateway is not there, and never sends it twice by itself", async () => {
    const { observer, calls } = scripted({
      "POST ": [threadRow],
      "POST /t/runs/stream": [new TypeError("network")],
    });
    observer.open("t");
    expect(await observer.send({ text: "hello" })).toBe(false);
    expect([ids(observer.getSnapshot()), observer.getSnapshot().error]).toEqual([
      [],
      "The gateway does not answer. Is it running?",
    ]);
    expect(calls).toEqual(["POST ", "POST /t/runs/stream"]);
  });

  it("shows the gateway's own sentence when it refuses a message", async () => {
    const refused = Response.json({ detail: "There is no model x.", code: "model_unknown" }, { status: 422 });
    const { observer } = scripted({ "POST ": [threadRow], "POST /t/runs/stream": [refused] });
    observer.open("t");
    await observer.send({ text: "hello" });
    expect(observer.getSnapshot().error).toBe("There is no model x.");
  });

  it("reloads the state after a gap and goes on after the newest frame that is kept", async () => {
    const gap = {
      code: "stream_replay_gap",
      run_id: "run-1",
      requested_event_id: "-1",
      earliest_available_event_id: "15",
      latest_available_event_id: "20",
      recovery: "reload_durable_state",
    };
    const { observer, calls } = scripted({
      "GET /t/runs": [[runRow("running")], [runRow("success")]],
      "GET /t/state": [stateOf(values(2)), stateOf(values(20)), stateOf(values(whole))],
      "GET /t/runs/run-1/stream": [
        stream([`event: gap\ndata: ${JSON.stringify(gap)}\n\n`]),
        stream(recorded.slice(20)),
      ],
    });
    await observer.load("t");
    expect(ids(await until(observer, isDone))).toEqual(ALL);
    expect(calls.filter((call) => call.includes("stream"))).toEqual([
      "GET /t/runs/run-1/stream after -1",
      "GET /t/runs/run-1/stream after 20",
    ]);
  });

  it("asks the gateway to stop the run and keeps the answer so far", async () => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({ start: (own) => void (controller = own) });
    const say = (text: string) => controller?.enqueue(new TextEncoder().encode(text));
    const { observer, calls } = scripted({
      "POST ": [threadRow],
      "POST /t/runs/stream": [
        new Response(body, { headers: { "content-type": "text/event-stream", ...located } }),
      ],
      "POST /t/runs/run-1/cancel": [new Response(null, { status: 204 })],
    });
    observer.open("t");
    await observer.send({ text: "Add up sales.csv" });
    say(recorded.slice(0, 6).join(""));
    await until(observer, (view) => view.messages.at(-1)?.text === "I read the table first.");
    await observer.stop();
    say('event: end\ndata: {"status":"interrupted","stop_reason":"cancelled"}\nid: 7\n\n');
    const view = await until(observer, ({ phase }) => phase === "idle");
    expect([view.ending, view.messages.at(-1)?.text]).toEqual(["interrupted", "I read the table first."]);
    expect(calls).toContain("POST /t/runs/run-1/cancel");
  });

  it("lets nothing of a thread that was left reach the view", async () => {
    let release: (response: Response) => void = () => {};
    const late = new Promise<Response>((resolve) => (release = resolve));
    const ownFetch: typeof fetch = async (input) =>
      String(input).includes("/slow/")
        ? late
        : Response.json(String(input).includes("/state") ? stateOf({}) : []);
    const observer = new ThreadObserver({
      client: new GatewayClient({ fetch: ownFetch }),
      clock,
      batchMs: 0,
    });
    const slow = observer.load("slow");
    await observer.load("t");
    release(Response.json({ detail: "too late" }, { status: 500 }));
    await slow;
    expect([observer.getSnapshot().threadId, observer.getSnapshot().error]).toEqual(["t", undefined]);
  });

  it("says why the last run failed when the thread is opened later", async () => {
    const { observer } = scripted({
      "GET /t/runs": [[runRow("error", "run-1", "The model is not there.")]],
      "GET /t/state": [stateOf(values(2))],
    });
    await observer.load("t");
    expect(observer.getSnapshot().error).toBe("The model is not there.");
  });

  it("says that a thread waits for a person when it is opened later", async () => {
    const task = { id: "1", name: "tools", path: [], error: null, checkpoint: null, state: null };
    const { observer } = scripted({
      "GET /t/runs": [[runRow("interrupted")]],
      "GET /t/state": [stateOf(values(2), [{ ...task, interrupts: [{ id: "i", value: "May I?" }] }])],
    });
    await observer.load("t");
    expect(observer.getSnapshot().ending).toBe("waiting");
  });

  it("tells a thread that is not there from one that cannot be read", async () => {
    const refused = (status: number) => Response.json({ detail: "No." }, { status });
    const { observer } = scripted({
      "GET /t/runs": [refused(404), refused(500), []],
      "GET /t/state": [stateOf({})],
    });
    const seen: unknown[] = [];
    for (let time = 0; time < 3; time += 1) {
      await observer.load("t");
      const { missing, error } = observer.getSnapshot();
      seen.push([missing, error]);
    }
    expect(seen).toEqual([
      [true, "No."],
      [false, "No."],
      [false, undefined],
    ]);
  });

  it("finds a run that was started elsewhere when it looks again", async () => {
    const { observer } = scripted({
      "GET /t/runs": [[], [runRow("running")], [runRow("success")]],
      "GET /t/state": [stateOf({}), stateOf(values(2)), stateOf(values(whole))],
      "GET /t/runs/run-1/stream": [stream(recorded)],
    });
    await observer.load("t");
    expect(ids(observer.getSnapshot())).toEqual([]);
    await observer.refresh();
    expect(ids(await until(observer, isDone))).toEqual(ALL);
  });
});
