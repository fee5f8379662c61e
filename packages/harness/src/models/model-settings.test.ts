import { describe, expect, it } from "vitest";
import { modelEntry, plainModel } from "./model-entry.js";
import { modelParameters, settleOptions } from "./model-settings.js";
import { sortParameters } from "./providers/client-fields.js";
import { demo } from "./providers/demo.js";

const base = { name: "m", use: "openai", model: "x" };
const infoOf = (fields: object) =>
  modelEntry(plainModel({ ...base, ...fields }), demo, { source: "config", reason: "" }).info;

describe("settleOptions", () => {
  it("drops what the model does not support, and says so", () => {
    expect(settleOptions(infoOf({}), { thinking: true, reasoningEffort: "high" })).toEqual({
      thinking: false,
      downgraded: true,
    });
    expect(settleOptions(infoOf({}))).toEqual({ thinking: false, downgraded: false });
  });

  it("keeps what it supports", () => {
    const able = infoOf({ supports_thinking: true, supports_reasoning_effort: true });
    expect(settleOptions(able, { thinking: true, reasoningEffort: "low" })).toEqual({
      thinking: true,
      reasoningEffort: "low",
      downgraded: false,
    });
  });
});

describe("modelParameters", () => {
  it("passes unknown keys on and keeps its own", () => {
    const config = plainModel({ ...base, api_key: "k", temperature: 0.3, extra_body: { a: 1 } });
    expect(modelParameters(config, false)).toEqual({ temperature: 0.3, extra_body: { a: 1 } });
  });

  it("adds the settings for thinking, and their opposite without", () => {
    const config = plainModel({
      ...base,
      extra_body: { seed: 1 },
      when_thinking_enabled: { extra_body: { thinking: { type: "enabled", budget: 9 } } },
    });
    expect(modelParameters(config, true)).toEqual({
      extra_body: { seed: 1, thinking: { type: "enabled", budget: 9 } },
    });
    expect(modelParameters(config, false)).toEqual({
      extra_body: { seed: 1, thinking: { type: "disabled" } },
    });
    const vllm = plainModel({
      ...base,
      when_thinking_enabled: { extra_body: { chat_template_kwargs: { enable_thinking: true } } },
    });
    expect(modelParameters(vllm, false)).toEqual({
      extra_body: { chat_template_kwargs: { enable_thinking: false } },
    });
  });

  it("takes the written settings for no thinking, and the short form", () => {
    const written = plainModel({
      ...base,
      thinking: { type: "enabled" },
      when_thinking_disabled: { top_k: 1 },
    });
    expect(modelParameters(written, true)).toEqual({ thinking: { type: "enabled" } });
    expect(modelParameters(written, false)).toEqual({ top_k: 1 });
  });
});

describe("sortParameters", () => {
  it("gives the client its fields and the wire the rest", () => {
    const parameters = {
      temperature: 0,
      max_tokens: 5,
      timeout: 2,
      pricing: {},
      seed: 7,
      extra_body: { a: 1 },
    };
    expect(sortParameters(parameters)).toEqual({
      fields: { temperature: 0, maxTokens: 5, timeout: 2000 },
      wire: { seed: 7, a: 1 },
    });
  });
});
