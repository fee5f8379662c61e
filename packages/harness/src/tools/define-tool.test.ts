import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, InMemoryStore } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import { StoreBackend } from "../filesystem/store-backend.js";
import {
  defineTool,
  describedBy,
  fullTextOf,
  operationOf,
  refuse,
  type ToolOutcome,
  withContent,
} from "./define-tool.js";
import { createFileTools } from "./file-tools.js";

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

  it("answers what nobody foresaw only where it is told to, and never the user's stop", async () => {
    const seen: unknown[] = [];
    const run = new AbortController();
    const failing = (stop: boolean) =>
      defineTool({
        name: "probe",
        operation: "read",
        description: "Probes.",
        input: z.object({}),
        onUnforeseen: (_, error) => void seen.push(error),
        async run() {
          if (stop) run.abort();
          throw new TypeError("/home/somebody/secret");
        },
      });
    expect(await call(failing(false), {})).toMatchObject({
      status: "error",
      content: expect.stringMatching(/^Error: probe failed inside \(unforeseen\)\. Try once more/),
    });
    expect(seen).toEqual([new TypeError("/home/somebody/secret")]);
    const stopped = { type: "tool_call" as const, id: "c1", name: "probe", args: {} };
    await expect(failing(true).invoke(stopped, { signal: run.signal })).rejects.toThrow();
    expect(seen).toHaveLength(1);
  });

  it("says of what only the operator can mend that another try does not help, and tells no detail of it", async () => {
    const misled = new StoreBackend({ namespace: () => ["/home/somebody"], store: new InMemoryStore() });
    const [read] = createFileTools({ files: misled, kinds: ["read"] });
    if (read === undefined) throw new Error("there is no read tool");
    const answer = await call(read, { path: "/f" });
    expect(answer).toMatchObject({ status: "error", artifact: { code: "file_tool_unusable" } });
    expect(answer.text).toContain("read_file cannot be used as it is set up (filesystem_options_invalid).");
    expect(answer.text).not.toMatch(/Try once more|somebody/);
  });

  it("shows blocks behind the text, and puts marks and following messages where they belong", async () => {
    const image = { type: "image" as const, mimeType: "image/png", data: "AA==" };
    const shown = toolThat(async () => ({ text: "seen", blocks: [image], marks: { mine: 1 } }));
    expect(await call(shown, { path: "/f" })).toMatchObject({
      content: [{ type: "text", text: "seen" }, image],
      additional_kwargs: { mine: 1 },
    });
    const next = new HumanMessage("next");
    const followed: unknown = await call(
      toolThat(async () => ({ text: "seen", followedBy: [next] })),
      { path: "/f" },
    );
    expect((followed as Command).update).toMatchObject({ messages: [{ content: "seen" }, next] });
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

describe("withContent", () => {
  it("changes the content alone, and takes along what is known of the whole text", async () => {
    const cut = await call(
      toolThat(async () => ({ text: "cut", fullText: "the whole", facts: { a: 1 } })),
      { path: "/f" },
    );
    cut.additional_kwargs = { mark: "later" };
    const copy = withContent(cut, "other");
    expect({ ...copy.toDict().data }).toEqual({ ...cut.toDict().data, content: "other" });
    expect([cut.content, fullTextOf(cut), fullTextOf(copy)]).toEqual(["cut", "the whole", "the whole"]);
    expect(JSON.stringify(copy)).not.toContain("the whole");
    expect(fullTextOf(withContent(refuse({ id: "c", name: "n" }, "file_not_text"), "x"))).toBeUndefined();
  });
});

describe("describedBy", () => {
  it("is the face unless the tool says otherwise, and nothing for a foreign tool", () => {
    expect(describedBy(toolThat(async () => ({ text: "" })))).toBe("face");
    expect(describedBy({ metadata: {} })).toBeUndefined();
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
