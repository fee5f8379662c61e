import { HumanMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../base/logger.js";
import { MountedDiskBackend } from "../filesystem/mounted-disk-backend.js";
import { createAgentGraph } from "../graph/create-agent-graph.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { CommandGate } from "./command-gate.js";
import {
  assembleMiddleware,
  FEATURES,
  type MiddlewareServices,
  ORDER,
  type RuntimeFeatures,
} from "./order.js";

const ALL = Object.fromEntries(FEATURES.map((feature) => [feature, true])) as RuntimeFeatures;
const audit = { record: async () => undefined };
const SERVICES: MiddlewareServices = {
  logger: silentLogger,
  audit,
  commands: new CommandGate({ audit, gate: "approval" }),
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

  it("has the gates in the order in which a call meets them", () => {
    const order = ORDER.map((row) => row.name);
    const place = (name: string) => order.indexOf(name);
    // A person decides before any gate judges, so that an edited call is judged as it will run.
    // The audit comes first: a blocked command must not even be looked at by the gate.
    // The gate stands around tool-errors: a read that failed is an answer with status error, and leaves no mark.
    expect(order.slice(place("approval"), place("tool-errors") + 1)).toEqual([
      "approval",
      "sandbox-audit",
      "read-before-write",
      "tool-errors",
    ]);
    // What is put into a file was marked as read before, and the mark stays on the stub.
    expect(place("tool-output-offload")).toBeLessThan(place("read-before-write"));
  });

  it("lets a person be asked after every other hook has changed the answer", () => {
    const approval = { interruptOn: { ls: true } };
    const files = new MountedDiskBackend({ mounts: [] });
    const chain = assembleMiddleware("lead", ALL, { ...SERVICES, approval, files, modelName: "m" });
    const asking = chain.findIndex(({ name }) => name === "approval");
    const changing = chain.flatMap(({ afterModel }, index) => (afterModel === undefined ? [] : [index]));
    expect(asking).toBeGreaterThan(-1);
    expect(Math.min(...changing)).toBe(asking);
    expect(names("sub", ALL, { ...SERVICES, approval })).toContain("approval");
    expect(names("lead", ALL, { ...SERVICES, approval: { interruptOn: { ls: false } } })).not.toContain(
      "approval",
    );
  });

  it("leaves out what is switched off, what a subagent does not carry, and what lacks its service", () => {
    expect(names("lead", { ...ALL, title: false }, SERVICES)).toEqual([
      "tool-output-offload",
      "uploads",
      "dangling-tool-calls",
      "recent-media",
      "media-messages",
      "sandbox-audit",
      "tool-errors",
      "todoListMiddleware",
      "clarification",
    ]);
    expect(names("sub", ALL, SERVICES)).toEqual([
      "tool-output-offload",
      "dangling-tool-calls",
      "recent-media",
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
