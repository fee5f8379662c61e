import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { type BaseStore, MemorySaver } from "@langchain/langgraph-checkpoint";
import { createMiddleware, type ToolRuntime, tool } from "langchain";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { silentLogger } from "../base/logger.js";
import { parseConfig } from "../config/parse-config.js";
import { LOCAL_PRINCIPAL, type Principal } from "../context/principal.js";
import { openStore } from "../persistence/open-store.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { createDeerflowAgent } from "./create-deerflow-agent.js";
import { makeLeadAgent } from "./lead-agent.js";

let folder: string;
let store: BaseStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "deerflow-store-"));
  store = await openStore({ backend: "sqlite", path: join(folder, "items.db") });
});
afterEach(async () => {
  await store.stop();
  rmSync(folder, { recursive: true });
});

describe("the store of an agent", () => {
  it("reaches its tools and its middleware, and keeps what they put", async () => {
    const remember = tool(
      async ({ fact }: { fact: string }, runtime: ToolRuntime) => {
        // The type of a runtime names LangChain's store; LangGraph gives its own.
        const { store: held } = runtime as unknown as { store?: BaseStore };
        await held?.put(["facts"], "first", { fact });
        return "remembered";
      },
      { name: "remember", description: "Keeps a fact.", schema: z.object({ fact: z.string() }) },
    );
    const seen: unknown[] = [];
    const recall = createMiddleware({
      name: "recall",
      beforeModel: async (_state, runtime) => {
        // The type of a runtime names no store; LangGraph gives it one.
        const { store: held } = runtime as { store?: BaseStore };
        seen.push((await held?.get(["facts"], "first"))?.value);
        return undefined;
      },
    });
    const agent = createDeerflowAgent({
      model: new ScriptedModel([
        { calls: [{ name: "remember", args: { fact: "deer eat at dawn" } }] },
        { text: "done" },
      ]),
      tools: [remember],
      middleware: [recall],
      store,
    });
    await agent.invoke({ messages: [new HumanMessage("go")] });
    expect(seen).toEqual([undefined, { fact: "deer eat at dawn" }]);
    expect((await store.get(["facts"], "first"))?.value).toEqual({ fact: "deer eat at dawn" });
  });

  it("is that of the principal's tenant", async () => {
    const asked: Principal[] = [];
    const factory = makeLeadAgent({
      home: join(folder, "home"),
      config: () => parseConfig({}).config,
      models: async () => ({ models: [], createChatModel: () => new ScriptedModel([{ text: "done" }]) }),
      audit: { record: async () => undefined },
      logger: silentLogger,
      store: (principal) => {
        asked.push(principal);
        return store;
      },
    });
    const agent = await factory({
      principal: LOCAL_PRINCIPAL,
      threadId: "t1",
      runId: "r1",
      assistantId: "lead_agent",
      context: {},
      checkpointer: new MemorySaver(),
    });
    expect(asked).toEqual([LOCAL_PRINCIPAL]);
    expect((agent.graph as unknown as { store: BaseStore }).store).toBeDefined(); // a compiled graph has it
    await agent.close();
  });
});
