import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import { defineTool, operationOf, refuse, type ToolOutcome } from "./define-tool.js";

const toolThat = (run: (input: { path: string }) => Promise<ToolOutcome>) =>
  defineTool({
    name: "probe",
    operation: "read",
    description: "Probes.",
    input: z.object({ path: z.string().describe("Where.") }),
    run,
  });
const call = (tool: ReturnType<typeof toolThat>, args: Record<string, unknown>) =>
  tool.invoke({ type: "tool_call", id: "c1", name: "probe", args });

describe("defineTool", () => {
  it("answers with text for the model and facts for the machinery", async () => {
    const answer = await call(
      toolThat(async ({ path }) => ({ text: `seen ${path}`, facts: { path } })),
      { path: "/f" },
    );
    expect(ToolMessage.isInstance(answer)).toBe(true);
    expect(answer).toMatchObject({
      content: "seen /f",
      artifact: { path: "/f" },
      status: "success",
      tool_call_id: "c1",
      name: "probe",
    });
  });

  it("writes further channels of the state by a Command that carries the answer", async () => {
    const answer: unknown = await call(
      toolThat(async () => ({ text: "done", update: { artifacts: ["/a"] } })),
      { path: "/f" },
    );
    expect(answer).toBeInstanceOf(Command);
    expect((answer as Command).update).toMatchObject({ artifacts: ["/a"], messages: [{ content: "done" }] });
  });

  it("answers a failure that the model can mend, and throws any other", async () => {
    const denied = toolThat(async ({ path }) => {
      throw new DeerflowError("path_denied", { path, reason: "no" });
    });
    expect(await call(denied, { path: "/f" })).toMatchObject({
      status: "error",
      content: "Error: /f cannot be used: no.",
      artifact: { code: "path_denied", path: "/f", reason: "no" },
      tool_call_id: "c1",
    });
    const broken = toolThat(async () => {
      throw new DeerflowError("internal", { reason: "x" });
    });
    await expect(call(broken, { path: "/f" })).rejects.toMatchObject({ code: "internal" });
  });

  it("answers arguments that do not fit without running", async () => {
    const never = toolThat(async () => {
      throw new Error("it ran");
    });
    expect(await call(never, {})).toMatchObject({ status: "error", artifact: { code: "arguments_invalid" } });
  });

  it("shows providers the schema of its arguments", () => {
    const tool = toolThat(async () => ({ text: "" }));
    expect(toJsonSchema(tool.schema as never)).toMatchObject({
      type: "object",
      properties: { path: { type: "string", description: "Where." } },
      required: ["path"],
    });
  });
});

describe("operationOf", () => {
  it("is what the tool was defined with, and nothing for a foreign tool", () => {
    expect(operationOf(toolThat(async () => ({ text: "" })))).toBe("read");
    for (const foreign of [undefined, {}, { metadata: {} }, { metadata: { operation: "fly" } }]) {
      expect(operationOf(foreign)).toBeUndefined();
    }
  });
});

describe("refuse", () => {
  it("gives the sentence, then the guidance", () => {
    expect(refuse({ id: "c", name: "n" }, "file_changed", { path: "/f" }, "Look again.")).toMatchObject({
      content: "Error: /f has changed since it was read. Read it again, then repeat the change.\nLook again.",
      status: "error",
      name: "n",
      tool_call_id: "c",
      artifact: { code: "file_changed", path: "/f" },
    });
  });
});
