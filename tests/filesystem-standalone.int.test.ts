/** The file tools on their own, in a plain LangChain agent and in ours, over every place where files can lie. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDeerflowAgent } from "@deerflow/harness";
import {
  CompositeBackend,
  createFilesystemMiddleware,
  createReadBeforeWriteMiddleware,
  FilesystemBackend,
  type FilesystemMiddlewareOptions,
  type FilesystemPermission,
  LocalShellBackend,
  StateBackend,
  StoreBackend,
} from "@deerflow/harness/filesystem";
import { type ScriptedTurn, ScriptedModel } from "@deerflow/harness/testing";
import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, InMemoryStore, MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, tool } from "langchain";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "deerflow-standalone-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

interface Agent {
  invoke(input: unknown, config: unknown): Promise<{ messages: BaseMessage[]; __interrupt__?: unknown[] }>;
}

/** What outlives an agent: its threads and its store. */
const newMemory = () => ({ checkpointer: new MemorySaver(), store: new InMemoryStore() });
type Memory = ReturnType<typeof newMemory>;
type Build = (model: ScriptedModel, middleware: AgentMiddleware[], memory?: Memory) => Agent;

const BUILDERS: readonly { readonly agent: string; readonly build: Build }[] = [
  {
    agent: "a plain createAgent",
    build: (model, middleware, memory = newMemory()) =>
      createAgent({ model, middleware, ...memory }) as Agent,
  },
  {
    agent: "our own agent",
    build: (model, middleware, memory = newMemory()) =>
      createDeerflowAgent({ model, middleware, ...memory }) as Agent,
  },
];

const BACKENDS = [
  { files: "the state", open: () => new StateBackend() },
  { files: "a store", open: () => new StoreBackend({ namespace: ["notes"] }) },
  { files: "a folder", open: () => new FilesystemBackend({ rootDir: root }) },
  {
    files: "a composite",
    open: () => new CompositeBackend(new StateBackend(), { "/w/": new FilesystemBackend({ rootDir: root }) }),
  },
] as const;

const PLACES = BUILDERS.flatMap((builder) => BACKENDS.map((backend) => ({ ...builder, ...backend })));
const THREAD = { configurable: { thread_id: "t" }, recursionLimit: 200 };

const call = (name: string, args: Record<string, unknown>) => ({ name, args });

/** Plays the turns and gives the answers to all calls, in order. */
async function play(agent: Agent, input: unknown = { messages: [new HumanMessage("go")] }) {
  const { messages } = await agent.invoke(input, THREAD);
  return {
    answers: messages.filter((message): message is ToolMessage => ToolMessage.isInstance(message)),
    last: messages.at(-1)?.text,
    messages,
  };
}

const scripted = (turns: readonly ScriptedTurn[]) => new ScriptedModel([...turns, { text: "done" }]);
/** One call a turn. */
const oneByOne = (calls: readonly ReturnType<typeof call>[]) =>
  scripted(calls.map((each) => ({ calls: [each] })));

/** Several calls a turn, side by side. */
const inTurns = (calls: readonly ReturnType<typeof call>[]): ScriptedTurn[] =>
  calls.length === 0 ? [] : [{ calls: calls.slice(0, 4) }, ...inTurns(calls.slice(4))];

const texts = (answers: readonly ToolMessage[]) => answers.map(({ text }) => text);
const statuses = (answers: readonly ToolMessage[]) => answers.map(({ status }) => status);

describe.each(PLACES)("file tools over $files in $agent", ({ build, open }) => {
  const start = (model: ScriptedModel, options: FilesystemMiddlewareOptions = {}) =>
    build(model, [createFilesystemMiddleware({ backend: open(), ...options })]);

  it("write, read, edit, list, find, search and delete", async () => {
    const model = oneByOne([
      call("write_file", { file_path: "/w/a.txt", content: "one\ntwo\n" }),
      call("read_file", { file_path: "/w/a.txt" }),
      call("edit_file", { file_path: "/w/a.txt", old_string: "two", new_string: "$& three" }),
      call("ls", { path: "/w" }),
      call("glob", { pattern: "*.txt" }),
      call("grep", { pattern: "three", output_mode: "content" }),
      call("delete", { file_path: "/w/a.txt" }),
      call("read_file", { file_path: "/w/a.txt" }),
    ]);
    const { answers, last } = await play(start(model));
    expect(last).toBe("done");
    expect(statuses(answers)).toEqual([...Array.from({ length: 7 }, () => "success"), "error"]);
    const [, read, , listed, found, searched, , gone] = texts(answers);
    expect(read).toMatch(/1 {2}one\n2 {2}two/);
    expect(listed).toBe("/w/a.txt");
    expect(found).toBe("/w/a.txt");
    expect(searched).toBe("/w/a.txt:\n  2: $& three");
    expect(gone).toContain("/w/a.txt");
  });

  it("apply two edits of one file in one turn, both of them", async () => {
    const model = scripted([
      { calls: [call("write_file", { file_path: "/w/a.txt", content: "alpha\nbeta\n" })] },
      {
        calls: [
          call("edit_file", { file_path: "/w/a.txt", old_string: "alpha", new_string: "ALPHA" }),
          call("edit_file", { file_path: "/w/a.txt", old_string: "beta", new_string: "BETA" }),
        ],
      },
      { calls: [call("read_file", { file_path: "/w/a.txt" })] },
    ]);
    const { answers } = await play(start(model));
    expect(statuses(answers)).toEqual(["success", "success", "success", "success"]);
    expect(answers.at(-1)?.text).toMatch(/ALPHA\n.*BETA/);
  });

  it("let no denied file be read, found, listed or changed, however it is spelled", async () => {
    const backend = open();
    const permissions: FilesystemPermission[] = [
      { operations: ["read", "write"], paths: ["/w/secrets/**"], mode: "deny" },
    ];
    const memory = newMemory();
    const turns: ScriptedTurn[] = [];
    /** Goes on in the same thread, with an agent of its own. */
    const goOn = async (options: FilesystemMiddlewareOptions, calls: readonly ReturnType<typeof call>[]) => {
      turns.push(...inTurns(calls), { text: "done" });
      const agent = build(
        new ScriptedModel(turns),
        [createFilesystemMiddleware({ backend, ...options })],
        memory,
      );
      const { answers, last } = await play(agent);
      expect(last).toBe("done");
      return answers.slice(-calls.length);
    };
    await goOn({}, [
      call("write_file", { file_path: "/w/secrets/.key", content: "top secret" }),
      call("write_file", { file_path: "/w/open.txt", content: "nothing secret" }),
    ]);
    const onFile = (path: string) => [
      call("read_file", { file_path: path }),
      call("write_file", { file_path: path, content: "mine" }),
      call("edit_file", { file_path: path, old_string: "top", new_string: "no" }),
      call("delete", { file_path: path }),
      call("grep", { pattern: "secret", path }),
    ];
    const spellings = ["/w/secrets/.key", "/w/./secrets/.key", "//w/secrets//.key", "/w/secrets/.key/"];
    const refused = await goOn({ permissions }, [
      ...spellings.flatMap(onFile),
      call("ls", { path: "/w/secrets" }),
      call("glob", { pattern: "*", path: "/w/secrets" }),
      call("delete", { file_path: "/w/secrets" }),
      call("delete", { file_path: "/w" }),
    ]);
    expect(refused).toHaveLength(spellings.length * 5 + 4);
    expect(refused.filter(({ status }) => status !== "error").map(({ text }) => text)).toEqual([]);
    expect(texts(refused).join("\n")).not.toContain("top secret");
    const [found, key] = await goOn({}, [
      call("grep", { pattern: "secret", path: "/w/secrets" }),
      call("read_file", { file_path: "/w/secrets/.key" }),
    ]);
    expect(found?.text).toBe("/w/secrets/.key");
    expect(key?.text).toContain("top secret");
  });

  it("leave a denied file out of what they find around it", async () => {
    const permissions: FilesystemPermission[] = [
      { operations: ["read"], paths: ["/w/secrets/**"], mode: "deny" },
    ];
    const model = oneByOne([
      call("write_file", { file_path: "/w/secrets/key.txt", content: "needle" }),
      call("write_file", { file_path: "/w/open.txt", content: "needle" }),
      call("grep", { pattern: "needle" }),
      call("glob", { pattern: "**/*.txt" }),
      call("ls", { path: "/w" }),
    ]);
    const { answers } = await play(start(model, { permissions }));
    expect(texts(answers).slice(2)).toEqual(["/w/open.txt", "/w/open.txt", "/w/open.txt"]);
  });
});

const ODD_PATHS = [
  "/../x",
  "~/x",
  "",
  "/a\0b",
  "rel.txt",
  `/${"n".repeat(5000)}`,
  "/w/file/x",
  "/a/../../x",
  "C:/x",
  "/bad\ud800name",
];

describe.each(PLACES)("odd paths over $files in $agent", ({ build, open }) => {
  it("are each one answer with an error, without a host path, and the run goes on", async () => {
    const about = (path: string) => [
      call("read_file", { file_path: path }),
      call("write_file", { file_path: path, content: "x" }),
      call("edit_file", { file_path: path, old_string: "a", new_string: "b" }),
      call("delete", { file_path: path }),
      call("ls", { path }),
      call("glob", { pattern: "*", path }),
      call("grep", { pattern: "x", path }),
    ];
    const first = [call("write_file", { file_path: "/w/file", content: "x" })];
    const calls = ODD_PATHS.flatMap(about);
    const model = scripted([{ calls: first }, ...inTurns(calls)]);
    const { answers, last } = await play(build(model, [createFilesystemMiddleware({ backend: open() })]));
    expect(last).toBe("done");
    const [made, ...odd] = answers;
    expect(made?.status).toBe("success");
    expect(odd).toHaveLength(ODD_PATHS.length * 7);
    const fine = odd.flatMap((answer, index) => (answer.status === "error" ? [] : [calls[index]]));
    expect(fine).toEqual([]);
    expect(texts(odd).join("\n")).not.toContain(root);
  });
});

/** A PNG of one pixel. */
const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

class Seeing extends ScriptedModel {
  override get profile() {
    return { imageInputs: true };
  }
}

class Blind extends ScriptedModel {
  override get profile() {
    return { imageInputs: false };
  }
}

describe.each(BUILDERS)("what belongs to the tools, in $agent", ({ build }) => {
  it("asks a person where a rule says so, and an edited call still meets the rules", async () => {
    const permissions: FilesystemPermission[] = [
      { operations: ["write"], paths: ["/locked/**"], mode: "deny" },
      { operations: ["write"], paths: ["/**"], mode: "interrupt" },
    ];
    const write = (path: string) => call("write_file", { file_path: path, content: "x" });
    const model = scripted([
      { calls: [write("/a.txt"), write("/b.txt"), write("/c.txt"), call("ls", { path: "/" })] },
      { calls: [call("ls", { path: "/" })] },
    ]);
    const middleware = [
      createFilesystemMiddleware({ backend: new FilesystemBackend({ rootDir: root }), permissions }),
    ];
    const agent = build(model, middleware);
    const paused = await agent.invoke({ messages: [new HumanMessage("go")] }, THREAD);
    expect(paused.__interrupt__).toHaveLength(1);
    expect(readdirSync(root)).toEqual([]);
    const decisions = [
      { type: "approve" },
      { type: "reject", message: "not that one" },
      {
        type: "edit",
        editedAction: { name: "write_file", args: { file_path: "/locked/c.txt", content: "x" } },
      },
    ];
    const { answers } = await play(agent, new Command({ resume: { decisions } }));
    const byPath = new Map(answers.map((answer) => [answer.tool_call_id, answer]));
    const [approved, rejected, edited] = ["call-0-0", "call-0-1", "call-0-2"].map((id) => byPath.get(id));
    expect(approved?.status).toBe("success");
    expect(rejected?.text).toContain("not that one");
    expect(edited?.text).toContain("/locked/c.txt cannot be changed: a permission rule forbids it");
    expect(readdirSync(root)).toEqual(["a.txt"]);
  });

  it("puts a large result of any tool into one file, which the model can read to its end", async () => {
    const line = "y".repeat(40_000);
    const big = tool(() => Array.from({ length: 5 }, (_, index) => `${index}${line}`).join("\n"), {
      name: "big",
      schema: z.object({}),
    });
    const backend = new FilesystemBackend({ rootDir: root });
    const reading = (messages: readonly BaseMessage[]): ScriptedTurn => {
      const said = messages.map((message) => message.text).join("\n");
      const path = /\/large_tool_results\/[\w.-]+/.exec(said)?.[0] ?? "";
      return { calls: [call("read_file", { file_path: path })] };
    };
    const model = new ScriptedModel([{ calls: [call("big", {})] }, reading, { text: "done" }]);
    const agent = build(model, [
      createFilesystemMiddleware({ backend }),
      { ...createReadBeforeWriteMiddleware({ backend }), tools: [big] } as AgentMiddleware,
    ]);
    const { answers, last } = await play(agent);
    expect(last).toBe("done");
    expect(answers[0]?.text.length).toBeLessThan(20_000);
    expect(answers[1]?.text.length).toBeLessThan(80_000);
    const [stored = ""] = readdirSync(join(root, "large_tool_results"));
    expect(readdirSync(join(root, "large_tool_results"))).toHaveLength(1);
    expect(readFileSync(join(root, "large_tool_results", stored), "utf8")).toHaveLength(200_009);
  });

  it("puts a long message of the user into a file, while the state keeps it whole", async () => {
    const model = new ScriptedModel([{ text: "done" }]);
    const backend = new FilesystemBackend({ rootDir: root });
    const agent = build(model, [
      createFilesystemMiddleware({ backend, humanMessageTokenLimitBeforeEvict: 10 }),
    ]);
    const long = `first line\n${"w".repeat(5000)}`;
    const { messages } = await play(agent, { messages: [new HumanMessage({ id: "h", content: long })] });
    expect(messages.map(({ text }) => text)).toEqual([long, "done"]);
    const [seen] = model.calls[0]?.messages ?? [];
    expect(seen?.text).toMatch(/\/conversation_history\/[\w.-]+/);
    expect(seen?.text.length).toBeLessThan(long.length);
    const [stored = ""] = readdirSync(join(root, "conversation_history"));
    expect(readFileSync(join(root, "conversation_history", stored), "utf8")).toBe(long);
  });

  it("shows an image to a model that takes images, and a note to one that does not", async () => {
    writeFileSync(join(root, "dot.png"), Buffer.from(DOT, "base64"));
    const read = { calls: [call("read_file", { file_path: "/dot.png" })] };
    const backend = new FilesystemBackend({ rootDir: root });
    for (const model of [new Seeing([read, { text: "done" }]), new Blind([read, { text: "done" }])]) {
      const { answers } = await play(build(model, [createFilesystemMiddleware({ backend })]));
      expect(JSON.stringify(answers[0]?.content)).toContain(DOT);
      const shown = JSON.stringify(model.calls.at(-1)?.messages.at(-1)?.content);
      expect(shown.includes(DOT)).toBe(model instanceof Seeing);
      expect(shown.includes("The image /dot.png (image/png) is left out")).toBe(model instanceof Blind);
    }
  });

  it("goes past the rules for its own files, and the model reads them through the rules", async () => {
    const big = tool(() => "z".repeat(100_000), { name: "big", schema: z.object({}) });
    const backend = new CompositeBackend(
      new StateBackend(),
      { "/kept/": new FilesystemBackend({ rootDir: root }) },
      { artifactsRoot: "/kept" },
    );
    const permissions: FilesystemPermission[] = [
      { operations: ["read", "write"], paths: ["/kept/**"], mode: "deny" },
    ];
    const reading = (messages: readonly BaseMessage[]): ScriptedTurn => {
      const path = /\/kept\/large_tool_results\/[\w.-]+/.exec(messages.at(-1)?.text ?? "")?.[0] ?? "";
      return { calls: [call("read_file", { file_path: path })] };
    };
    const middleware = { ...createFilesystemMiddleware({ backend, permissions }) };
    const agent = build(new ScriptedModel([{ calls: [call("big", {})] }, reading, { text: "done" }]), [
      { ...middleware, tools: [...(middleware.tools ?? []), big] } as AgentMiddleware,
    ]);
    const { answers } = await play(agent);
    expect(readdirSync(join(root, "large_tool_results"))).toHaveLength(1);
    expect(answers[1]?.text).toContain("a permission rule forbids it");
  });

  it("makes no tool that was not asked for, so that a call that the model makes up finds nothing", async () => {
    const middleware = createFilesystemMiddleware({ tools: ["read_file", "write_file"] });
    const model = oneByOne([
      call("write_file", { file_path: "/a.txt", content: "x" }),
      call("delete", { file_path: "/a.txt" }),
      call("read_file", { file_path: "/a.txt" }),
    ]);
    const { answers } = await play(build(model, [middleware]));
    expect(model.calls[0]?.tools).toEqual(["read_file", "write_file"]);
    expect(statuses(answers)).toEqual(["success", "error", "success"]);
  });

  it("runs commands where there is a shell, and says how they ended", async () => {
    writeFileSync(join(root, "a.txt"), "hello\n");
    const backend = new LocalShellBackend({ rootDir: root });
    const model = oneByOne([
      call("execute", { command: "cat a.txt; exit 3" }),
      call("execute", { command: "true", timeout: 11 }),
    ]);
    const agent = build(model, [createFilesystemMiddleware({ backend, maxExecuteTimeout: 10 })]);
    const { answers } = await play(agent);
    expect(answers[0]).toMatchObject({ status: "success", artifact: { exit_code: 3 } });
    expect(answers[0]?.text).toContain("hello");
    expect(answers[1]).toMatchObject({ status: "error" });
    expect(model.calls[0]?.tools.at(-1)).toBe("execute");
  });

  it("keeps the files of two agents with two backends apart", async () => {
    const other = mkdtempSync(join(tmpdir(), "deerflow-standalone-"));
    try {
      const writing = (rootDir: string, content: string) =>
        play(
          build(oneByOne([call("write_file", { file_path: "/a.txt", content })]), [
            createFilesystemMiddleware({ backend: new FilesystemBackend({ rootDir }) }),
          ]),
        );
      await Promise.all([writing(root, "one"), writing(other, "two")]);
      expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one");
      expect(readFileSync(join(other, "a.txt"), "utf8")).toBe("two");
    } finally {
      rmSync(other, { recursive: true });
    }
  });
});

describe("what an agent is not built with", () => {
  const deny: FilesystemPermission[] = [{ operations: ["read"], paths: ["/secrets/**"], mode: "deny" }];

  it("is rules that its shell could go around, unless the shell tool is left out", () => {
    const backend = new LocalShellBackend({ rootDir: root });
    expect(() => createFilesystemMiddleware({ backend, permissions: deny })).toThrow(/\/secrets\/\*\*/);
    const tools = ["read_file", "ls"];
    expect(() => createFilesystemMiddleware({ backend, permissions: deny, tools })).not.toThrow();
  });

  it("is a rule that means a home where there is none", () => {
    const permissions: FilesystemPermission[] = [{ operations: ["read"], paths: ["~/x"], mode: "deny" }];
    expect(() => createFilesystemMiddleware({ permissions })).toThrow(/~/);
  });

  it("is a field for files, where no backend keeps any in the state", () => {
    const middleware = createFilesystemMiddleware({ backend: new FilesystemBackend({ rootDir: root }) });
    expect(middleware.stateSchema).toBeUndefined();
    expect(createFilesystemMiddleware().stateSchema).toBeDefined();
  });
});
