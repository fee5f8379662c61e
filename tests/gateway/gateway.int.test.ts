/** What the server itself promises: addresses, pages, refusals, its start and its end. */
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway } from "@deerflow/gateway";
import { silentLogger } from "@deerflow/harness";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ScriptedGateway, startScriptedGateway } from "./scripted-gateway.js";

let gateway: ScriptedGateway;
let webRoot: string;
beforeEach(async () => {
  webRoot = await mkdtemp(join(tmpdir(), "deerflow-web-"));
  await mkdir(join(webRoot, "assets"));
  await writeFile(join(webRoot, "index.html"), "<title>DeerFlow</title>");
  await writeFile(join(webRoot, "assets", "app-1.js"), "1");
  gateway = await startScriptedGateway({ webRoot });
});
afterEach(async () => {
  await gateway.close();
  await rm(webRoot, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}${path}`, { headers });
const post = (path: string, headers: Record<string, string>, body = "{}") =>
  fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });

/** `fetch` does not let a caller choose the Host header. */
const statusFor = (host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(`${gateway.url}/api/info`, { headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on("error", reject);
    sent.end();
  });

describe("the gateway", () => {
  it("answers under both prefixes", async () => {
    for (const path of ["/api/info", "/api/langgraph/info", "/api/ok", "/api/langgraph/ok"]) {
      expect((await get(path)).status).toBe(200);
    }
    expect(await (await get("/health")).json()).toEqual({
      status: "degraded",
      service: "deerflow",
      version: "0.0.0-test",
      sandbox: { provider: "none", available: false, reason: "This is a test." },
      model: { name: "scripted", source: "demo", reason: "This is a test." },
      database: "memory",
    });
    expect(await (await get("/api/models")).json()).toEqual({ models: [], token_usage: { enabled: false } });
  });

  it("says what is wrong in a sentence with a code", async () => {
    expect(await (await get("/api/threads/nope")).json()).toEqual({
      detail: "There is no thread nope.",
      code: "thread_missing",
    });
    expect(await (await get("/api/nothing")).json()).toEqual({
      detail: "There is nothing at GET /api/nothing.",
      code: "route_missing",
    });
    const broken = await post("/api/threads", {}, "{");
    expect([broken.status, await broken.json()]).toEqual([
      422,
      { detail: "The request is not valid: the body is not JSON.", code: "invalid_request" },
    ]);
    expect((await post("/api/threads", {}, '{"thread_id":"../x"}')).status).toBe(422);
  });

  it("keeps pages of other origins and other host names out", async () => {
    expect(await statusFor("evil.example")).toBe(403);
    expect(await statusFor("localhost:1")).toBe(200);
    expect((await post("/api/threads", { origin: "https://evil.example" })).status).toBe(403);
    expect((await post("/api/threads", { "content-type": "text/plain" })).status).toBe(415);
    const foreign = await get("/api/info", { origin: "https://evil.example" });
    expect(foreign.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("lets a local page of another port in, and shows it the headers it needs", async () => {
    const origin = "http://localhost:3000";
    const answer = await post("/api/threads/t1/runs", { origin }, '{"assistant_id":"lead_agent","input":{}}');
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("access-control-expose-headers")).toMatch(/Content-Location,\s*Location/);
    const preflight = await fetch(`${gateway.url}/api/threads`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,x-api-key,last-event-id",
      },
    });
    expect(preflight.headers.get("access-control-allow-headers")).toContain("x-api-key");
  });

  it("serves the pages with a strict policy, and the first one for every address of theirs", async () => {
    for (const path of ["/", "/threads/some-id"]) {
      const page = await get(path, { accept: "text/html" });
      expect([page.status, await page.text()]).toEqual([200, "<title>DeerFlow</title>"]);
      expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
    }
    const asset = await get("/assets/app-1.js");
    expect([asset.status, asset.headers.get("cache-control")]).toEqual([
      200,
      "public, max-age=31536000, immutable",
    ]);
    expect((await get("/assets/none.js")).status).toBe(404);
    expect((await get("/api/nothing", { accept: "text/html" })).status).toBe(404);
    expect((await get("/..%2f..%2fetc/passwd")).status).toBe(404);
  });

  it("pages through the messages of the log", async () => {
    for (const content of ["one", "two", "three"]) {
      const body = { assistant_id: "lead_agent", input: { messages: [{ type: "human", content }] } };
      await post("/api/threads/t1/runs/wait", {}, JSON.stringify(body));
    }
    const page = async (query: string) => (await get(`/api/threads/t1/messages/page${query}`)).json();
    const newest = (await page("?limit=4")) as { data: { seq: number; content: { content: string } }[] };
    expect(newest).toMatchObject({ has_more: true, next_before_seq: newest.data[0]?.seq });
    expect(newest.data.map(({ content }) => content.content)).toEqual([
      "two",
      "you said two",
      "three",
      "you said three",
    ]);
    const older = (await page(`?limit=4&before_seq=${newest.data[0]?.seq}`)) as typeof newest;
    expect(older).toMatchObject({ has_more: false, next_before_seq: null });
    expect(older.data.map(({ content }) => content.content)).toEqual(["one", "you said one"]);
  });

  it("refuses a cursor that is none, and a run that is not there", async () => {
    await post("/api/threads/t1/runs/wait", {}, '{"assistant_id":"lead_agent","input":{"messages":["hi"]}}');
    const [run] = (await (await get("/api/threads/t1/runs")).json()) as { run_id: string }[];
    const stream = `/api/threads/t1/runs/${run?.run_id}/stream`;
    for (const cursor of ["abc", "999999999"]) {
      expect((await get(stream, { "last-event-id": cursor })).status).toBe(400);
    }
    for (const cursor of ["-1", ""]) {
      expect(await (await get(stream, { "last-event-id": cursor })).text()).toContain("event: end");
    }
    expect((await get("/api/threads/t1/runs/none/stream")).status).toBe(404);
  });

  it("says when its port is taken, and how to choose another", async () => {
    const port = Number(new URL(gateway.url).port);
    await expect(startGateway(gateway.deps, { port })).rejects.toMatchObject({
      code: "port_taken",
      next: expect.stringContaining("--port"),
    });
  });

  it("says when its address cannot be used, and how to choose another", async () => {
    // 192.0.2.0/24 is reserved for examples (RFC 5737), so no machine has it.
    for (const host of ["192.0.2.1", "nope.invalid"]) {
      await expect(startGateway(gateway.deps, { host, port: 0 })).rejects.toMatchObject({
        code: "address_unusable",
        message: expect.stringContaining(host),
        next: expect.stringContaining("--host"),
      });
    }
  });

  it("logs a failure with what is needed to find it", async () => {
    const lines: [string, unknown][] = [];
    const error = (message: string, facts: unknown) => void lines.push([message, facts]);
    const models = async () => Promise.reject(new TypeError("the catalogue broke"));
    const broken = await startScriptedGateway({ models, logger: { ...silentLogger, error } });
    const answer = await fetch(`${broken.url}/api/models`);
    await broken.close();
    const { request_id: requestId } = (await answer.json()) as { request_id: string };
    expect(answer.status).toBe(500);
    expect(lines).toEqual([
      [
        "A request failed.",
        {
          requestId,
          method: "GET",
          path: "/api/models",
          reason: "the catalogue broke",
          stack: expect.stringContaining("TypeError"),
        },
      ],
    ]);
  });
});
