/** What happens when the connection breaks in the middle of a stream. */
import { createServer, type Socket, connect } from "node:net";
import { Client } from "@langchain/langgraph-sdk";
import { LOCAL_PRINCIPAL } from "@deerflow/harness";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ScriptedGateway, startScriptedGateway } from "./scripted-gateway.js";

/** A TCP relay in front of the gateway whose connections the test can cut. */
async function startRelay(target: string) {
  const { port, hostname } = new URL(target);
  const open = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname);
    for (const socket of [incoming, outgoing]) {
      open.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => open.delete(socket));
    }
    incoming.pipe(outgoing).pipe(incoming);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const relayPort = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${relayPort}`,
    cut: () => {
      for (const socket of open) socket.destroy();
    },
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

let gateway: ScriptedGateway;
let relay: Awaited<ReturnType<typeof startRelay>>;

beforeEach(async () => {
  gateway = await startScriptedGateway();
  relay = await startRelay(gateway.url);
});
afterEach(async () => {
  await relay.close();
  await gateway.close();
});

describe("a stream whose connection breaks", () => {
  it.each(["/api/langgraph", "/api"])("is taken up by the SDK where it was, under %s", async (prefix) => {
    const client = new Client({ apiUrl: `${relay.url}${prefix}`, apiKey: null });
    const { thread_id } = await client.threads.create();
    const ids: (string | undefined)[] = [];
    let last: unknown;
    const stream = client.runs.stream(thread_id, "lead_agent", {
      input: { messages: [{ role: "user", content: "slow and broken" }] },
      streamMode: ["values", "messages-tuple"],
    });
    let cuts = 0;
    for await (const { id, event, data } of stream as AsyncIterable<{
      id?: string;
      event: string;
      data: unknown;
    }>) {
      ids.push(id);
      if (event === "values") last = data;
      if (event === "messages" && cuts === 0) {
        cuts += 1;
        relay.cut();
        gateway.gate.open();
      }
      gateway.gate.open();
    }
    const [run] = await client.runs.list(thread_id);
    const whole: string[] = [];
    for await (const { id } of client.runs.joinStream(thread_id, run?.run_id ?? "", { lastEventId: "-1" })) {
      if (id !== undefined) whole.push(id);
    }
    expect(cuts).toBe(1);
    expect(ids).toEqual(whole);
    expect((last as { messages: { content: string }[] }).messages.map(({ content }) => content)).toEqual([
      "slow and broken",
      "you said slow and broken",
      "at last",
    ]);
  });

  it("sends its headers at once and signs of life while the run waits its turn", async () => {
    const client = new Client({ apiUrl: `${gateway.url}/api`, apiKey: null });
    const { thread_id } = await client.threads.create();
    await client.runs.create(thread_id, "lead_agent", { input: { messages: ["slow first"] } });
    const answer = await fetch(`${gateway.url}/api/threads/${thread_id}/runs/stream`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ assistant_id: "lead_agent", input: { messages: ["second"] } }),
    });
    expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const runPath = answer.headers.get("content-location") ?? "";
    expect(runPath).toMatch(new RegExp(`^/threads/${thread_id}/runs/[0-9a-f-]{36}$`));
    expect(answer.headers.get("location")).toBe(`${runPath}/stream`);
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes(": heartbeat")) text += (await reader?.read())?.value ?? "";
    expect(text).not.toContain("event:");
    gateway.gate.open();
    while (!text.includes("event: end")) {
      const next = await reader?.read();
      text += next?.value ?? "";
      gateway.gate.open();
    }
    expect(text).toContain("you said second");
  });
});

describe("a run without a thread whose client goes away while it waits", () => {
  const runsNow = async () => {
    const [thread] = await gateway.deps.threads.search(LOCAL_PRINCIPAL, { limit: 1, offset: 0 });
    if (thread === undefined) return undefined;
    return gateway.deps.runs.list(LOCAL_PRINCIPAL, thread.threadId, { limit: 1, offset: 0 });
  };

  it.each([
    ["goes on and then leaves no thread", "continue"],
    ["is stopped and leaves no thread", "cancel"],
  ])("%s", async (_title, on_disconnect) => {
    const client = new AbortController();
    const result = vi.spyOn(gateway.deps.threads, "result");
    const asked = fetch(`${gateway.url}/api/runs/wait`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        assistant_id: "lead_agent",
        input: { messages: ["slow and alone"] },
        on_disconnect,
      }),
      signal: client.signal,
    });
    await expect.poll(async () => (await runsNow())?.[0]?.status).toBe("running");
    await expect.poll(() => gateway.gate.waiting).toBe(1);
    const joined = (await runsNow())?.map(({ threadId, runId }) =>
      gateway.deps.runs.join({ principal: LOCAL_PRINCIPAL, threadId, runId }),
    );
    client.abort();
    await expect(asked).rejects.toThrow(/abort/);
    if (on_disconnect === "continue") {
      // An answer that nobody reads is how the server shows that it has seen the client go.
      await expect.poll(() => result.mock.settledResults.length).toBe(1);
      gateway.gate.open();
    }
    expect((await joined?.[0])?.status).toBe(on_disconnect === "continue" ? "success" : "interrupted");
    await expect.poll(runsNow).toBeUndefined();
  });
});
