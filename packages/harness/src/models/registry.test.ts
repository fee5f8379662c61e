import { describe, expect, it } from "vitest";
import { parseConfig } from "../config/parse-config.js";
import { DEMO_MODEL_NAME, DemoChatModel } from "./demo/demo-chat-model.js";
import { ENVIRONMENT_MODELS } from "./environment-models.js";
import type { Fetch } from "./localhost-models.js";
import { PROVIDERS } from "./providers/provider-table.js";
import { resolveModels } from "./registry.js";

const configOf = (raw: unknown = {}) => parseConfig(raw).config;
const nobody: Fetch = async () => {
  throw new Error("connection refused");
};
/** Servers of this machine by URL; everything else is a closed port. */
const servers =
  (answers: Record<string, unknown>): Fetch =>
  async (input, init) => {
    const url = `${String(input)}${init?.body === undefined ? "" : ` ${String(init.body)}`}`;
    if (!(url in answers)) throw new Error("connection refused");
    return new Response(JSON.stringify(answers[url]));
  };
const resolve = (raw: unknown, env = {}, fetch = nobody) =>
  resolveModels({ config: configOf(raw), env, fetch });
const names = async (raw: unknown, env = {}, fetch = nobody) =>
  (await resolve(raw, env, fetch)).models.map(({ name, source }) => `${source} ${name}`);

describe("resolveModels", () => {
  it("takes configured models before keys, and keys before servers on this machine", async () => {
    const env = { OPENAI_API_KEY: "k1", ANTHROPIC_API_KEY: "k2", OPENAI_MODEL: "my-gpt" };
    const fetch = servers({ "http://127.0.0.1:1234/v1/models": { data: [{ id: "qwen" }] } });
    const configured = { models: [{ name: "mine", use: "openai", model: "m", api_key: "k" }] };
    expect(await names(configured, env, fetch)).toEqual(["config mine", `demo ${DEMO_MODEL_NAME}`]);
    expect(await names({}, env, fetch)).toEqual([
      "environment anthropic/claude-sonnet-5",
      "environment openai/my-gpt",
      `demo ${DEMO_MODEL_NAME}`,
    ]);
    expect(await names({}, {}, fetch)).toEqual(["localhost lm-studio/qwen", `demo ${DEMO_MODEL_NAME}`]);
    expect(await names({})).toEqual([`demo ${DEMO_MODEL_NAME}`]);
  });

  it("shows a model without its key", async () => {
    const raw = {
      models: [
        {
          name: "mine",
          display_name: "Mine",
          use: "openai",
          model: "m",
          api_key: "sk-secret",
          supports_vision: true,
          context_window: 9,
        },
      ],
    };
    const { models } = await resolve(raw);
    expect(models[0]).toEqual({
      name: "mine",
      displayName: "Mine",
      model: "m",
      provider: "openai",
      source: "config",
      reason: "It is configured in config.yaml.",
      supportsThinking: false,
      supportsReasoningEffort: false,
      supportsVision: true,
      contextWindow: 9,
    });
  });

  it("asks every server on this machine only, without a redirect, and skips the probe when told", async () => {
    const asked: [string, unknown][] = [];
    const fetch: Fetch = async (input, init) => {
      asked.push([String(input), init?.redirect]);
      throw new Error("closed");
    };
    await resolveModels({ config: configOf(), env: {}, fetch, probeLocal: false });
    expect(asked).toEqual([]);
    await resolveModels({ config: configOf(), env: {}, fetch });
    expect(asked).toEqual([
      ["http://127.0.0.1:11434/api/tags", "error"],
      ["http://127.0.0.1:1234/v1/models", "error"],
      ["http://127.0.0.1:8000/v1/models", "error"],
      ["http://127.0.0.1:8080/v1/models", "error"],
      ["http://127.0.0.1:1337/v1/models", "error"],
    ]);
  });

  it("takes from Ollama only models that can call tools", async () => {
    const fetch = servers({
      "http://127.0.0.1:11434/api/tags": { models: [{ name: "qwen3:8b" }, { name: "old:1b" }] },
      'http://127.0.0.1:11434/api/show {"model":"qwen3:8b"}': { capabilities: ["completion", "tools"] },
      'http://127.0.0.1:11434/api/show {"model":"old:1b"}': { capabilities: ["completion"] },
    });
    const { models } = await resolve({}, {}, fetch);
    expect(models.map(({ name }) => name)).toEqual(["ollama/qwen3:8b", DEMO_MODEL_NAME]);
    expect(models[0]?.reason).toContain("OLLAMA_CONTEXT_LENGTH");
  });

  it("takes no other server for a model server", async () => {
    const fetch = servers({
      "http://127.0.0.1:8000/v1/models": { hello: "world" },
      "http://127.0.0.1:8080/v1/models": { data: [{ id: "text-embedding-3" }] },
    });
    expect(await names({}, {}, fetch)).toEqual([`demo ${DEMO_MODEL_NAME}`]);
  });

  it("names the nearest model when asked for an unknown one", async () => {
    const catalogue = await resolve({ models: [{ name: "fast", use: "openai", model: "m", api_key: "k" }] });
    expect(() => catalogue.createChatModel("fsat")).toThrow(
      expect.objectContaining({
        code: "model_unknown",
        sentence: `There is no model named fsat. Did you mean fast? Known: fast, ${DEMO_MODEL_NAME}.`,
      }),
    );
  });

  it("refuses a provider that it does not have, naming those that it has", async () => {
    const raw = { models: [{ name: "x", use: "langchain_foo:ChatFoo", model: "m" }] };
    await expect(resolve(raw)).rejects.toMatchObject({ code: "model_provider_unknown" });
    const near = { models: [{ name: "x", use: "antropic", model: "m" }] };
    await expect(resolve(near)).rejects.toThrow(
      expect.objectContaining({ sentence: expect.stringContaining("Did you mean anthropic?") }),
    );
  });

  it("never lets the demo model stand in for a configured one", async () => {
    const catalogue = await resolve({ models: [{ name: "mine", use: "openai", model: "m" }] });
    expect(() => catalogue.createChatModel()).toThrow(expect.objectContaining({ code: "model_key_missing" }));
    expect(catalogue.createChatModel(DEMO_MODEL_NAME)).toBeInstanceOf(DemoChatModel);
  });

  it("fails clearly when the demo model is off and nothing else is there", async () => {
    await expect(resolve({ demo_model: { enabled: false } })).rejects.toMatchObject({ code: "model_none" });
  });

  it("makes every model of the tables", async () => {
    for (const { use } of PROVIDERS) {
      const raw = { models: [{ name: "m", use, model: "some-model", api_key: "k", temperature: 0.1 }] };
      expect((await resolve(raw)).createChatModel()._llmType()).toBeTypeOf("string");
    }
    const env = Object.fromEntries(ENVIRONMENT_MODELS.map((row) => [row.keyVariable, "k"]));
    const catalogue = await resolve({}, env);
    for (const { name } of catalogue.models)
      expect(catalogue.createChatModel(name)._llmType()).toBeTypeOf("string");
  });
});
