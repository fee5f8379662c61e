/** The gate around tools of other makers, in LangChain's own agent. */
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { createAgent, tool, type ToolRuntime } from "langchain";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import { silentLogger } from "../base/logger.js";
import type { FileBackend, LinkFollowing } from "../filesystem/contract.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { createReadBeforeWriteMiddleware } from "./read-before-write.js";
import { READ_MARK_KEY } from "./read-before-write-marks.js";

const denied = new DeerflowError("sandbox_unauthorized", { reason: "it is another user's" });
const pathSchema = z.object({ file_path: z.string(), content: z.string().default("") });

/** Files in a map, with only the verbs that a gate asks for. */
function world(texts: Record<string, string>, part: Partial<FileBackend & LinkFollowing> = {}) {
  const at = (path: string) => texts[path];
  const read = async (path: string) => {
    const text = at(path);
    return text === undefined ? undefined : { bytes: Buffer.from(text), version: sha256(text) };
  };
  const uncalled = () => Promise.reject(new Error("the gate calls no other verb"));
  const others = { list: uncalled, stat: uncalled, write: uncalled, remove: uncalled };
  const backend: FileBackend = { id: "map", read, ...others, ...part };
  const normal = (path: string) => new URL(path, "file:///").pathname;
  const makers = {
    read_file: ({ file_path }: { file_path: string }) => at(normal(file_path)) ?? "Error: no such file",
    write_file: ({ file_path, content }: { file_path: string; content: string }) => {
      texts[normal(file_path)] = content;
      return "written";
    },
    edit_file: ({ file_path }: { file_path: string }) => {
      texts[normal(file_path)] += "+";
      return "edited";
    },
  };
  const tools: StructuredToolInterface[] = Object.entries(makers).map(([name, run]) =>
    tool(run, { name, description: name, schema: pathSchema }),
  );
  return { texts, backend, tools };
}

type Call = readonly [name: string, path: string, content?: string];

/** One call a turn; gives each answer. */
async function answersTo(
  { backend, tools }: ReturnType<typeof world>,
  calls: readonly Call[],
  options: { enabled?: boolean } = {},
) {
  const turns = calls.map(([name, file_path, content = ""]) => ({
    calls: [{ name, args: { file_path, content } }],
  }));
  const agent = createAgent({
    model: new ScriptedModel([...turns, { text: "done" }]),
    tools,
    middleware: [createReadBeforeWriteMiddleware({ backend, logger: silentLogger, ...options })],
  });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
  return messages.filter((each) => ToolMessage.isInstance(each));
}

const statuses = (answers: readonly ToolMessage[]) => answers.map(({ status }) => status ?? "success");

describe("createReadBeforeWriteMiddleware", () => {
  it.each([[{}], [undefined], [{ backend: {} }], [{ backend: undefined }]])(
    "refuses %j for a backend",
    (options) => {
      // Plain JavaScript may give anything.
      const build = () => createReadBeforeWriteMiddleware(options as { backend: FileBackend });
      expect(build).toThrow(/The option backend of the file tools is not valid: it (is missing|has no list)/);
    },
  );

  it("guards tools that have no metadata by their well-known names", async () => {
    const here = world({ "/f": "old" });
    const answers = await answersTo(here, [
      ["write_file", "/f", "blind"],
      ["edit_file", "/f"],
      ["read_file", "/f"],
      ["edit_file", "/f"],
      ["edit_file", "/f"],
      ["write_file", "/new", "free"],
    ]);
    expect(statuses(answers)).toEqual(["error", "error", "success", "success", "error", "success"]);
    expect(here.texts).toEqual({ "/f": "old+", "/new": "free" });
  });

  it("says to the machinery that the model can mend a refused write, and nothing of the configuration", async () => {
    const [answer] = await answersTo(world({ "/f": "old" }), [["write_file", "/f"]]);
    expect(answer?.additional_kwargs["deerflow_tool_meta"]).toMatchObject({
      status: "error",
      error_type: "file_not_read",
      recoverable_by_model: true,
    });
    expect(answer?.text).toMatch(/\/f already exists.*Read \/f now/s);
    expect(answer?.text).not.toMatch(/config|enabled/);
  });

  it.each(["f", "/a/../f", "/./f", "//f"])("knows the file in the spelling %s", async (spelled) => {
    const here = world({ "/f": "old" });
    expect(statuses(await answersTo(here, [["write_file", spelled, "blind"]]))).toEqual(["error"]);
    const [read, write] = await answersTo(here, [
      ["read_file", "/f"],
      ["write_file", spelled, "seen"],
    ]);
    expect(read?.additional_kwargs[READ_MARK_KEY]).toEqual({ path: "/f", hash: sha256("old") });
    expect(write?.status).not.toBe("error");
  });

  it("puts no mark on a read that failed in words only", async () => {
    const here = world({ "/f": "old" });
    here.tools[0] = tool(() => "Error: the offset is past the end", {
      name: "read_file",
      description: "Reads.",
      schema: pathSchema,
    });
    const answers = await answersTo(here, [
      ["read_file", "/f"],
      ["write_file", "/f"],
    ]);
    expect(statuses(answers)).toEqual(["success", "error"]);
  });

  it("marks the last tool message of a Command", async () => {
    const here = world({ "/f": "old" });
    here.tools[0] = tool(
      (_, { toolCallId }: ToolRuntime) =>
        new Command({
          update: { messages: [new ToolMessage({ content: "old", tool_call_id: toolCallId ?? "" })] },
        }),
      { name: "read_file", description: "Reads.", schema: pathSchema },
    );
    const answers = await answersTo(here, [
      ["read_file", "/f"],
      ["write_file", "/f", "seen"],
    ]);
    expect(answers[0]?.additional_kwargs[READ_MARK_KEY]).toEqual({ path: "/f", hash: sha256("old") });
    expect(here.texts).toEqual({ "/f": "seen" });
  });

  it("knows a file under every name that leads to it", async () => {
    const real = (path: string) => path.replace("/link", "/real");
    const links = { realPath: async (path: string) => real(path), judgedBy: () => here.backend };
    const here = world({ "/real": "old", "/link": "old" }, links);
    const answers = await answersTo(here, [
      ["read_file", "/link"],
      ["write_file", "/real", "new"],
      ["read_file", "/real"],
      ["write_file", "/link", "newer"],
    ]);
    expect(statuses(answers)).toEqual(["success", "success", "success", "error"]);
    expect(answers[0]?.additional_kwargs[READ_MARK_KEY]).toMatchObject({ path: "/real" });
  });

  it("takes every case of a name for one file where the files do", async () => {
    const here = world({ "/f": "old", "/F": "old" }, { foldsCase: true });
    const answers = await answersTo(here, [
      ["read_file", "/F"],
      ["write_file", "/f", "new"],
    ]);
    expect(statuses(answers)).toEqual(["success", "success"]);
  });

  it("lets everything pass when it is switched off", async () => {
    const here = world({ "/f": "old" });
    await answersTo(here, [["write_file", "/f", "blind"]], { enabled: false });
    expect(here.texts).toEqual({ "/f": "blind" });
  });

  it.each([
    ["the gate reads the file", { read: () => Promise.reject(denied) }],
    [
      "the gate looks where the file lies",
      {
        judgedBy: () => world({}).backend,
        realPath: () => Promise.reject(new Error("wrapped", { cause: denied })),
      },
    ],
  ] as const)(
    "refuses a call when the sandbox may not be used while %s, and the run goes on",
    async (_, part) => {
      const here = world({ "/f": "old" }, part as Partial<FileBackend>);
      const answers = await answersTo(here, [
        ["write_file", "/f", "blind"],
        ["edit_file", "/f"],
      ]);
      expect(answers.map(({ status, text }) => [status, text])).toEqual([
        ["error", expect.stringContaining("may not be used: it is another user's")],
        ["error", expect.stringContaining("may not be used")],
      ]);
      expect(here.texts).toEqual({ "/f": "old" });
    },
  );

  it("refuses a call whose tool says that the sandbox may not be used", async () => {
    const here = world({ "/f": "old" });
    const run = vi.fn(() => Promise.reject(new Error("tool failed", { cause: denied })));
    here.tools.push(tool(run, { name: "run_code", description: "Runs.", schema: pathSchema }));
    here.tools[0] = tool(run, { name: "read_file", description: "Reads.", schema: pathSchema });
    const answers = await answersTo(here, [
      ["read_file", "/f"],
      ["run_code", "/f"],
    ]);
    expect(run).toHaveBeenCalledTimes(2);
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      ["error", expect.stringContaining("may not be used")],
      ["error", expect.stringContaining("may not be used")],
    ]);
    expect(answers[0]?.additional_kwargs).toMatchObject({
      deerflow_tool_meta: { error_type: "sandbox_unauthorized" },
    });
  });

  it("still ends the run for any other failure of a tool", async () => {
    const here = world({});
    const broken = () => Promise.reject(new Error("out of memory"));
    here.tools[0] = tool(broken, { name: "read_file", description: "Reads.", schema: pathSchema });
    await expect(answersTo(here, [["read_file", "/f"]])).rejects.toThrow("out of memory");
  });
});
