import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { HumanMessage } from "@langchain/core/messages";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../config/parse-config.js";
import { resolveModels } from "../registry.js";

let server: Server;
let requests: { url: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }[];

const EVENTS = [
  { choices: [{ index: 0, delta: { role: "assistant", content: "Hel" } }] },
  { choices: [{ index: 0, delta: { content: "lo" } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
].map(
  (event) =>
    `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", model: "m", ...event })}\n\n`,
);

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += String(part);
    requests.push({ url: request.url ?? "", headers: request.headers, body: JSON.parse(text) });
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${EVENTS.join("")}data: [DONE]\n\n`);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterAll(() => new Promise((done) => server.close(done)));

const ask = async (fields: object, env: Record<string, string> = {}, options = {}) => {
  requests = [];
  const { port } = server.address() as AddressInfo;
  const model = {
    name: "stub",
    use: "openai-compatible",
    model: "m",
    base_url: `http://127.0.0.1:${port}/v1`,
    ...fields,
  };
  const catalogue = await resolveModels({ config: parseConfig({ models: [model] }).config, env });
  const chunks = [];
  for await (const chunk of await catalogue.createChatModel("stub", options).stream([new HumanMessage("Hi")]))
    chunks.push(chunk);
  return { chunks, request: requests[0] };
};

describe("an OpenAI-compatible model over HTTP", () => {
  it("streams text and the use of tokens from the configured address", async () => {
    const { chunks, request } = await ask({ api_key: "sk-mine", temperature: 0.5, seed: 4 });
    const whole = chunks.reduce((sum, chunk) => sum.concat(chunk));
    expect(whole.content).toBe("Hello");
    expect(whole.usage_metadata).toMatchObject({ input_tokens: 3, output_tokens: 2, total_tokens: 5 });
    expect(request?.url).toBe("/v1/chat/completions");
    expect(request?.headers.authorization).toBe("Bearer sk-mine");
    expect(request?.body).toMatchObject({ model: "m", temperature: 0.5, seed: 4, stream: true });
  });

  it("never sends a key of the environment to another address than its own", async () => {
    const { request } = await ask({}, { OPENAI_API_KEY: "sk-openai" });
    expect(request?.headers.authorization).toBe("Bearer none");
  });

  it("sends an effort and the settings for thinking only to a model that supports them", async () => {
    const wish = { thinking: true, reasoningEffort: "high" };
    const settings = { when_thinking_enabled: { extra_body: { thinking: { type: "enabled" } } } };
    const plain = await ask({ api_key: "k", ...settings }, {}, wish);
    expect(plain.request?.body).toMatchObject({ thinking: { type: "disabled" } });
    expect(plain.request?.body).not.toHaveProperty("reasoning_effort");
    const able = { supports_thinking: true, supports_reasoning_effort: true };
    const { request } = await ask({ api_key: "k", ...settings, ...able }, {}, wish);
    expect(request?.body).toMatchObject({ thinking: { type: "enabled" }, reasoning_effort: "high" });
  });
});
