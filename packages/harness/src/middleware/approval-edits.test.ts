import { AIMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { describe, expect, it } from "vitest";
import { EDITED_CALLS_KEY, withCalls } from "./approval-edits.js";

const call = (id: string, path: string, name = "write_file"): ToolCall => ({
  type: "tool_call",
  id,
  name,
  args: { path },
});

/** A message with the calls c1 and c2, of which c2 is changed. */
function changed(fields: Record<string, unknown>) {
  const calls = [call("c1", "/a"), call("c2", "/b")];
  const before = new AIMessage({ id: "m", content: "", tool_calls: calls, ...fields });
  const snapshot = structuredClone(before.toDict());
  const after = withCalls(
    before,
    [before.tool_calls?.[0] ?? call("c1", ""), call("c2", "/B", "send")],
    ["c2"],
  );
  expect(before.toDict()).toEqual(snapshot);
  return after;
}

describe("withCalls", () => {
  it("keeps what the message is and notes who changed it", () => {
    const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
    const after = changed({
      content: "Now.",
      name: "lead",
      usage_metadata: usage,
      additional_kwargs: { x: 1 },
    });
    expect(after).toMatchObject({
      id: "m",
      name: "lead",
      content: "Now.",
      usage_metadata: usage,
      tool_calls: [call("c1", "/a"), call("c2", "/B", "send")],
      additional_kwargs: { x: 1, [EDITED_CALLS_KEY]: [{ id: "c2", by: "person" }] },
    });
  });

  it("changes Anthropic's blocks", () => {
    const block = (id: string, path: string, name = "write_file") => ({
      type: "tool_use",
      id,
      name,
      input: { path },
    });
    const thinking = { type: "thinking", thinking: "hm", signature: "s" };
    const after = changed({
      content: [thinking, { type: "text", text: "Now." }, block("c1", "/a"), block("c2", "/b")],
    });
    expect(after.content).toEqual([
      thinking,
      { type: "text", text: "Now." },
      block("c1", "/a"),
      block("c2", "/B", "send"),
    ]);
  });

  it("changes an Anthropic block whose input came as streamed text", () => {
    const after = changed({
      content: [{ type: "tool_use", id: "c2", name: "write_file", input: '{"path":"/b"}' }],
    });
    expect(after.content).toEqual([{ type: "tool_use", id: "c2", name: "send", input: { path: "/B" } }]);
  });

  it("changes standard blocks without doubling a call", () => {
    const after = changed({
      content: [call("c1", "/a"), call("c2", "/b")],
      response_metadata: { output_version: "v1" },
    });
    expect(after.content).toEqual([call("c1", "/a"), call("c2", "/B", "send")]);
    expect(after.tool_calls).toEqual([call("c1", "/a"), call("c2", "/B", "send")]);
  });

  it("changes the items of OpenAI's Responses, in the content and in the metadata", () => {
    const item = (id: string, path: string, name = "write_file") => ({
      type: "function_call",
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: JSON.stringify({ path }),
    });
    const items = [{ type: "reasoning", id: "r" }, item("c1", "/a"), item("c2", "/b")];
    const after = changed({ content: items, response_metadata: { output: items, model: "m" } });
    const expected = [{ type: "reasoning", id: "r" }, item("c1", "/a"), item("c2", "/B", "send")];
    expect(after.content).toEqual(expected);
    expect(after.response_metadata).toEqual({ output: expected, model: "m" });
  });

  it("changes the raw calls of OpenAI's Chat Completions", () => {
    const raw = (id: string, path: string, name = "write_file") => ({
      id,
      index: 0,
      type: "function",
      function: { name, arguments: JSON.stringify({ path }) },
    });
    const after = changed({ additional_kwargs: { tool_calls: [raw("c1", "/a"), raw("c2", "/b")] } });
    expect(after.additional_kwargs["tool_calls"]).toEqual([raw("c1", "/a"), raw("c2", "/B", "send")]);
  });

  it("changes a lone function call of the older form", () => {
    const before = new AIMessage({
      content: "",
      tool_calls: [call("c1", "/a")],
      additional_kwargs: { function_call: { name: "write_file", arguments: '{"path":"/a"}' } },
    });
    const { additional_kwargs: extras } = withCalls(before, [call("c1", "/A")], ["c1"]);
    expect(extras["function_call"]).toEqual({ name: "write_file", arguments: '{"path":"/A"}' });
  });

  it("tells two calls of one id apart by their order", () => {
    const block = (id: string, path: string) => ({
      type: "tool_use",
      id,
      name: "write_file",
      input: { path },
    });
    const calls = [call("c", "/a"), call("c", "/b")];
    const before = new AIMessage({ content: [block("c", "/a"), block("c", "/b")], tool_calls: calls });
    const [first] = calls;
    const after = withCalls(before, [first ?? call("c", ""), call("new", "/B")], []);
    expect(after.content).toEqual([block("c", "/a"), block("new", "/B")]);
    expect(after.additional_kwargs).toEqual({});
  });

  it("leaves blocks that name no call of the message as they are", () => {
    const odd = [{ type: "tool_use", id: "x", name: "n", input: {} }, { type: "tool_use" }];
    expect(changed({ content: odd }).content).toEqual(odd);
  });
});
