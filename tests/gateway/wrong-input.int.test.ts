/** What a client can get wrong against a whole installation: it is told what, and its thread stays usable. */
import { describe, expect, it, beforeAll, afterAll } from "vitest";
import { Installation } from "../support/deerflow-command.js";
import { type ServedHost, serveInstallation } from "../support/served-host.js";

let installation: Installation;
let served: ServedHost;
beforeAll(async () => {
  installation = new Installation();
  installation.configure("demo_model:\n  pace_milliseconds: 0\n");
  served = await serveInstallation(installation);
});
afterAll(async () => {
  await served.close();
  installation.remove();
});

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function send(path: string, body: string, type = "application/json"): Promise<Answer> {
  const headers = type === "" ? {} : { "content-type": type };
  const answer = await fetch(`${served.url}/api${path}`, { method: "POST", headers, body });
  return { status: answer.status, body: (await answer.json()) as Answer["body"] };
}
const post = (path: string, body: unknown) => send(path, JSON.stringify(body));
const run = (threadId: string, body: object) =>
  post(`/threads/${threadId}/runs/wait`, { assistant_id: "lead_agent", ...body });
const textsOf = ({ body }: Answer) =>
  ((body["messages"] ?? []) as { type: string; content: string }[]).map(({ type }) => type);
const HELLO = { input: { messages: [{ role: "user", content: "hello" }] } };

describe("an upload that is no form", () => {
  it.each([
    ["a body that is no form", "garbage", "multipart/form-data; boundary=XX"],
    ["no boundary", "garbage", "multipart/form-data"],
    ["JSON", '{"a":1}', "application/json"],
    ["nothing", "", "multipart/form-data; boundary=XX"],
  ])("is refused: %s", async (_title, body, type) => {
    expect(await send("/threads/t-upload/uploads", body, type)).toMatchObject({
      status: 422,
      body: { code: "invalid_request", detail: expect.stringContaining("multipart/form-data") },
    });
  });
});

describe("a body that is nested without end", () => {
  const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

  it.each([
    ["/threads", `{"metadata":{"a":${deep(100_000)}}}`],
    ["/threads/t-deep/runs/wait", `{"assistant_id":"lead_agent","input":{"messages":[],"x":${deep(3000)}}}`],
    ["/threads/t-deep/state", `{"values":{"title":${deep(700)}}}`],
  ])("is refused at %s", async (path, body) => {
    const answer = await send(path, body);
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid_request" } });
    expect(answer.body["detail"]).toContain("nested deeper");
  });
});

describe("a change of the state that the state does not take", () => {
  it.each([
    [{ todos: 5 }, "todos: "],
    [{ artifacts: "x" }, "artifacts: "],
    [{ title: { a: 1 } }, "title: "],
    ["text", "must be an object"],
    [[1, 2], "must be an object"],
  ])("is refused: %j", async (values, reason) => {
    await run("t-state", HELLO);
    const before = await (await fetch(`${served.url}/api/threads/t-state/state`)).json();
    expect(await post("/threads/t-state/state", { values })).toMatchObject({
      status: 422,
      body: { code: "state_update_invalid", detail: expect.stringContaining(reason) },
    });
    expect(await (await fetch(`${served.url}/api/threads/t-state/state`)).json()).toEqual(before);
  });
});

describe("a thread", () => {
  it.each([
    ["the removal of a message that is not there", { input: { messages: [{ type: "remove", id: "nope" }] } }],
    ["a value that a channel refuses", { input: { todos: 5, messages: ["hello"] } }],
    ["a forged input of the tools", { command: { goto: { node: "tools", input: { x: 1 } } } }],
    ["a forged input of the model", { command: { goto: { node: "model", input: { x: 1 } } } }],
  ])("stays usable after %s", async (title, request) => {
    const threadId = `t-${title.replaceAll(" ", "-")}`.slice(0, 60);
    await run(threadId, HELLO);
    expect((await run(threadId, request)).status).toBe(200);
    const state = await fetch(`${served.url}/api/threads/${threadId}/state`);
    expect(state.status).toBe(200);
    const answer = await run(threadId, HELLO);
    expect(answer.body["__error__"]).toBeUndefined();
    expect(textsOf(answer).slice(-2)).toEqual(["human", "ai"]);
  });
});

describe("a run", () => {
  it.each([
    ["a node that is not there", { command: { goto: "nowhere" } }, "invalid_request", "nowhere"],
    ["a place that is no node", { command: { goto: 5 } }, "invalid_request", "command.goto"],
    [
      "a forged entry",
      { command: { goto: { node: "model", input: { __model_entry__: {} } } } },
      "invalid_request",
      "command.goto",
    ],
    ["a model that is not there", { ...HELLO, context: { model_name: "gpt-9" } }, "model_unknown", "Known: "],
  ])("does not begin with %s", async (_title, request, code, detail) => {
    await post("/threads", { thread_id: "t-run" });
    expect(await run("t-run", request)).toMatchObject({
      status: 422,
      body: { code, detail: expect.stringContaining(detail) },
    });
    const runs = await fetch(`${served.url}/api/threads/t-run/runs`);
    expect(await runs.json()).toEqual([]);
  });
});
