/** Several tool calls of one turn on the files of one state, in LangChain's agent and in ours. */
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver, StateSchema } from "@langchain/langgraph";
import { createAgent, createMiddleware, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgentGraph } from "../graph/create-agent-graph.js";
import { ScriptedModel, type ScriptedTurn } from "../testing/scripted-model.js";
import { changeFile } from "./change-file.js";
import { fileDataOf } from "./file-data.js";
import { type FilesState, filesChannel } from "./files-channel.js";
import { StateBackend } from "./state-backend.js";

const files = new StateBackend();
const bytes = (text: string): Uint8Array => Buffer.from(text);
const given = (texts: Readonly<Record<string, string>>): FilesState =>
  Object.fromEntries(
    Object.entries(texts).map(([path, text]) => [path, fileDataOf(bytes(text), { now: 0 })]),
  );

interface Refusal {
  readonly code: string;
}

/** What a tool does; a refusal of the backend becomes the tool's answer. */
const toolOf = (
  name: string,
  act: (args: { path: string; old?: string | undefined; text?: string | undefined }) => Promise<unknown>,
) =>
  tool(
    async (args) => {
      try {
        return String(await act(args));
      } catch (error) {
        return `refused: ${(error as Refusal).code}`;
      }
    },
    {
      name,
      description: name,
      schema: z.object({ path: z.string(), old: z.string().optional(), text: z.string().optional() }),
    },
  );

const TOOLS = [
  toolOf("edit", ({ path, old = "", text = "" }) =>
    changeFile(files, path, (content) => {
      const before = Buffer.from(content?.bytes ?? []).toString();
      return { bytes: bytes(before.replace(old, () => text)), told: "edited" };
    }).then(({ told }) => told),
  ),
  toolOf("create", ({ path, text = "" }) => files.write(path, bytes(text), { expectedVersion: null })),
  toolOf("write", ({ path, text = "" }) => files.write(path, bytes(text))),
  toolOf("remove", ({ path }) => files.remove(path)),
];

type Call = readonly [tool: string, args: Readonly<Record<string, string>>];

const turn = (calls: readonly Call[]): ScriptedTurn => ({
  calls: calls.map(([name, args], index) => ({ name, args, id: `call-${index}` })),
});

interface World {
  readonly calls: readonly Call[];
  readonly checkpointer?: MemorySaver;
  /** Called before a tool runs; may throw, which ends the run. */
  readonly before?: (callId: string) => Promise<void>;
}

interface Result {
  readonly files: FilesState;
  readonly answers: readonly string[];
}

/** Tells when the answer of a call is stored. */
class WatchedSaver extends MemorySaver {
  readonly answered: Promise<void>;
  #tell: () => void = () => undefined;

  constructor() {
    super();
    this.answered = new Promise((resolve) => {
      this.#tell = resolve;
    });
  }

  override async putWrites(...given: Parameters<MemorySaver["putWrites"]>): Promise<void> {
    await super.putWrites(...given);
    const messages = given[1].flatMap(([channel, value]) => (channel === "messages" ? [value].flat() : []));
    if (messages.some((message) => ToolMessage.isInstance(message))) this.#tell();
  }
}

interface Agent {
  invoke(input: unknown, config?: object): Promise<{ files: FilesState; messages: readonly ToolMessage[] }>;
}

function partsOf({ calls, checkpointer, before }: World) {
  return {
    model: new ScriptedModel([turn(calls), { text: "done" }]),
    tools: TOOLS,
    middleware: [
      createMiddleware({
        name: "files",
        stateSchema: new StateSchema({ files: filesChannel }),
        wrapToolCall: async (request, handler) => {
          await before?.(request.toolCall.id ?? "");
          return handler(request);
        },
      }),
    ],
    ...(checkpointer === undefined ? {} : { checkpointer }),
  };
}

const AGENTS: readonly { readonly name: string; readonly build: (world: World) => Agent }[] = [
  // The casts narrow to what the tests look at; both agents type their state from their own schemas.
  { name: "createAgent", build: (world) => createAgent(partsOf(world)).graph as unknown as Agent },
  { name: "createAgentGraph", build: (world) => createAgentGraph(partsOf(world)) as unknown as Agent },
];

const config = { configurable: { thread_id: "t" } };
const start = (texts: Readonly<Record<string, string>>) => ({
  messages: [new HumanMessage({ id: "h", content: "go" })],
  files: given(texts),
});
const resultOf = ({ files, messages }: Awaited<ReturnType<Agent["invoke"]>>): Result => ({
  files,
  answers: messages.filter((message) => message.getType() === "tool").map((message) => message.text),
});
const textsOf = (files: FilesState) =>
  Object.fromEntries(Object.entries(files).map(([path, { content }]) => [path, content]));

const TWO_EDITS: readonly Call[] = [
  ["edit", { path: "/f", old: "one", text: "ONE" }],
  ["edit", { path: "/f", old: "two", text: "TWO" }],
];

describe.each(AGENTS)("calls of one turn in $name", ({ build }) => {
  const run = async (texts: Readonly<Record<string, string>>, calls: readonly Call[]) =>
    resultOf(await build({ calls, checkpointer: new MemorySaver() }).invoke(start(texts), config));

  it("lose neither of two edits of one file, and no other file", async () => {
    const { files, answers } = await run({ "/f": "one two", "/g": "g" }, TWO_EDITS);
    expect(textsOf(files)).toEqual({ "/f": "ONE TWO", "/g": "g" });
    expect(answers).toEqual(["edited", "edited"]);
    expect(files["/f"]?.revision).toBe(2);
  });

  it("lose none without a checkpointer and a thread", async () => {
    const agent = build({ calls: TWO_EDITS });
    expect(textsOf(resultOf(await agent.invoke(start({ "/f": "one two" }))).files)).toEqual({
      "/f": "ONE TWO",
    });
  });

  it("lose none of sixteen, in the turn after as well", async () => {
    const edits = Array.from({ length: 16 }, (_, index): Call => {
      const name = String.fromCharCode(97 + index);
      return ["edit", { path: "/f", old: name, text: name.toUpperCase() }];
    });
    const world = { calls: edits, checkpointer: new MemorySaver() };
    const { files } = resultOf(await build(world).invoke(start({ "/f": "abcdefghijklmnop" }), config));
    expect(textsOf(files)).toEqual({ "/f": "ABCDEFGHIJKLMNOP" });
    expect(files["/f"]?.revision).toBe(16);
  });

  it("let one of two creators win, and say so to the other", async () => {
    const { files, answers } = await run({}, [
      ["create", { path: "/f", text: "a" }],
      ["create", { path: "/f", text: "b" }],
    ]);
    expect(textsOf(files)).toEqual({ "/f": "a" });
    expect(answers.filter((answer) => answer === "refused: file_changed")).toHaveLength(1);
  });

  it.each<readonly [string, readonly Call[], Readonly<Record<string, string>>]>([
    [
      "a removal and then a write",
      [
        ["remove", { path: "/f" }],
        ["write", { path: "/f", text: "x" }],
      ],
      {},
    ],
    [
      "a write and then a removal",
      [
        ["write", { path: "/f", text: "x" }],
        ["remove", { path: "/f" }],
      ],
      { "/f": "x" },
    ],
    [
      "a removal and then an edit",
      [
        ["remove", { path: "/f" }],
        ["edit", { path: "/f", text: "x" }],
      ],
      {},
    ],
    [
      "a folder and then a file in it",
      [
        ["remove", { path: "/d" }],
        ["write", { path: "/d/f", text: "x" }],
      ],
      {},
    ],
    [
      "a folder and then a new file in it",
      [
        ["remove", { path: "/d" }],
        ["write", { path: "/d/n", text: "x" }],
      ],
      {},
    ],
    [
      "a new file and then its folder",
      [
        ["write", { path: "/d/n", text: "x" }],
        ["remove", { path: "/d" }],
      ],
      { "/d/f": "d", "/d/n": "x" },
    ],
  ])("refuse the second of %s", async (_, calls, expected) => {
    const own = calls[0]?.[1]["path"]?.startsWith("/d") ? { "/d/f": "d" } : { "/f": "f" };
    const { files, answers } = await run({ ...own, "/other": "o" }, calls);
    expect(textsOf(files)).toEqual({ ...expected, "/other": "o" });
    expect(answers[0]).not.toContain("refused");
    expect(answers[1]).toBe("refused: file_changed");
  });

  it("are not kept from removing and writing different files", async () => {
    const { files, answers } = await run({ "/d/f": "f", "/dd": "dd" }, [
      ["remove", { path: "/d" }],
      ["write", { path: "/dd", text: "x" }],
      ["write", { path: "/e/f", text: "y" }],
    ]);
    expect(textsOf(files)).toEqual({ "/dd": "x", "/e/f": "y" });
    expect(answers.join()).not.toContain("refused");
  });

  it.each([
    ["first", "call-0"],
    ["second", "call-1"],
  ])("keep both edits when the %s one broke off after the other, and is run again", async (_, broken) => {
    const saver = new WatchedSaver();
    const begun: string[] = [];
    let breaks = true;
    const world: World = {
      calls: TWO_EDITS,
      checkpointer: saver,
      before: async (id) => {
        begun.push(id);
        if (!breaks || id !== broken) return;
        await saver.answered;
        throw new Error("the machine went down");
      },
    };
    await expect(build(world).invoke(start({ "/f": "one two", "/g": "g" }), config)).rejects.toThrow();
    breaks = false;
    const { files, answers } = resultOf(await build(world).invoke(null, config));
    expect(textsOf(files)).toEqual({ "/f": "ONE TWO", "/g": "g" });
    expect(answers).toEqual(["edited", "edited"]);
    expect(begun.filter((id) => id === broken)).toHaveLength(2);
    expect(begun).toHaveLength(3);
  });

  it.each([
    ["first", "call-0"],
    ["second", "call-1"],
  ])("keep both edits, each once, when the %s one broke off beside the other", async (_, broken) => {
    let breaks = true;
    const world: World = {
      calls: TWO_EDITS,
      checkpointer: new MemorySaver(),
      before: async (id) => {
        if (breaks && id === broken) throw new Error("the machine went down");
      },
    };
    await expect(build(world).invoke(start({ "/f": "one two one two" }), config)).rejects.toThrow();
    breaks = false;
    const { files } = resultOf(await build(world).invoke(null, config));
    expect(textsOf(files)).toEqual({ "/f": "ONE TWO one two" });
  });

  it("refuse after a break what a finished call beside it stands against", async () => {
    const saver = new WatchedSaver();
    let breaks = true;
    const world: World = {
      calls: [
        ["write", { path: "/d/n", text: "x" }],
        ["remove", { path: "/d" }],
      ],
      checkpointer: saver,
      before: async (id) => {
        if (!breaks || id !== "call-1") return;
        await saver.answered;
        throw new Error("the machine went down");
      },
    };
    await expect(build(world).invoke(start({ "/d/f": "f" }), config)).rejects.toThrow();
    breaks = false;
    const { files, answers } = resultOf(await build(world).invoke(null, config));
    expect(answers[1]).toBe("refused: file_changed");
    expect(textsOf(files)).toEqual({ "/d/f": "f", "/d/n": "x" });
  });

  it("change nothing more once the run was stopped", async () => {
    const stop = new AbortController();
    let late: Promise<unknown> | undefined;
    const world: World = {
      calls: [["write", { path: "/f", text: "x" }]],
      before: async () => {
        stop.abort(new Error("stopped"));
        late = files.write("/late", bytes("x"));
        await late.catch(() => undefined);
      },
    };
    const running = build(world).invoke(start({}), { signal: stop.signal });
    await expect(running).rejects.toThrow();
    await expect(late).rejects.toThrow("stopped");
  });
});
