import { AIMessage, type AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { DEMO_MODEL_NAME, DemoChatModel, type Delay } from "./demo-chat-model.js";

const TOOLS = ["glob", "read_file", "write_file", "bash"].map((name) => ({
  name,
  description: "",
  schema: {},
}));
const TASK = [new HumanMessage("Profile sales.csv")];
const NO_USAGE = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

async function stream(model: DemoChatModel, options = {}): Promise<AIMessageChunk[]> {
  const chunks: AIMessageChunk[] = [];
  for await (const chunk of await model.stream(TASK, options)) chunks.push(chunk);
  return chunks;
}

const joined = (chunks: AIMessageChunk[]): AIMessageChunk =>
  chunks.reduce((whole, chunk) => whole.concat(chunk));

describe("DemoChatModel", () => {
  it("streams words, then tool calls cut in pieces, and ends with zero usage and its name", async () => {
    const chunks = await stream(new DemoChatModel().bindTools(TOOLS));
    const invoked = await new DemoChatModel().bindTools(TOOLS).invoke(TASK);
    const whole = joined(chunks);
    expect(chunks.filter((chunk) => chunk.content !== "").length).toBeGreaterThan(3);
    expect(chunks.filter((chunk) => (chunk.tool_call_chunks ?? []).length > 0).length).toBeGreaterThan(1);
    expect(whole.content).toBe(invoked.content);
    expect(whole.tool_calls).toEqual(invoked.tool_calls);
    expect(whole.usage_metadata).toMatchObject(NO_USAGE);
    expect(whole.response_metadata["model_name"]).toBe(DEMO_MODEL_NAME);
    expect(invoked.usage_metadata).toEqual(NO_USAGE);
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
  });

  it("gives the same call the same id on a retry, and another one on another branch", async () => {
    const model = new DemoChatModel().bindTools(TOOLS);
    const idOf = async (task: string) => (await model.invoke([new HumanMessage(task)])).tool_calls?.[0]?.id;
    expect(await idOf("Profile a.csv")).toBe(await idOf("Profile a.csv"));
    expect(await idOf("Profile a.csv")).not.toBe(await idOf("Profile b.csv"));
  });

  it("paces by the delay that it is given, and not at all by default", async () => {
    const pauses: number[] = [];
    const delay: Delay = async (milliseconds) => void pauses.push(milliseconds);
    const chunks = await stream(new DemoChatModel({ paceMilliseconds: 7, delay }).bindTools(TOOLS));
    expect(pauses).toEqual(chunks.map(() => 7));
    await stream(new DemoChatModel({ delay }).bindTools(TOOLS));
    expect(pauses).toHaveLength(chunks.length);
  });

  it("stops in the middle of a stream when it is aborted", async () => {
    const control = new AbortController();
    const delay: Delay = async () => control.abort(new Error("stopped"));
    const model = new DemoChatModel({ paceMilliseconds: 1, delay }).bindTools(TOOLS);
    await expect(stream(model, { signal: control.signal })).rejects.toThrow();
    await expect(model.invoke(TASK, { signal: control.signal })).rejects.toThrow();
  });

  it("knows tools in OpenAI's format too, and calls none without them", async () => {
    const openai = TOOLS.map(({ name }) => ({ type: "function", function: { name, parameters: {} } }));
    expect((await new DemoChatModel().bindTools(openai).invoke(TASK)).tool_calls).toHaveLength(1);
    expect((await new DemoChatModel().invoke(TASK)).tool_calls).toEqual([]);
  });

  it("reads tool answers that are blocks", async () => {
    const model = new DemoChatModel().bindTools(TOOLS);
    const first = await model.invoke(TASK);
    const answer = new ToolMessage({
      tool_call_id: first.tool_calls?.[0]?.id ?? "",
      content: [{ type: "text", text: "/mnt/user-data/uploads/sales.csv" }],
    });
    const second = await model.invoke([...TASK, new AIMessage({ ...first.lc_kwargs, content: "" }), answer]);
    expect(second.tool_calls?.map(({ name, args }) => [name, args["path"]])).toEqual([
      ["read_file", "/mnt/user-data/uploads/sales.csv"],
    ]);
  });
});
