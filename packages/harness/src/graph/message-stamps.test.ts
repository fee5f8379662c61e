import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { stampAiMessage, stampToolMessage } from "./message-stamps.js";

describe("stampAiMessage", () => {
  it("sets name and id, also in what is serialised", () => {
    const message = new AIMessage("hi");
    stampAiMessage(message, "lead");
    expect(message.name).toBe("lead");
    expect(message.lc_kwargs).toMatchObject({ name: "lead", id: message.id });
  });

  it("keeps an id that is there, and gives one to calls that lack it or share it", () => {
    const calls = ["a", "a", "", undefined].map((id) => ({ name: "work", args: {}, id }));
    const message = new AIMessage({ id: "m", content: "", tool_calls: calls as never });
    stampAiMessage(message, "lead");
    const ids = (message.tool_calls ?? []).map(({ id }) => id);
    expect([message.id, ids[0]]).toEqual(["m", "a"]);
    expect(new Set(ids).size).toBe(4);
    expect(ids.slice(1).every((id) => id?.startsWith("call_"))).toBe(true);
    expect(message.lc_kwargs["tool_calls"].map(({ id }: { id: string }) => id)).toEqual(ids);
  });
});

describe("stampToolMessage", () => {
  it("gives an id only where there is none", () => {
    const [without, having] = [
      new ToolMessage({ content: "x", tool_call_id: "c" }),
      new ToolMessage({ id: "kept", content: "x", tool_call_id: "c" }),
    ];
    stampToolMessage(without);
    stampToolMessage(having);
    expect([typeof without.id, having.id]).toEqual(["string", "kept"]);
  });
});
