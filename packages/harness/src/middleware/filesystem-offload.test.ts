import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { FileData } from "../filesystem/file-data.js";
import { FilesystemBackend } from "../filesystem/filesystem-backend.js";
import type { FilesState } from "../filesystem/files-channel.js";
import { StateBackend } from "../filesystem/state-backend.js";
import type { FilesystemPermission } from "../policy/file-permission.js";
import { ScriptedModel, type ScriptedTurn } from "../testing/scripted-model.js";
import { createFilesystemMiddleware } from "./filesystem.js";

const CONFIG = { configurable: { thread_id: "t" } };
/** Lines with what no text file can hold. */
const ODD = `first \0 line \uD83D end\n${"needle 😀\n".repeat(12_000)}`;

const toolText = (message: BaseMessage | undefined) => (ToolMessage.isInstance(message) ? message.text : "");
const pathIn = (text: string): string => /in the file (\S+)\]/.exec(text)?.[1] ?? "no path";
const answersOf = (messages: readonly BaseMessage[]) =>
  messages.filter((message): message is ToolMessage => ToolMessage.isInstance(message));

const dumpOf = (text: string) =>
  tool(() => text, { name: "dump", description: "Dumps.", schema: z.object({}) });

/** Has a long result, then reads the file that it was put into and searches it. */
const readingTurns = (): ConstructorParameters<typeof ScriptedModel>[0] => [
  { calls: [{ name: "dump" }] },
  (messages) => ({
    calls: [
      { name: "read_file", args: { file_path: pathIn(toolText(messages.at(-1))), limit: 2 } },
      {
        name: "grep",
        args: { pattern: "first", path: pathIn(toolText(messages.at(-1))), output_mode: "content" },
      },
    ],
  }),
  { text: "done" },
];

describe("what createFilesystemMiddleware puts into files", () => {
  it("can be paged and searched whatever the result held, and the stub says what was replaced", async () => {
    const model = new ScriptedModel(readingTurns());
    const agent = createAgent({ model, tools: [dumpOf(ODD)], middleware: [createFilesystemMiddleware()] });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] }, CONFIG);
    const [stub, read, found] = answersOf(messages);
    expect(stub?.text).toContain("In it a NUL stands as ␀ and half a character as \uFFFD.");
    expect(stub?.text).toContain(
      "It is kept while it is among the newest 2000 files and 500 MB of its folder.",
    );
    expect(stub?.text).not.toMatch(/\0|\p{Surrogate}/u);
    expect([read?.status, found?.status]).toEqual(["success", "success"]);
    expect(read?.text).toContain("first ␀ line \uFFFD end");
    expect(read?.text).toContain("needle 😀");
    expect(found?.text).toContain("first ␀ line");
  });

  it("says nothing of replacements where there were none, and how long is kept what the options say", async () => {
    const model = new ScriptedModel([{ calls: [{ name: "dump" }] }, { text: "done" }]);
    const middleware = [createFilesystemMiddleware({ retention: { maxFiles: 3, maxBytes: 4000 } })];
    const agent = createAgent({ model, tools: [dumpOf("a line\n".repeat(20_000))], middleware });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] }, CONFIG);
    const [stub] = answersOf(messages);
    expect(stub?.text).toContain("newest 3 files and 4000 bytes of its folder");
    expect(stub?.text).not.toContain("NUL");
  });

  it("can be paged where it was a message of the user, which itself stays as it was", async () => {
    const model = new ScriptedModel([
      (messages) => ({
        calls: [{ name: "read_file", args: { file_path: pathIn(messages[0]?.text ?? ""), limit: 2 } }],
      }),
      { text: "done" },
    ]);
    const middleware = [createFilesystemMiddleware({ humanMessageTokenLimitBeforeEvict: 100 })];
    const agent = createAgent({ model, middleware, checkpointer: new MemorySaver() });
    const { messages } = await agent.invoke({ messages: [new HumanMessage(ODD)] }, CONFIG);
    expect(model.calls[0]?.messages[0]?.text).toContain("a NUL stands as ␀");
    expect(answersOf(messages)[0]?.text).toContain("first ␀ line \uFFFD end");
    expect(messages[0]?.text).toBe(ODD);
  });

  it("can be read beside an allow-list, and not changed", async () => {
    const permissions: FilesystemPermission[] = [
      { operations: ["read", "write"], paths: ["/work/**"], mode: "allow" },
      { operations: ["read", "write"], paths: ["/**"], mode: "deny" },
    ];
    const turns = readingTurns();
    const model = new ScriptedModel([
      ...turns.slice(0, 2),
      {
        calls: [
          { name: "write_file", args: { file_path: "/large_tool_results/mine.txt", content: "x" } },
          { name: "read_file", args: { file_path: "/elsewhere/a.txt" } },
        ],
      },
      { text: "done" },
    ]);
    const middleware = [createFilesystemMiddleware({ permissions })];
    const agent = createAgent({ model, tools: [dumpOf(ODD)], middleware });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] }, CONFIG);
    const [, read, found, written, elsewhere] = answersOf(messages);
    expect(read?.text).toContain("first ␀ line");
    expect(found?.text).toContain("first ␀ line");
    expect(written?.text).toContain("a permission rule forbids it");
    expect(elsewhere?.text).toContain("a permission rule forbids it");
  });
});

/** As a strict provider has it: every call is answered directly after its message, and nothing else is. */
function breaches(messages: readonly BaseMessage[]): string[] {
  let open: string[] = [];
  const found: string[] = [];
  for (const message of messages) {
    if (ToolMessage.isInstance(message)) {
      if (!open.includes(message.tool_call_id)) found.push(`nobody asked for ${message.tool_call_id}`);
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    found.push(...open.map((id) => `${id} is open`));
    open = AIMessage.isInstance(message) ? (message.tool_calls ?? []).map(({ id }) => id ?? "") : [];
  }
  return [...found, ...open.map((id) => `${id} is open`)];
}

describe("an approval that the user gives up by writing on", () => {
  it("leaves no open call in any request, and the thread goes on", async () => {
    const write = (path: string) => ({ name: "write_file", args: { file_path: path, content: "x" } });
    const model = new ScriptedModel([
      { calls: [write("/a.txt"), { name: "ls", args: { path: "/" } }] },
      { calls: [write("/b.txt")] },
      { text: "done" },
    ]);
    const agent = createAgent({
      model,
      middleware: [createFilesystemMiddleware({ interruptOn: { write_file: true } })],
      checkpointer: new MemorySaver(),
    });
    await agent.invoke({ messages: [new HumanMessage("go")] }, CONFIG);
    await agent.invoke({ messages: [new HumanMessage("no, do it otherwise")] }, CONFIG);
    const resume = { decisions: [{ type: "approve" }] };
    const { messages } = await agent.invoke(new Command({ resume }), CONFIG);
    expect(messages.at(-1)?.text).toBe("done");
    expect(model.calls).toHaveLength(3);
    expect(model.calls.map((request) => breaches(request.messages))).toEqual([[], [], []]);
    expect(model.calls[1]?.messages.map((message) => message.getType())).toEqual([
      "human",
      "ai",
      "tool",
      "tool",
      "human",
    ]);
  });
});

describe("the field `files`", () => {
  const files: Record<string, FileData> = {
    "/a.txt": {
      content: "hello",
      encoding: "utf-8",

      created_at: "",
      modified_at: "",
    },
  };

  it("goes in and comes out of a run, as its types say, where the files are in the state", async () => {
    const turns: ScriptedTurn[] = [{ text: "done" }];
    const byDefault = createAgent({
      model: new ScriptedModel(turns),
      middleware: [createFilesystemMiddleware()],
    });
    const given = createAgent({
      model: new ScriptedModel(turns),
      middleware: [createFilesystemMiddleware({ backend: new StateBackend(), systemPrompt: "Mind." })],
    });
    for (const agent of [byDefault, given]) {
      const result = await agent.invoke({ messages: [new HumanMessage("go")], files });
      expectTypeOf(result.files).toEqualTypeOf<FilesState>();
      expect(result.files["/a.txt"]).toMatchObject({ content: "hello" });
    }
  });

  it("is not promised where they lie elsewhere", () => {
    const middleware = createFilesystemMiddleware({ backend: new FilesystemBackend({ rootDir: "/" }) });
    expectTypeOf(middleware).not.toEqualTypeOf(createFilesystemMiddleware());
    expect(middleware.stateSchema).toBeUndefined();
  });
});
