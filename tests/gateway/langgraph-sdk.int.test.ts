/** The unmodified LangGraph SDK as the client, over a real socket. */
import { Client } from "@langchain/langgraph-sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ScriptedGateway, startScriptedGateway } from "./scripted-gateway.js";

interface Part {
  readonly id?: string | undefined;
  readonly event: string;
  readonly data: unknown;
}

const ASSISTANT = "lead_agent";
const ask = (text: string) => ({ input: { messages: [{ role: "user", content: text }] } });
const MODES = { streamMode: ["values", "messages-tuple"] as ["values", "messages-tuple"] };

let gateway: ScriptedGateway;
let client: Client;

beforeEach(async () => {
  gateway = await startScriptedGateway();
  client = new Client({ apiUrl: gateway.apiUrl, apiKey: null });
});
afterEach(() => gateway.close());

async function collect(parts: AsyncIterable<unknown>): Promise<Part[]> {
  const all: Part[] = [];
  for await (const part of parts) all.push(part as Part);
  return all;
}

/** Reads until `enough`, and leaves the rest. */
async function readUntil(parts: AsyncIterable<unknown>, enough: (part: Part) => boolean): Promise<Part[]> {
  const read: Part[] = [];
  for await (const part of parts) {
    read.push(part as Part);
    if (enough(part as Part)) break;
  }
  return read;
}

/** The run's id, as its first frame tells it. */
const runOf = ([first]: readonly Part[]) => (first as { data: { run_id: string } }).data.run_id;
const names = (parts: readonly Part[]) => parts.map(({ event }) => event);
const said = (parts: readonly Part[]) =>
  parts
    .filter(({ event }) => event === "messages")
    .map(({ data }) => (data as [{ type: string; content: string }])[0])
    .filter(({ type }) => type === "AIMessageChunk")
    .map(({ content }) => content)
    .join("");
const contents = (values: unknown) =>
  ((values as { messages?: { content: string }[] }).messages ?? []).map(({ content }) => content);

describe("the LangGraph SDK", () => {
  it("creates a thread, streams a run and reads state and history", async () => {
    const { thread_id } = await client.threads.create();
    const created: unknown[] = [];
    const parts = await collect(
      client.runs.stream(thread_id, ASSISTANT, {
        ...ask("hello"),
        ...MODES,
        onRunCreated: (run) => created.push(run),
      }),
    );
    const expected = ["metadata", "values", "messages", "messages", "messages", "values", "end"];
    expect(names(parts)).toEqual(expected);
    expect(said(parts)).toBe("you said hello");
    expect(parts.every(({ id }) => id !== undefined && id !== "")).toBe(true);
    const run_id = runOf(parts);
    expect(created).toEqual([{ run_id, thread_id }]);

    const state = await client.threads.getState(thread_id);
    expect(contents(state.values)).toEqual(["hello", "you said hello"]);
    expect(state).toMatchObject({ next: [], tasks: [], checkpoint: { thread_id } });
    expect(state.values).not.toHaveProperty("_private");
    const history = await client.threads.getHistory(thread_id, { limit: 10 });
    expect(history.length).toBeGreaterThanOrEqual(3);
    expect(history[0]?.checkpoint.checkpoint_id).toBe(state.checkpoint.checkpoint_id);
    expect(history[0]?.parent_checkpoint?.checkpoint_id).toBe(history[1]?.checkpoint.checkpoint_id);
    expect(history.at(-1)?.parent_checkpoint).toBeNull();

    const [found] = await client.threads.search({ metadata: { graph_id: ASSISTANT } });
    expect(found).toMatchObject({ thread_id, status: "idle", values: { title: "A title" } });
    expect(await client.threads.search({ metadata: { graph_id: "other" } })).toEqual([]);
    expect(await client.runs.list(thread_id)).toMatchObject([{ run_id, status: "success" }]);
  });

  it("uses one id for a message in chunks, values and state", async () => {
    const { thread_id } = await client.threads.create();
    const parts = await collect(client.runs.stream(thread_id, ASSISTANT, { ...ask("hi"), ...MODES }));
    const chunkIds = parts.flatMap(({ event, data }) =>
      event === "messages" ? [(data as [{ id: string }])[0].id] : [],
    );
    const { values } = await client.threads.getState<{ messages: { id: string; type: string }[] }>(thread_id);
    expect(new Set(chunkIds)).toEqual(new Set([values.messages[1]?.id]));
    expect(values.messages[0]?.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("joins a running and an ended run from any event, and from the start", async () => {
    const { thread_id } = await client.threads.create();
    const { run_id } = await client.runs.create(thread_id, ASSISTANT, { ...ask("slow one"), ...MODES });
    const first = await readUntil(
      client.runs.joinStream(thread_id, run_id, { lastEventId: "-1" }),
      ({ data }) => contents(data).includes("you said slow one"),
    );
    gateway.gate.open();
    const rest = await collect(
      client.runs.joinStream(thread_id, run_id, { lastEventId: first.at(-1)?.id ?? "" }),
    );
    expect(names(rest).at(-1)).toBe("end");
    const whole = await collect(client.runs.joinStream(thread_id, run_id, { lastEventId: "-1" }));
    expect([...first, ...rest]).toEqual(whole);
    const middle = whole[3]?.id ?? "";
    expect(await collect(client.runs.joinStream(thread_id, run_id, { lastEventId: middle }))).toEqual(
      whole.slice(4),
    );
  });

  it("gives two readers the same run, one of them late", async () => {
    const { thread_id } = await client.threads.create();
    const { run_id } = await client.runs.create(thread_id, ASSISTANT, { ...ask("slow"), ...MODES });
    const early = collect(client.runs.joinStream(thread_id, run_id));
    const late = collect(client.runs.joinStream(thread_id, run_id, { lastEventId: "-1" }));
    await readUntil(client.runs.joinStream(thread_id, run_id), ({ event }) => event === "messages");
    gateway.gate.open();
    const [one, other] = await Promise.all([early, late]);
    expect(one).toEqual(other);
    expect(contents(one.findLast(({ event }) => event === "values")?.data)).toEqual([
      "slow",
      "you said slow",
      "at last",
    ]);
  });

  it("cancels a run and keeps what was said", async () => {
    const { thread_id } = await client.threads.create();
    const { run_id } = await client.runs.create(thread_id, ASSISTANT, { ...ask("half way"), ...MODES });
    let text = "";
    await readUntil(client.runs.joinStream(thread_id, run_id), (part) => {
      text += said([part]);
      return text === "you said half way";
    });
    await client.runs.cancel(thread_id, run_id, true);
    expect((await client.runs.get(thread_id, run_id)).status).toBe("interrupted");
    const state = await client.threads.getState(thread_id);
    expect(contents(state.values)).toEqual(["half way", "you said half way"]);
    expect(state.next).toEqual([]);
    expect((await client.threads.get(thread_id)).status).toBe("idle");
    await client.runs.cancel(thread_id, run_id);
  });

  it("cancels the run when the client goes away, if it asked for that", async () => {
    const { thread_id } = await client.threads.create();
    const options = { ...ask("slow"), ...MODES, onDisconnect: "cancel" as const };
    const abort = new AbortController();
    const parts = client.runs.stream(thread_id, ASSISTANT, { ...options, signal: abort.signal });
    const read = await readUntil(parts, ({ event }) => event === "messages");
    abort.abort();
    const run_id = runOf(read);
    await client.runs.join(thread_id, run_id);
    expect((await client.runs.get(thread_id, run_id)).status).toBe("interrupted");
  });

  it("lets the run go on when the client goes away and asked for nothing", async () => {
    const { thread_id } = await client.threads.create();
    const read = await readUntil(
      client.runs.stream(thread_id, ASSISTANT, { ...ask("slow"), ...MODES }),
      ({ event }) => event === "messages",
    );
    const run_id = runOf(read);
    await readUntil(client.runs.joinStream(thread_id, run_id), ({ data }) => contents(data).length === 2);
    gateway.gate.open();
    expect(contents(await client.runs.join(thread_id, run_id))).toEqual(["slow", "you said slow", "at last"]);
  });

  it("waits for a run and gives its values, or throws its error", async () => {
    const { thread_id } = await client.threads.create();
    expect(contents(await client.runs.wait(thread_id, ASSISTANT, ask("hello")))).toEqual([
      "hello",
      "you said hello",
    ]);
    await expect(client.runs.wait(thread_id, ASSISTANT, ask("fail"))).rejects.toThrow(
      "TypeError: the model broke",
    );
    expect((await client.threads.get(thread_id)).status).toBe("error");
  });

  it("serves runs on one thread in the order in which they were asked for", async () => {
    const { thread_id } = await client.threads.create();
    const texts = ["one", "two", "three"];
    const streams = [];
    for (const text of texts) {
      const { run_id } = await client.runs.create(thread_id, ASSISTANT, { ...ask(text), ...MODES });
      streams.push(collect(client.runs.joinStream(thread_id, run_id)));
    }
    await Promise.all(streams);
    const { values } = await client.threads.getState(thread_id);
    expect(contents(values)).toEqual([
      "one",
      "you said one",
      "two",
      "you said two",
      "three",
      "you said three",
    ]);
  });

  it("asks a person, and goes on with the answer", async () => {
    const { thread_id } = await client.threads.create();
    const parts = await collect(client.runs.stream(thread_id, ASSISTANT, { ...ask("ask me"), ...MODES }));
    const question = { id: expect.any(String), value: { question: "ask me" } };
    expect(parts.findLast(({ event }) => event === "values")?.data).toEqual({ __interrupt__: [question] });
    const state = await client.threads.getState(thread_id);
    expect(state).toMatchObject({ next: ["model"], tasks: [{ name: "model", interrupts: [question] }] });
    expect((await client.threads.get(thread_id)).status).toBe("interrupted");
    const values = await client.runs.wait(thread_id, ASSISTANT, { command: { resume: { ok: true } } });
    expect(contents(values)).toEqual(["ask me", 'you decided {"ok":true}']);
  });

  it("regenerates an answer from the checkpoint before it", async () => {
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, ASSISTANT, ask("hello"));
    const history = await client.threads.getHistory(thread_id);
    const before = history.find(({ next }) => next[0] === "model");
    await client.runs.wait(thread_id, ASSISTANT, { checkpoint: before?.checkpoint as never });
    const after = await client.threads.getHistory(thread_id, { limit: 20 });
    const siblings = after.filter(
      ({ parent_checkpoint }) => parent_checkpoint?.checkpoint_id === before?.checkpoint.checkpoint_id,
    );
    expect(siblings.length).toBeGreaterThanOrEqual(2);
  });

  it("changes the state, patches metadata and deletes, twice", async () => {
    const { thread_id } = await client.threads.create({ threadId: "0a0a0a0a-0000-4000-8000-000000000001" });
    await client.runs.wait(thread_id, ASSISTANT, ask("hello"));
    await client.threads.updateState(thread_id, { values: { title: "Renamed" } });
    expect((await client.threads.getState<{ title: string }>(thread_id)).values.title).toBe("Renamed");
    expect((await client.threads.get(thread_id)).values).toMatchObject({ title: "Renamed" });
    const patched = await client.threads.update(thread_id, { metadata: { deerflow_pinned: true } });
    expect(patched.metadata).toMatchObject({ deerflow_pinned: true, graph_id: ASSISTANT });
    await client.threads.delete(thread_id);
    await client.threads.delete(thread_id);
    await expect(client.threads.get(thread_id)).rejects.toThrow(/404/);
  });

  it("runs without a thread, and leaves none behind", async () => {
    expect(contents(await client.runs.wait(null, ASSISTANT, ask("hello")))).toEqual([
      "hello",
      "you said hello",
    ]);
    const parts = await collect(client.runs.stream(null, ASSISTANT, { ...ask("hello"), ...MODES }));
    expect(said(parts)).toBe("you said hello");
    await expect.poll(() => client.threads.search()).toEqual([]);
  });

  it("finds the assistant, and is refused for an unknown one before a run exists", async () => {
    const [assistant] = await client.assistants.search({ graphId: ASSISTANT, limit: 100 });
    expect(assistant).toMatchObject({ assistant_id: ASSISTANT, metadata: { created_by: "system" } });
    expect(await client.assistants.get(ASSISTANT)).toEqual(assistant);
    const { thread_id } = await client.threads.create();
    await expect(client.runs.create(thread_id, "nobody", ask("x"))).rejects.toThrow(
      /404.*no assistant nobody/s,
    );
    await expect(
      client.runs.create(thread_id, ASSISTANT, { ...ask("x"), streamMode: "events" as never }),
    ).rejects.toThrow(/422.*values, updates, messages-tuple/s);
    await expect(
      collect(
        client.runs.stream(thread_id, ASSISTANT, { ...ask("x"), multitaskStrategy: "sometimes" as never }),
      ),
    ).rejects.toThrow(/422.*multitask_strategy/s);
    expect(await client.runs.list(thread_id)).toEqual([]);
  });
});
