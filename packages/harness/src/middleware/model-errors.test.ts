import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { createAgentGraph } from "../graph/create-agent-graph.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { classifyModelError, modelErrors } from "./model-errors.js";

const withFacts = (message: string, facts: object, cause?: Error) =>
  Object.assign(new Error(message, cause === undefined ? undefined : { cause }), facts);

describe("classifyModelError", () => {
  it.each([
    [
      withFacts("Connection error.", {}, withFacts("connect", { code: "ECONNREFUSED" })),
      "model_unreachable",
      "ECONNREFUSED",
    ],
    [new Error("Connection error."), "model_unreachable", "Connection error"],
    [withFacts("401 bad key", { status: 401 }), "model_key_refused", "401 bad key"],
    [withFacts("404 no such model", { status: 404 }), "model_not_served", "404 no such model"],
    [withFacts("429 slow down", { status: 429 }), "model_busy", "429 slow down"],
    [withFacts("503 later\nhtml", { status: 503 }), "model_busy", "503 later"],
    [withFacts("400 wrong field.", { status: 400 }), "model_failed", "400 wrong field"],
    ["a string", "model_failed", "a string"],
  ])("takes %s for %s", (error, code, reason) => {
    expect(classifyModelError(error)).toEqual({ code, reason });
  });
});

describe("model-errors", () => {
  it("names the model and what to do next", async () => {
    const model = new ScriptedModel([
      () => {
        throw withFacts("Connection error.", {}, withFacts("connect", { code: "ECONNREFUSED" }));
      },
    ]);
    const graph = createAgentGraph({ model, middleware: [modelErrors({ modelName: "mine" })] });
    await expect(graph.invoke({ messages: [new HumanMessage("hi")] })).rejects.toThrow(
      "The model mine cannot be reached (ECONNREFUSED).",
    );
  });
});
