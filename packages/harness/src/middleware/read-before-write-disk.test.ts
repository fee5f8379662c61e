/** The gate in an agent with the real tools of every dialect, on a real disk. */
import { mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { createAgent } from "langchain";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { sha256 } from "../base/hash.js";
import { MountedDiskBackend } from "../filesystem/mounted-disk-backend.js";
import { createAgentGraph } from "../graph/create-agent-graph.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { defineTool } from "../tools/define-tool.js";
import type { Dialect } from "../tools/dialects.js";
import { createFileTools } from "../tools/file-tools.js";
import { readBeforeWrite } from "./read-before-write.js";
import { READ_MARK_KEY } from "./read-before-write-marks.js";

let host: string;
let files: MountedDiskBackend;
beforeEach(async () => {
  host = await mkdtemp(join(tmpdir(), "deerflow-gate-"));
  files = new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-write" }] });
});
afterEach(() => rm(host, { recursive: true }));

const onDisk = (name: string) => readFile(join(host, name), "utf8");
const plant = (name: string, text: string) => writeFile(join(host, name), text);

interface Call {
  readonly name: string;
  readonly args?: Record<string, unknown>;
}

/** The same calls, as each dialect spells them. */
const SPEECH: Readonly<
  Record<
    Dialect,
    Record<"read" | "readLine" | "write" | "append" | "edit", (path: string, ...texts: string[]) => Call>
  >
> = {
  deerflow: {
    read: (path) => ({ name: "read_file", args: { path } }),
    readLine: (path) => ({ name: "read_file", args: { path, start_line: 1, end_line: 1 } }),
    write: (path, content) => ({ name: "write_file", args: { path, content } }),
    append: (path, content) => ({ name: "write_file", args: { path, content, append: true } }),
    edit: (path, old_str, new_str) => ({ name: "str_replace", args: { path, old_str, new_str } }),
  },
  deepagents: {
    read: (file_path) => ({ name: "read_file", args: { file_path } }),
    readLine: (file_path) => ({ name: "read_file", args: { file_path, offset: 0, limit: 1 } }),
    write: (file_path, content) => ({ name: "write_file", args: { file_path, content } }),
    append: (file_path, content) => ({ name: "write_file", args: { file_path, content, append: true } }),
    edit: (file_path, old_string, new_string) => ({
      name: "edit_file",
      args: { file_path, old_string, new_string },
    }),
  },
};

/** Work behind the back of the file tools, as a command in the shell does it. */
const shell = (work: () => Promise<unknown>) =>
  defineTool({
    name: "shell",
    operation: "execute",
    description: "Works.",
    input: z.object({}),
    run: async () => {
      await work();
      return { text: "done" };
    },
  });
const inShell: Call = { name: "shell" };

/** Calls turn by turn; gives all answers. */
async function answersTo(
  dialect: Dialect,
  turns: readonly (Call | readonly Call[])[],
  options: { work?: () => Promise<unknown>; build?: typeof createAgentGraph } = {},
): Promise<readonly ToolMessage[]> {
  const { work = async () => undefined, build = createAgentGraph } = options;
  const agent = build({
    model: new ScriptedModel([...turns.map((turn) => ({ calls: [turn].flat() })), { text: "done" }]),
    tools: [...createFileTools({ files, dialect }), shell(work)],
    middleware: [readBeforeWrite({ files })],
  });
  const { messages } = (await agent.invoke(
    { messages: [new HumanMessage("go")] },
    { recursionLimit: 100 },
  )) as { messages: unknown[] };
  return messages.filter((each) => ToolMessage.isInstance(each));
}

const passed = (answers: readonly ToolMessage[]) => answers.map(({ status }) => status !== "error");

describe.each(["deerflow", "deepagents"] as const)("in the %s dialect", (dialect) => {
  const { read, readLine, write, append, edit } = SPEECH[dialect];

  // The cast is sound: both take these options and are invoked alike.
  it.each([createAgent as unknown as typeof createAgentGraph, createAgentGraph])(
    "a report does not grow by blind appends (%o)",
    async (build) => {
      const report = "/w/r.md";
      const answers = await answersTo(
        dialect,
        [
          write(report, "# T\n"),
          append(report, "Q1\n"),
          read(report),
          append(report, "Q1\n"),
          append(report, "Q2\n"),
          readLine(report),
          append(report, "Q2\n"),
        ],
        { build },
      );
      expect(passed(answers)).toEqual([true, false, true, true, false, true, true]);
      for (const refused of [answers[1], answers[4]]) expect(refused?.text).toMatch(/\/w\/r\.md.*[Rr]ead/s);
      expect(await onDisk("r.md")).toBe("# T\nQ1\nQ2\n");
    },
  );

  it("a touched file may be changed, and a changed one with its old time stamp may not", async () => {
    await plant("f.txt", "one\n");
    let touched = false;
    const work = async () => {
      const path = join(host, "f.txt");
      const before = await stat(path);
      const ahead = new Date(before.mtimeMs + 5000);
      if (touched) await plant("f.txt", "six\n");
      await utimes(path, touched ? before.atime : ahead, touched ? before.mtime : ahead);
      touched = true;
    };
    const answers = await answersTo(
      dialect,
      [
        read("/w/f.txt"),
        inShell,
        edit("/w/f.txt", "one", "two"),
        read("/w/f.txt"),
        inShell,
        edit("/w/f.txt", "two", "ten"),
      ],
      { work },
    );
    expect(passed(answers)).toEqual([true, true, true, true, true, false]);
    expect(answers.at(-1)?.text).toContain("Read /w/f.txt now");
    expect(await onDisk("f.txt")).toBe("six\n");
  });

  it("every way of changing an unread file is refused", async () => {
    await plant("f", "old");
    const answers = await answersTo(dialect, [
      [write("/w/f", "x"), append("/w//f/", "x"), edit("/w/./f", "old", "x")],
    ]);
    expect(passed(answers)).toEqual([false, false, false]);
    expect(answers.map(({ artifact }) => artifact.code)).toEqual(Array(3).fill("file_not_read"));
    expect(await onDisk("f")).toBe("old");
  });

  it("a read of a part, and one that was cut, count for the whole file", async () => {
    const text = "line of some length\n".repeat(10_000);
    await plant("f", text);
    const answers = await answersTo(dialect, [
      readLine("/w/f"),
      append("/w/f", "a"),
      read("/w/f"),
      append("/w/f", "b"),
    ]);
    const hashes = answers.map((each) => each.additional_kwargs[READ_MARK_KEY]);
    expect(hashes).toEqual([
      { path: "/w/f", hash: sha256(text) },
      undefined,
      { path: "/w/f", hash: sha256(`${text}a`) },
      undefined,
    ]);
    expect(passed(answers)).toEqual([true, true, true, true]);
  });

  it("a failed read is none", async () => {
    await plant("f", "old");
    const beyond =
      dialect === "deerflow"
        ? { name: "read_file", args: { path: "/w/f", start_line: 50, end_line: 60 } }
        : { name: "read_file", args: { file_path: "/w/f", offset: 50 } };
    const answers = await answersTo(dialect, [read("/w/none"), beyond, write("/w/f", "x")]);
    expect(passed(answers)).toEqual([false, false, false]);
    expect(answers.map((each) => each.additional_kwargs[READ_MARK_KEY])).toEqual(Array(3).fill(undefined));
  });

  it("a link and its file are one", async () => {
    await plant("real", "old");
    await symlink("real", join(host, "link"));
    const answers = await answersTo(dialect, [
      read("/w/link"),
      write("/w/real", "1"),
      edit("/w/link", "1", "2"),
    ]);
    expect(passed(answers)).toEqual([true, true, false]);
    expect(answers[0]?.additional_kwargs[READ_MARK_KEY]).toMatchObject({ path: "/w/real" });
    expect(await onDisk("real")).toBe("1");
  });

  it("of two changes of one file under two names in one turn, one is let through", async () => {
    await plant("real", "0");
    await symlink("real", join(host, "link"));
    const answers = await answersTo(dialect, [
      read("/w/real"),
      [append("/w/link", "a"), append("/w/real", "b")],
    ]);
    const [, first] = passed(answers);
    expect(passed(answers)).toEqual([true, first, !first]);
    expect(await onDisk("real")).toBe(first === true ? "0a" : "0b");
  });

  it("a read beside a write of one turn is no read yet", async () => {
    await plant("f", "0");
    const answers = await answersTo(dialect, [[read("/w/f"), write("/w/f", "1")], write("/w/f", "2")]);
    expect(passed(answers)).toEqual([true, false, true]);
  });

  it("a file that was removed may be created, and is then unread", async () => {
    await plant("f", "0");
    const path = dialect === "deerflow" ? { path: "/w/f" } : { file_path: "/w/f" };
    const answers = await answersTo(dialect, [
      { name: "delete", args: path },
      write("/w/f", "1"),
      append("/w/f", "2"),
    ]);
    expect(passed(answers)).toEqual([true, true, false]);
  });
});

it("a read that asked for no line is none", async () => {
  await plant("f", "old");
  const answers = await answersTo("deepagents", [
    { name: "read_file", args: { file_path: "/w/f", limit: 0 } },
    SPEECH.deepagents.edit("/w/f", "old", "x"),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(["success", "error"]);
});

describe("a subagent", () => {
  it("has to read for itself: the marks of the agent that calls it are out of its sight", async () => {
    await plant("f", "old");
    const { read, write } = SPEECH.deerflow;
    let inner: readonly ToolMessage[] = [];
    const answers = await answersTo("deerflow", [read("/w/f"), inShell, write("/w/f", "outer")], {
      work: async () => {
        inner = await answersTo("deerflow", [write("/w/f", "blind"), read("/w/f"), write("/w/f", "inner")]);
      },
    });
    expect(passed(inner)).toEqual([false, true, true]);
    // And what the subagent has written makes the agent's own read stale.
    expect(passed(answers)).toEqual([true, true, false]);
    expect(await onDisk("f")).toBe("inner");
  });
});
