import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ScriptedModel } from "../testing/scripted-model.js";
import { type CallableModel, ToolBinder } from "./bind-tools.js";

const named = (name: string) => tool(() => name, { name, description: name, schema: z.object({}) });
const [one, two] = [named("one"), named("two")];
const scripted = () => new ScriptedModel([{ text: "ok" }]);

/** Counts how often it was given tools, and with what settings. */
class Counting extends ScriptedModel {
  readonly bindings: unknown[] = [];
  override bindTools(tools: Parameters<ScriptedModel["bindTools"]>[0], settings?: object): ScriptedModel {
    this.bindings.push(settings);
    return super.bindTools(tools);
  }
}

describe("ToolBinder", () => {
  it("binds the same tools and settings to a model once, and anything else afresh", () => {
    const [binder, model] = [new ToolBinder(), new Counting([])];
    const first = binder.bind(model, [one, two], {});
    expect(binder.bind(model, [one, two], {})).toBe(first);
    expect(binder.bind(model, [one], {})).not.toBe(first);
    expect(binder.bind(model, [one, two], { tool_choice: "none" })).not.toBe(first);
    expect(binder.bind(model, [one, two], { tool_choice: "none" })).not.toBe(first);
    expect(binder.bind(new Counting([]), [one, two], {})).not.toBe(first);
    expect(model.bindings).toEqual([{}, {}, { tool_choice: "none" }]);
  });

  it("leaves a model without tools and settings as it is", () => {
    const model = scripted();
    expect(new ToolBinder().bind(model, [], {})).toBe(model);
  });

  it("binds through a configured model and keeps its configuration", async () => {
    const model = scripted();
    const configured = model.withConfig({ tags: ["mine"] }) as unknown as CallableModel;
    const bound = new ToolBinder().bind(configured, [one], {});
    const tags: unknown[] = [];
    const callbacks = [{ handleChatModelStart: (...given: unknown[]) => tags.push(given[5]) }];
    await bound.invoke([new HumanMessage("x")] as BaseMessage[], { callbacks: callbacks as never });
    expect(model.calls[0]?.tools).toEqual(["one"]);
    expect(tags).toEqual([["mine"]]);
  });

  it("refuses tools for a model that cannot take them", () => {
    const model = scripted();
    Object.defineProperty(model, "bindTools", { value: undefined });
    expect(() => new ToolBinder().bind(model, [one], {})).toThrow("cannot be given tools");
  });
});
