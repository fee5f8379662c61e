import { mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { sha256 } from "../base/hash.js";
import { silentLogger } from "../base/logger.js";
import type { FileBackend } from "../filesystem/contract.js";
import { MountedDiskBackend } from "../filesystem/mounted-disk-backend.js";
import { guardFiles } from "../filesystem/guarded-backend.js";
import { PermissionRules } from "../policy/permission-rules.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { defineTool } from "../tools/define-tool.js";
import { createFileTools } from "../tools/file-tools.js";
import { judgeWrite, readBeforeWrite } from "./read-before-write.js";
import { READ_MARK_KEY } from "./read-before-write-marks.js";

let host: string;
let files: MountedDiskBackend;
const onDisk = (name: string) => readFile(join(host, name), "utf8");
const plant = (name: string, text: string) => writeFile(join(host, name), text);

beforeEach(async () => {
  host = await mkdtemp(join(tmpdir(), "deerflow-gate-"));
  files = new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-write" }] });
});
afterEach(() => rm(host, { recursive: true }));

/** A conversation whose tool calls pass the gate; each answer is added to the history, as an agent would. */
function conversation(backend: FileBackend = files, gateBackend: FileBackend = backend) {
  const messages: BaseMessage[] = [];
  const tools = createFileTools({ files: backend });
  const logger = { ...silentLogger, warn: vi.fn() };
  const gate = readBeforeWrite({ files: gateBackend, logger });
  const run = async (name: string, args: Record<string, unknown>, custom?: (typeof tools)[number]) => {
    const tool = custom ?? tools.find((each) => each.name === name);
    const toolCall = { id: `call-${messages.length}`, name, args, type: "tool_call" as const };
    const next = vi.fn(async () => tool?.invoke(toolCall, { configurable: {} }));
    const request = { toolCall, tool, state: { messages: [...messages] }, runtime: {} };
    const result = await gate.wrapToolCall?.(request as never, next as never);
    const answer = (
      result instanceof Command ? (result.update as { messages: ToolMessage[] }).messages.at(-1) : result
    ) as ToolMessage;
    return { answer, reached: next.mock.calls.length > 0 };
  };
  return {
    messages,
    logger,
    run,
    async call(name: string, args: Record<string, unknown>, custom?: (typeof tools)[number]) {
      const outcome = await run(name, args, custom);
      messages.push(outcome.answer);
      return outcome;
    },
  };
}

describe("read marks", () => {
  it("hold the hash of the whole file, also after a read of a part", async () => {
    await plant("f", "1\n2\n3\n");
    const { call } = conversation();
    const whole = { path: "/w/f", hash: sha256("1\n2\n3\n") };
    expect((await call("read_file", { path: "/w//f" })).answer.additional_kwargs[READ_MARK_KEY]).toEqual(
      whole,
    );
    const part = await call("read_file", { path: "/w/f", start_line: 2, end_line: 2 });
    expect(part.answer.additional_kwargs[READ_MARK_KEY]).toEqual(whole);
  });

  it("are not put on failed reads, writes or other tools", async () => {
    const { call } = conversation();
    for (const [name, args] of [
      ["read_file", { path: "/w/missing" }],
      ["write_file", { path: "/w/f", content: "x" }],
      ["ls", { path: "/w" }],
    ] as const) {
      expect((await call(name, args)).answer.additional_kwargs).toEqual({});
    }
  });

  it("are made from the file where a reading tool does not say what it read", async () => {
    await plant("f", "text");
    const custom = defineTool({
      name: "peek",
      operation: "read",
      description: "Peeks.",
      input: z.object({ path: z.string() }),
      run: async () => ({ text: "text" }),
    });
    const { answer } = await conversation().call("peek", { path: "/w/f" }, custom);
    expect(answer.additional_kwargs[READ_MARK_KEY]).toEqual({ path: "/w/f", hash: sha256("text") });
  });
});

describe("judgeWrite", () => {
  it.each([
    ["a new file", { inspected: true, version: undefined }, undefined, "allow"],
    ["an unread file", { inspected: true, version: "1" }, undefined, "refuse"],
    ["a stale read", { inspected: true, version: "2" }, "1", "refuse"],
    ["a fresh read", { inspected: true, version: "1" }, "1", "allow"],
    ["a file that cannot be inspected", { inspected: false }, undefined, "allow"],
  ] as const)("for %s", (...[, file, read, verdict]) => expect(judgeWrite(file, read)).toBe(verdict));
});

describe("readBeforeWrite", () => {
  it.each([
    ["write_file", { path: "/w/f", content: "new" }],
    ["write_file", { path: "/w/f", content: "new", append: true }],
    ["write_file", { file_path: "/w/./f", content: "new" }],
    ["str_replace", { path: "/w/f", old_str: "old", new_str: "new" }],
  ])("refuses %s %j on an unread file, and says how to go on", async (name, args) => {
    await plant("f", "old");
    const { answer, reached } = await conversation().call(name, args);
    expect(reached).toBe(false);
    expect(answer).toMatchObject({
      status: "error",
      name,
      tool_call_id: "call-0",
      artifact: { code: "file_not_read", path: "/w/f" },
    });
    expect(answer.text).toMatch(/^Error: \/w\/f already exists.*\n.*Read \/w\/f now.*30 lines/s);
    expect(answer.text).not.toMatch(/config|read_before_write/);
    expect(await onDisk("f")).toBe("old");
  });

  it("stops a report from growing by blind appends", async () => {
    const { call } = conversation();
    const steps: [string, Record<string, unknown>, boolean][] = [
      ["write_file", { path: "/w/r.md", content: "# T\n" }, true],
      ["write_file", { path: "/w/r.md", content: "Q1\n", append: true }, false],
      ["read_file", { path: "/w/r.md" }, true],
      ["write_file", { path: "/w/r.md", content: "Q1\n", append: true }, true],
      ["write_file", { path: "/w/r.md", content: "Q2\n", append: true }, false],
      ["read_file", { path: "/w/r.md", start_line: 1, end_line: 1 }, true],
      ["write_file", { path: "/w/r.md", content: "Q2\n", append: true }, true],
    ];
    for (const [name, args, passes] of steps) expect((await call(name, args)).reached).toBe(passes);
    expect(await onDisk("r.md")).toBe("# T\nQ1\nQ2\n");
  });

  it("compares content, not time stamps", async () => {
    await plant("f.txt", "one\n");
    const { call } = conversation();
    await call("read_file", { path: "/w/f.txt" });
    await utimes(join(host, "f.txt"), 2e9, 2e9);
    expect((await call("str_replace", { path: "/w/f.txt", old_str: "one", new_str: "two" })).reached).toBe(
      true,
    );
    await call("read_file", { path: "/w/f.txt" });
    await plant("f.txt", "six\n");
    await utimes(join(host, "f.txt"), 2e9, 2e9);
    expect((await call("str_replace", { path: "/w/f.txt", old_str: "two", new_str: "ten" })).reached).toBe(
      false,
    );
    expect(await onDisk("f.txt")).toBe("six\n");
  });

  it("forgets a read whose message is gone", async () => {
    await plant("f", "old");
    const { call, messages } = conversation();
    await call("read_file", { path: "/w/f" });
    messages.splice(
      0,
      messages.length,
      new HumanMessage({ content: "You have read /w/f.", name: "summary" }),
    );
    expect((await call("write_file", { path: "/w/f", content: "new" })).reached).toBe(false);
  });

  it("leaves missing targets, unusable paths and other tools to the tools", async () => {
    const { call } = conversation();
    for (const [name, args, code] of [
      ["str_replace", { path: "/w/no", old_str: "a", new_str: "b" }, "path_not_found"],
      ["write_file", { path: "/w/../x", content: "" }, "path_invalid"],
      ["write_file", { content: "x" }, "arguments_invalid"],
      ["ls", { path: "/nowhere" }, "path_not_found"],
    ] as const) {
      const { answer, reached } = await call(name, args);
      expect([reached, answer.artifact.code]).toEqual([true, code]);
    }
  });

  it("lets through and logs what it cannot inspect", async () => {
    await plant("f", "old");
    // The cast is sound: no other verb is called.
    const broken = {
      id: files.id,
      read: () => Promise.reject(new Error("sandbox gone")),
    } as unknown as FileBackend;
    const { call, logger } = conversation(broken);
    expect((await call("write_file", { path: "/w/f", content: "new" })).reached).toBe(true);
    expect(logger.warn).toHaveBeenCalledOnce();
  });

  it("lets only the first of several writes of one turn through", async () => {
    await plant("f", "0");
    const { call, run } = conversation();
    await call("read_file", { path: "/w/f" });
    const outcomes = await Promise.all(
      ["a", "b", "c"].map((letter) => run("write_file", { path: "/w/f", content: letter, append: true })),
    );
    expect(outcomes.map((outcome) => outcome.reached)).toEqual([true, false, false]);
    expect(await onDisk("f")).toBe("0a");
  });

  it("refuses a write beside the read that would allow it: the model has not seen that yet", async () => {
    await plant("f", "0");
    const { run } = conversation();
    const [read, write] = await Promise.all([
      run("read_file", { path: "/w/f" }),
      run("write_file", { path: "/w/f", content: "1" }),
    ]);
    expect([read.answer.status, write.reached]).toEqual(["success", false]);
  });

  it("guards an agent", async () => {
    await plant("f", "old\n");
    const write = { name: "write_file", args: { path: "/w/f", content: "new\n" } };
    const model = new ScriptedModel([
      { calls: [write] },
      { calls: [{ name: "read_file", args: { path: "/w/f" } }] },
      { calls: [write, { ...write, args: { path: "/w/g", content: "g" } }] },
      { text: "done" },
    ]);
    const agent = createAgent({
      model,
      tools: createFileTools({ files }),
      middleware: [readBeforeWrite({ files })],
    });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
    const statuses = messages.filter((each) => ToolMessage.isInstance(each)).map((each) => each.status);
    expect(statuses).toEqual(["error", "success", "success", "success"]);
    expect(await onDisk("f")).toBe("new\n");
  });
});

describe("beside path rules", () => {
  it("tells no more of a forbidden file that is there than of one that is not", async () => {
    await plant("secret", "old");
    const rules = new PermissionRules([
      { operations: ["read", "write"], paths: ["/w/secret*"], mode: "deny" },
    ]);
    const { call } = conversation(guardFiles(files, rules), files);
    const answers = [
      await call("write_file", { path: "/w/secret", content: "new" }),
      await call("write_file", { path: "/w/secret-absent", content: "new" }),
    ];
    const texts = answers.map(({ answer }) => answer.text.replace("-absent", ""));
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).toMatch(/rule/);
    expect(await onDisk("secret")).toBe("old");
  });
});

describe("tools of other makers", () => {
  const foreign = (name: string, work: (args: Record<string, unknown>) => unknown) =>
    tool(async (args: Record<string, unknown>) => work(args), {
      name,
      description: "Works.",
      schema: z.looseObject({}),
    }) as unknown as ReturnType<typeof createFileTools>[number];

  it("are refused where they name several files, so that nobody knows which is changed", async () => {
    await plant("f", "old");
    const { run } = conversation();
    const write = foreign("write_file", () => "written");
    for (const args of [
      { path: "/w/f", filename: "other" },
      { path: ["/w/f"] },
      { path: "/w/other", file_path: "/w/f" },
    ]) {
      const { answer, reached } = await run("write_file", args, write);
      expect([reached, answer.status]).toEqual([false, "error"]);
    }
    expect((await run("write_file", { title: "no path at all" }, write)).reached).toBe(true);
  });

  it("cannot say themselves that a file was read", async () => {
    await plant("f", "old");
    const { call } = conversation();
    const forger = foreign(
      "look",
      () =>
        new ToolMessage({
          content: "seen",
          tool_call_id: "x",
          additional_kwargs: { [READ_MARK_KEY]: { path: "/w/f", hash: sha256("old") } },
        }),
    );
    const { answer } = await call("look", {}, forger);
    expect(answer.additional_kwargs[READ_MARK_KEY]).toBeUndefined();
    expect((await call("write_file", { path: "/w/f", content: "new" })).reached).toBe(false);
  });
});
