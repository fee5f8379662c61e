/** The unmodified LangGraph SDK against a whole installation: real agent, tools, sandbox, disk and database. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@langchain/langgraph-sdk";
import type { UploadResult } from "@deerflow/protocol";
import { LOCAL_PRINCIPAL, threadHome } from "@deerflow/harness";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Installation, ROOT } from "./support/deerflow-command.js";
import {
  asksFor,
  collect,
  lastValues,
  type Part,
  pieceOf,
  readUntil,
  type Values,
  valuesOf,
  writtenTexts,
} from "./support/sdk-reading.js";
import { sdkClient, type ServedHost, serveInstallation } from "./support/served-host.js";

const ASSISTANT = "lead_agent";
const TASK = "Analyse the uploaded table and write a report";
const TOTAL = "2980.7";
const MODES = { streamMode: ["values", "messages-tuple"] as ["values", "messages-tuple"] };
/** A word that the demo model answers with a long text and no tool. */
const GREETING = "hello";

const pace = (milliseconds: number) => `demo_model:\n  pace_milliseconds: ${milliseconds}\n`;
const say = (content: string, files: readonly unknown[] = []) => ({
  input: { messages: [{ role: "user", content, additional_kwargs: { files } }] },
});
const waitFor = async (client: Client, threadId: string, text: string): Promise<Values> =>
  (await client.runs.wait(threadId, ASSISTANT, say(text))) as unknown as Values; // the SDK does not know our state

async function uploadTable(url: string, threadId: string): Promise<UploadResult["files"]> {
  const form = new FormData();
  form.append("files", new Blob([readFileSync(join(ROOT, "examples/sales.csv"))]), "sales.csv");
  const answer = await fetch(`${url}/api/threads/${threadId}/uploads`, { method: "POST", body: form });
  return ((await answer.json()) as UploadResult).files;
}

async function startTask(client: Client, url: string): Promise<{ thread_id: string; run_id: string }> {
  const { thread_id } = await client.threads.create();
  const files = await uploadTable(url, thread_id);
  const { run_id } = await client.runs.create(thread_id, ASSISTANT, { ...say(TASK, files), ...MODES });
  return { thread_id, run_id };
}

const fetchReport = async (url: string, threadId: string): Promise<string> =>
  (await fetch(`${url}/api/threads/${threadId}/artifacts/mnt/user-data/outputs/report.md`)).text();
const stateOf = async (client: Client, threadId: string) => client.threads.getState<Values>(threadId);
const idsOf = ({ messages }: Values) => messages.map(({ id }) => id);
const openCalls = ({ messages }: Values) => {
  const answered = new Set(messages.map(({ tool_call_id }) => tool_call_id));
  return messages.flatMap(({ tool_calls = [] }) => tool_calls.filter(({ id }) => !answered.has(id)));
};

/** Names of all keys anywhere in a JSON value. */
function keysIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysIn(inner)]);
}

let installation: Installation;
let served: ServedHost;
let client: Client;
let url: string;

beforeAll(async () => {
  installation = new Installation();
  installation.configure(pace(0));
  served = await serveInstallation(installation);
  ({ client, url } = served);
});
afterAll(async () => {
  await served.close();
  installation.remove();
});

describe("the demo task, streamed by the SDK", () => {
  let threadId = "";
  let runId = "";
  let parts: Part[] = [];

  beforeAll(async () => {
    ({ thread_id: threadId } = await client.threads.create());
    const files = await uploadTable(url, threadId);
    const onRunCreated = (run: { run_id: string }) => {
      runId = run.run_id;
    };
    parts = await collect(
      client.runs.stream(threadId, ASSISTANT, { ...say(TASK, files), ...MODES, onRunCreated }),
    );
  });

  it("finds the assistant that the system made", async () => {
    const assistants = await client.assistants.search({ graphId: ASSISTANT, limit: 100 });
    expect(assistants).toMatchObject([{ assistant_id: ASSISTANT, metadata: { created_by: "system" } }]);
  });

  it("tells the run's id, ends well, and hands over a report with the right sum", async () => {
    expect([parts[0]?.event, parts.at(-1)?.event]).toEqual(["metadata", "end"]);
    expect(parts[0]?.data).toMatchObject({ run_id: runId });
    expect(await client.runs.get(threadId, runId)).toMatchObject({ status: "success" });
    const { values, next, tasks } = await stateOf(client, threadId);
    expect({ next, tasks, artifacts: values.artifacts }).toEqual({
      next: [],
      tasks: [],
      artifacts: ["/mnt/user-data/outputs/report.md"],
    });
    expect(await fetchReport(url, threadId)).toContain(TOTAL);
    expect(await client.threads.get(threadId)).toMatchObject({
      status: "idle",
      metadata: { graph_id: ASSISTANT },
      values: { title: values.title },
    });
  });

  it("gives a message one id in pieces, values and state, and its text and answer once", async () => {
    const { values } = await stateOf(client, threadId);
    const ids = idsOf(values);
    expect(lastValues(parts)).toEqual(values);
    expect(new Set(ids).size).toBe(ids.length);
    const everSeen = parts.flatMap((part) => [
      ...(valuesOf(part)?.messages ?? []).map(({ id }) => id),
      ...(pieceOf(part) === undefined ? [] : [pieceOf(part)?.id]),
    ]);
    expect(new Set(everSeen)).toEqual(new Set(ids));
    const written = values.messages.filter(({ type }) => type === "ai");
    expect([...writtenTexts(parts)]).toEqual(written.map(({ id, content }) => [id, content]));
    const answers = values.messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
    expect(new Set(answers).size).toBe(answers.length);
    expect(openCalls(values)).toEqual([]);
  });

  it("joins again from the start and from the middle, and gets exactly what there was", async () => {
    const whole = await collect(client.runs.joinStream(threadId, runId, { lastEventId: "-1" }));
    expect(whole).toEqual(parts);
    const middle = Math.floor(parts.length / 2);
    const lastEventId = parts[middle]?.id ?? "";
    expect(await collect(client.runs.joinStream(threadId, runId, { lastEventId }))).toEqual(
      parts.slice(middle + 1),
    );
  });

  it("has a history of few checkpoints, newest first, each knowing its parent, with nothing private", async () => {
    const history = await client.threads.getHistory<Values>(threadId, { limit: 1000 });
    const asked = history[0]?.values.messages.filter(({ type }) => type === "ai").length ?? 0;
    // One before and one after each model turn, and the one of the input.
    expect(history.length).toBeLessThanOrEqual(2 * asked + 1);
    expect(history.map((state) => state.parent_checkpoint?.checkpoint_id)).toEqual([
      ...history.slice(1).map((state) => state.checkpoint.checkpoint_id),
      undefined,
    ]);
    const sizes = history.map(({ values }) => values.messages.length);
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
    const keys = keysIn([history, await stateOf(client, threadId), parts]);
    expect(keys.filter((key) => /^(?:lg_|__|_)/.test(key))).toEqual([]);
    expect(JSON.stringify([history, parts])).not.toContain(installation.folder);
    expect(await client.threads.getHistory(threadId, { limit: 2 })).toHaveLength(2);
  });

  it("forks from an older checkpoint: the rest is done anew, the old branch stays in the history", async () => {
    const before = await client.threads.getHistory<Values>(threadId, { limit: 1000 });
    const closing = before[0]?.values.messages.at(-1);
    const fork = before.find(({ values, next }) => next[0] === "model" && values.artifacts.length > 0);
    const forked = await client.runs.wait(threadId, ASSISTANT, { checkpoint: fork?.checkpoint as never });
    const { messages } = forked as unknown as Values;
    expect(idsOf({ ...fork?.values, messages: messages.slice(0, -1) } as Values)).toEqual(
      idsOf(fork?.values as Values),
    );
    expect(messages.at(-1)?.content).toBe(closing?.content);
    expect(messages.at(-1)?.id).not.toBe(closing?.id);
    const after = await client.threads.getHistory<Values>(threadId, { limit: 1000 });
    const kept = new Set(after.map(({ checkpoint }) => checkpoint.checkpoint_id));
    expect(before.every(({ checkpoint }) => kept.has(checkpoint.checkpoint_id))).toBe(true);
    expect((await stateOf(client, threadId)).values.messages).toEqual(messages);
  });
});

describe("runs beside and after each other", () => {
  it("gives two readers the same run, and then serves the run that waited", async () => {
    const { thread_id } = await client.threads.create();
    const first = await client.runs.create(thread_id, ASSISTANT, { ...say(GREETING), ...MODES });
    const second = await client.runs.create(thread_id, ASSISTANT, { ...say("good bye"), ...MODES });
    const [early, late, next] = await Promise.all([
      collect(client.runs.joinStream(thread_id, first.run_id)),
      collect(client.runs.joinStream(thread_id, first.run_id, { lastEventId: "-1" })),
      collect(client.runs.joinStream(thread_id, second.run_id)),
    ]);
    expect(early).toEqual(late);
    expect(lastValues(next)?.messages.map(({ type }) => type)).toEqual(["human", "ai", "human", "ai"]);
    expect(idsOf(lastValues(next) as Values).slice(0, 2)).toEqual(idsOf(lastValues(early) as Values));
    const runs = await client.runs.list(thread_id);
    expect(runs.map(({ run_id, status }) => ({ run_id, status }))).toEqual([
      { run_id: second.run_id, status: "success" },
      { run_id: first.run_id, status: "success" },
    ]);
  });

  it("waits for a run and gives its values, also without a thread", async () => {
    const { thread_id } = await client.threads.create();
    const values = await waitFor(client, thread_id, GREETING);
    expect(values).toEqual((await stateOf(client, thread_id)).values);
    const alone = (await client.runs.wait(null, ASSISTANT, say(GREETING))) as unknown as Values;
    expect(alone.messages.at(-1)?.content).toBe(values.messages.at(-1)?.content);
  });
});

describe("runs that are read, or stopped, in the middle", () => {
  beforeAll(() => installation.configure(pace(10)));
  afterAll(() => installation.configure(pace(0)));

  it("gives a reader that comes back exactly the rest, while the run goes on", async () => {
    const { thread_id } = await client.threads.create();
    const { run_id } = await client.runs.create(thread_id, ASSISTANT, { ...say(GREETING), ...MODES });
    let pieces = 0;
    const reading = client.runs.joinStream(thread_id, run_id, { lastEventId: "-1" });
    const first = await readUntil(reading, (part) => pieceOf(part) !== undefined && ++pieces === 5);
    expect((await client.runs.get(thread_id, run_id)).status).toBe("running");
    const lastEventId = first.at(-1)?.id ?? "";
    const rest = await collect(client.runs.joinStream(thread_id, run_id, { lastEventId }));
    const whole = await collect(client.runs.joinStream(thread_id, run_id, { lastEventId: "-1" }));
    expect([...first, ...rest]).toEqual(whole);
  });

  it("keeps the text that was being written, and answers the next message in the same thread", async () => {
    const { thread_id } = await client.threads.create();
    const { run_id } = await client.runs.create(thread_id, ASSISTANT, { ...say(GREETING), ...MODES });
    let pieces = 0;
    const reading = client.runs.joinStream(thread_id, run_id, { lastEventId: "-1" });
    const read = await readUntil(reading, (part) => pieceOf(part) !== undefined && ++pieces === 5);
    await client.runs.cancel(thread_id, run_id, true);
    expect((await client.runs.get(thread_id, run_id)).status).toBe("interrupted");
    const whole = await collect(client.runs.joinStream(thread_id, run_id, { lastEventId: "-1" }));
    expect(whole.at(-1)).toMatchObject({
      event: "end",
      data: { status: "interrupted", stop_reason: "cancelled" },
    });
    const { values, next, tasks } = await stateOf(client, thread_id);
    expect(next).toEqual([]);
    expect(tasks).toEqual([]);
    const [[id, text] = []] = [...writtenTexts(whole)];
    expect(text?.startsWith([...writtenTexts(read).values()][0] ?? "nothing")).toBe(true);
    expect(values.messages.map(({ content }) => content)).toEqual([GREETING, text]);
    expect(values.messages[1]?.id).toBe(id);

    installation.configure(pace(0));
    const after = await waitFor(client, thread_id, "again");
    installation.configure(pace(10));
    expect(idsOf(after).slice(0, 2)).toEqual(idsOf(values));
    expect(after.messages.map(({ type }) => type)).toEqual(["human", "ai", "human", "ai"]);
    expect(after.messages.at(-1)?.content.startsWith(text ?? "")).toBe(true);
    expect((await client.threads.get(thread_id)).status).toBe("idle");
  });

  it("takes everything back when the run is rolled back", async () => {
    const { thread_id } = await client.threads.create();
    const first = await client.runs.create(thread_id, ASSISTANT, { ...say(GREETING), ...MODES });
    await readUntil(client.runs.joinStream(thread_id, first.run_id), (part) => pieceOf(part) !== undefined);
    await client.runs.cancel(thread_id, first.run_id, true, "rollback");
    expect((await stateOf(client, thread_id)).values).toEqual({});
    expect((await client.threads.get(thread_id)).values).toEqual({ messages: [] });

    installation.configure(pace(0));
    await waitFor(client, thread_id, GREETING);
    const before = await stateOf(client, thread_id);
    const row = await client.threads.get(thread_id);
    installation.configure(pace(10));
    const files = await uploadTable(url, thread_id);
    const { run_id } = await client.runs.create(thread_id, ASSISTANT, { ...say(TASK, files), ...MODES });
    await readUntil(client.runs.joinStream(thread_id, run_id), asksFor("glob"));
    await client.runs.cancel(thread_id, run_id, true, "rollback");
    const after = await stateOf(client, thread_id);
    expect({ values: after.values, next: after.next }).toEqual({ values: before.values, next: [] });
    const { status, values, metadata } = await client.threads.get(thread_id);
    expect({ status, values, metadata }).toEqual({
      status: "idle",
      values: row.values,
      metadata: row.metadata,
    });
  });

  it("is deleted with its thread, mid-run, and leaves no file", async () => {
    const { thread_id, run_id } = await startTask(client, url);
    const reading = collect(client.runs.joinStream(thread_id, run_id));
    await readUntil(client.runs.joinStream(thread_id, run_id), asksFor("read_file"));
    const folder = threadHome(installation.home, LOCAL_PRINCIPAL, thread_id);
    expect(existsSync(folder)).toBe(true);
    await client.threads.delete(thread_id);
    expect((await reading).at(-1)?.event).toBe("end");
    await expect(client.threads.get(thread_id)).rejects.toThrow(/404/);
    await expect(client.runs.get(thread_id, run_id)).rejects.toThrow(/404/);
    expect(existsSync(folder)).toBe(false);
  });
});

describe("an installation that ends in the middle of a task", () => {
  let home: Installation;
  let next: ServedHost | undefined;
  beforeEach(() => {
    home = new Installation();
    home.configure(pace(2));
  });
  afterEach(async () => {
    await next?.close();
    next = undefined;
    home.remove();
  });
  /** The same installation once more, in a hurry. */
  const serveAgain = async () => {
    home.configure(pace(0));
    next = await serveInstallation(home);
    return next;
  };

  it("stopped in order, it notes the run as stopped, and goes on after the next start", async () => {
    const before = await serveInstallation(home);
    const { thread_id, run_id } = await startTask(before.client, before.url);
    await readUntil(before.client.runs.joinStream(thread_id, run_id), asksFor("read_file"));
    await before.close();

    const after = await serveAgain();
    expect(await after.client.runs.get(thread_id, run_id)).toMatchObject({
      status: "interrupted",
      stop_reason: "shutdown",
    });
    await continueToReport(after.client, after.url, thread_id);
  });

  it("killed, it notes the run as failed at the next start, and goes on", async () => {
    const command = home.start(["serve", "--port", "0"]);
    const address = /http:\/\/\S+/.exec(await command.seen("Ctrl-C"))?.[0] ?? "";
    const before = sdkClient(address);
    const { thread_id, run_id } = await startTask(before, address);
    await readUntil(before.runs.joinStream(thread_id, run_id), asksFor("write_file"));
    command.kill("SIGKILL");
    await command.ended;

    const after = await serveAgain();
    expect(await after.client.runs.get(thread_id, run_id)).toMatchObject({
      status: "error",
      stop_reason: "process_lost",
    });
    expect((await after.client.threads.get(thread_id)).status).toBe("error");
    const rest = await collect(after.client.runs.joinStream(thread_id, run_id, { lastEventId: "-1" }));
    expect(rest.map(({ event }) => event)).toEqual(["gap", "end"]);
    await continueToReport(after.client, after.url, thread_id);
  });
});

/** "continue" goes on where the task was: nothing is done twice, nothing stays open. */
async function continueToReport(client: Client, url: string, threadId: string): Promise<void> {
  const before = await stateOf(client, threadId);
  expect(before.next).toEqual([]);
  const values = await waitFor(client, threadId, "continue");
  expect(idsOf(values).slice(0, before.values.messages.length)).toEqual(idsOf(before.values));
  expect(new Set(idsOf(values)).size).toBe(values.messages.length);
  expect(values.artifacts).toEqual(["/mnt/user-data/outputs/report.md"]);
  expect(await fetchReport(url, threadId)).toContain(TOTAL);
  expect((await client.threads.get(threadId)).status).toBe("idle");
}
