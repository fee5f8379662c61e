import { HumanMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../base/logger.js";
import { createAgentGraph } from "../graph/create-agent-graph.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import {
  assembleMiddleware,
  FEATURES,
  type MiddlewareServices,
  ORDER,
  type RuntimeFeatures,
} from "./order.js";

const ALL = Object.fromEntries(FEATURES.map((feature) => [feature, true])) as RuntimeFeatures;
const SERVICES: MiddlewareServices = {
  logger: silentLogger,
  audit: { record: async () => undefined },
  mask: (text) => text,
  title: { maxWords: 6, maxCharacters: 60 },
};

const names = (...given: Parameters<typeof assembleMiddleware>) =>
  assembleMiddleware(...given).map((middleware) => middleware.name);

describe("the order table", () => {
  it("has one row a feature, each with a reason", () => {
    expect(ORDER.map((row) => row.feature)).toEqual([...FEATURES]);
    expect(ORDER.filter((row) => row.because.length < 20)).toEqual([]);
  });

  it("puts the guards outside tool-errors and Clarification last", () => {
    const order = ORDER.map((row) => row.name);
    const guards = ORDER.filter((row) => row.guard).map((row) => order.indexOf(row.name));
    expect(Math.max(...guards)).toBeLessThan(order.indexOf("tool-errors"));
    expect(order.at(-1)).toBe("clarification");
  });

  it("leaves out what is switched off, what a subagent does not carry, and what lacks its service", () => {
    expect(names("lead", { ...ALL, title: false }, SERVICES)).toEqual([
      "tool-output-offload",
      "uploads",
      "dangling-tool-calls",
      "media-messages",
      "sandbox-audit",
      "tool-errors",
      "todoListMiddleware",
      "clarification",
    ]);
    expect(names("sub", ALL, SERVICES)).toEqual([
      "tool-output-offload",
      "dangling-tool-calls",
      "media-messages",
      "sandbox-audit",
      "tool-errors",
    ]);
  });

  it("places the host's own middleware before Clarification, also where that is off", () => {
    const own = createMiddleware({ name: "own" });
    expect(names("lead", ALL, SERVICES, [own]).slice(-2)).toEqual(["own", "clarification"]);
    expect(names("lead", { ...ALL, clarification: false }, SERVICES, [own]).at(-1)).toBe("own");
  });

  it("is the order in which hooks run: before-hooks down the table, after-hooks up", async () => {
    const log: string[] = [];
    const trace = (name: string) =>
      createMiddleware({
        name,
        beforeAgent: () => void log.push(`${name}.beforeAgent`),
        wrapModelCall: (request, next) => {
          log.push(`${name}.wrapModelCall`);
          return next(request);
        },
        afterAgent: () => void log.push(`${name}.afterAgent`),
      });
    const middleware = ORDER.slice(0, 3).map((row) => trace(row.name));
    const graph = createAgentGraph({ model: new ScriptedModel([{ text: "done" }]), middleware });
    await graph.invoke({ messages: [new HumanMessage("go")] });
    const rows = ORDER.slice(0, 3).map((row) => row.name);
    expect(log).toEqual([
      ...rows.map((name) => `${name}.beforeAgent`),
      ...rows.map((name) => `${name}.wrapModelCall`),
      ...rows.toReversed().map((name) => `${name}.afterAgent`),
    ]);
  });
});
