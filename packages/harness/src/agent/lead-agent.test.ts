import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../base/logger.js";
import { parseConfig } from "../config/parse-config.js";
import { LOCAL_PRINCIPAL } from "../context/principal.js";
import type { ChatModelOptions, ModelInfo } from "../models/contract.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { scriptedProvider } from "../testing/scripted-sandbox.js";
import type { AgentRequest } from "./contract.js";
import { makeLeadAgent } from "./lead-agent.js";

const PROVIDER = scriptedProvider({ release: () => Promise.reject(new Error("nothing was acquired")) });

async function prepare(context: AgentRequest["context"], given: { config?: object; shell?: boolean } = {}) {
  const model = new ScriptedModel([{ text: "done" }]);
  const asked: unknown[] = [];
  const createChatModel = (name?: string, options?: ChatModelOptions) => {
    asked.push([name, options]);
    return model;
  };
  const factory = makeLeadAgent({
    home: mkdtempSync(join(tmpdir(), "deerflow-lead-")),
    config: () => parseConfig(given.config ?? {}).config,
    models: async () => ({ models: [{ name: "first" } as ModelInfo], createChatModel }),
    audit: { record: async () => undefined },
    logger: silentLogger,
    ...(given.shell === false ? {} : { sandboxProvider: PROVIDER }),
  });
  const agent = await factory({
    principal: LOCAL_PRINCIPAL,
    threadId: "t1",
    runId: "r1",
    assistantId: "lead_agent",
    context,
    checkpointer: new MemorySaver(),
  });
  const input = { messages: [{ type: "human", content: "Sum the table" }] };
  let state: Record<string, unknown> = {};
  const config = { configurable: { thread_id: "t1" }, streamMode: "values" };
  for await (const values of await agent.graph.stream(input, config))
    state = values as Record<string, unknown>;
  await agent.close();
  const [call] = model.calls;
  return {
    asked,
    state,
    tools: call?.tools ?? [],
    prompt: call?.messages[0]?.text ?? "",
    modelName: agent.modelName,
  };
}

describe("the lead agent", () => {
  it("has its tools in a fixed order and a prompt that tells of its folders and its shell", async () => {
    const { tools, prompt, modelName } = await prepare({});
    expect(tools).toEqual([
      "ls",
      "read_file",
      "write_file",
      "str_replace",
      "delete",
      "glob",
      "grep",
      "bash",
      "present_files",
      "ask_clarification",
      "write_todos",
    ]);
    expect(prompt).toContain("/mnt/user-data/outputs");
    expect(prompt).toContain("## Your shell");
    expect(modelName).toBe("first");
  });

  it("has no shell tool and says so where no sandbox works", async () => {
    const { tools, prompt } = await prepare({}, { shell: false });
    expect(tools).not.toContain("bash");
    expect(prompt).toContain("## No shell");
  });

  it("asks nothing where nobody is there, and plans only where that is wanted", async () => {
    const { tools, prompt } = await prepare({ non_interactive: true, is_plan_mode: false });
    expect(tools).not.toContain("ask_clarification");
    expect(tools).not.toContain("write_todos");
    expect(prompt).not.toContain("## Questions to the user");
  });

  it("hands the client's wish for a model on, and ignores what is no wish", async () => {
    const { asked, modelName } = await prepare({
      model_name: "m",
      thinking_enabled: true,
      reasoning_effort: "high",
    });
    expect([asked, modelName]).toEqual([[["m", { thinking: true, reasoningEffort: "high" }]], "m"]);
    expect((await prepare({ model_name: 7, thinking_enabled: "yes" })).asked).toEqual([[undefined, {}]]);
  });

  it("names the thread by its first request unless the configuration says no", async () => {
    expect((await prepare({})).state["title"]).toBe("Sum the table");
    expect((await prepare({}, { config: { title: { enabled: false } } })).state["title"]).toBeUndefined();
  });
});
