import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { Command, END, Send } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import type { HookPhase } from "./hooks.js";
import {
  callEntryOf,
  commandGoto,
  enterModel,
  type Jump,
  modelEntryOf,
  resolveJump,
  returnsDirectly,
  toolsRoute,
  wantEnd,
} from "./route.js";

const calling = (...ids: string[]) =>
  new AIMessage({ content: "", tool_calls: ids.map((id) => ({ id, name: "work", args: {} })) });

describe("toolsRoute", () => {
  it("goes to the node as it is with one open call, and sends a task with the id alone for each of several", () => {
    expect(toolsRoute([calling("a")])).toBe("tools");
    const sends = toolsRoute([calling("a", "b")]) as Send[];
    expect(sends.map((send) => [send.node, callEntryOf(send.args)])).toEqual([
      ["tools", "a"],
      ["tools", "b"],
    ]);
    expect(JSON.stringify(sends[0]?.args).length).toBeLessThan(40);
  });
});

describe("enterModel", () => {
  it("carries an entry that the state is never taken for", () => {
    const entry = { phase: "afterModel", middleware: "approve" } as const;
    expect(modelEntryOf(enterModel("model", entry).args)).toEqual(entry);
    expect(modelEntryOf({ messages: [], phase: "afterModel" })).toBeUndefined();
  });
});

describe("resolveJump", () => {
  const phase = (name: "model" | "beforeModel" | "afterAgent", commit = false): Jump => ({
    to: "phase",
    phase: name,
    commit,
  });
  const rows: readonly [HookPhase, "end" | "model" | "tools", Jump, Jump][] = [
    // from, target, our rule, createAgent's (for an inner middleware)
    ["beforeAgent", "end", phase("afterAgent"), phase("afterAgent")],
    ["beforeModel", "end", phase("afterAgent"), { to: "end" }],
    ["afterModel", "end", phase("afterAgent"), { to: "end" }],
    ["afterAgent", "end", { to: "onward" }, { to: "end" }],
    ["beforeAgent", "model", phase("beforeModel"), phase("model")],
    ["beforeModel", "model", phase("model"), phase("model")],
    ["afterModel", "model", phase("beforeModel", true), phase("model", true)],
    ["afterAgent", "model", phase("beforeModel", true), phase("model", true)],
    ["beforeAgent", "tools", { to: "tools" }, { to: "tools" }],
    ["afterModel", "tools", { to: "tools" }, { to: "tools" }],
  ];

  it.each(rows)(
    "takes a jump from %s to %s by our rules and by createAgent's",
    (from, target, ours, theirs) => {
      const circumstances = { from, target, isOutermost: false, endsWithAnswer: false };
      expect(resolveJump({ ...circumstances, parity: false })).toEqual(ours);
      expect(resolveJump({ ...circumstances, parity: true })).toEqual(theirs);
    },
  );

  it("ignores the outermost afterModel hook after a final answer only with parity", () => {
    const circumstances = {
      from: "afterModel",
      target: "model",
      isOutermost: true,
      endsWithAnswer: true,
    } as const;
    expect(resolveJump({ ...circumstances, parity: true })).toEqual({ to: "onward" });
    expect(resolveJump({ ...circumstances, parity: false })).toEqual(phase("beforeModel", true));
  });
});

describe("returnsDirectly", () => {
  const answer = (name: string, status: "success" | "error" = "success") =>
    new ToolMessage({ content: "", tool_call_id: name, name, status });

  it("holds when any answer of the batch is a successful one of a direct tool; with parity, only the last", () => {
    const direct = new Set(["deliver"]);
    expect(returnsDirectly([answer("deliver"), answer("work")], direct, false)).toBe(true);
    expect(returnsDirectly([answer("deliver"), answer("work")], direct, true)).toBe(false);
    expect(returnsDirectly([answer("work"), answer("deliver")], direct, true)).toBe(true);
    expect(returnsDirectly([answer("deliver", "error")], direct, false)).toBe(false);
    expect(returnsDirectly([], direct, false)).toBe(false);
  });
});

describe("commandGoto", () => {
  const plan = { nodeName: "agent", parity: false };

  it("reads the model node by any of its names, the tools as a route, and leaves the rest as it is", () => {
    const elsewhere = new Send("other", {});
    const commands = ["model", "model_request", "agent", "tools", elsewhere].map(
      (goto) => new Command({ goto }),
    );
    const goto = commandGoto(commands, plan, [calling("a")]);
    const again = enterModel("agent", { phase: "beforeModel" });
    expect(goto).toEqual([again, again, again, "tools", elsewhere]);
  });

  it("leaves the end to the afterAgent hooks", () => {
    const commands = [new Command({ goto: END }), new Command({ update: {} })];
    expect(commandGoto(commands, plan, [])).toEqual([]);
    expect(wantEnd(commands)).toBe(true);
    expect(wantEnd([new Command({ goto: "tools" })])).toBe(false);
  });
});
