import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "langchain";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { MountedDiskBackend } from "../filesystem/mounted-disk-backend.js";
import { createAgentGraph } from "../graph/create-agent-graph.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import type { Dialect } from "../tools/dialects.js";
import { createFileTools } from "../tools/file-tools.js";
import { toolOutputOffload } from "./tool-output-offload.js";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

/** Five lines of 40,000 characters, no two of which are alike. */
const LONG_LINES = Array.from({ length: 5 }, (_, line) =>
  Array.from({ length: 4000 }, (_unused, part) => `${line}-${String(part).padStart(7, "0")}.`).join(""),
).join("\n");

type Arguments = Readonly<Record<string, string | number>>;

interface Reader {
  readonly dialect: Dialect;
  readonly read: (path: string) => Arguments;
  /** A second read of the script: line 2 alone. */
  readonly second: (path: string) => Arguments;
  /** The limit that the dialect documents for one read. */
  readonly limit: number;
  /** What of an answer is the file's, and where it says to go on. */
  readonly parse: (
    answer: string,
    path: string,
  ) => { readonly text: string; readonly next: Arguments | undefined };
}

const numbersIn = (hint: string | undefined): Record<string, number> =>
  Object.fromEntries(
    [...(hint ?? "").matchAll(/(offset|line_offset|start_line)=(\d+)/g)].map((match) => [
      match[1],
      Number(match[2]),
    ]),
  );

const READERS: readonly Reader[] = [
  {
    dialect: "deerflow",
    read: (path) => ({ description: "look", path }),
    second: (path) => ({ description: "look", path, start_line: 2, end_line: 2 }),
    limit: 50_000,
    parse(answer, path) {
      const hint = /(\n?)\[Cut (at|after) [^\]]*\]$/.exec(answer);
      const isInside = hint?.[2] === "after";
      const text =
        hint === null ? answer : answer.slice(0, isInside ? hint.index : hint.index + (hint[1]?.length ?? 0));
      return { text, next: hint === null ? undefined : { description: "on", path, ...numbersIn(hint[0]) } };
    },
  },
  {
    dialect: "deepagents",
    read: (file_path) => ({ file_path }),
    second: (file_path) => ({ file_path, offset: 1, limit: 1 }),
    limit: 80_000,
    parse(answer, file_path) {
      const hint = /\n\[[^\]]*Go on [^\]]*\]$/.exec(answer);
      const rows = (hint === null ? answer : answer.slice(0, hint.index)).split("\n");
      const next = hint === null ? undefined : { file_path, ...numbersIn(hint[0]) };
      const goesOnInside = next !== undefined && "line_offset" in next;
      const text = rows
        .map((row) => /^ *(\d+)(\.\d+)? {2}(.*)$/s.exec(row))
        .map((row, index) => `${row?.[2] === undefined && index > 0 ? "\n" : ""}${row?.[3]}`)
        .join("");
      return { text: next === undefined || goesOnInside ? text : `${text}\n`, next };
    },
  },
];

describe.each(READERS)("reading an offloaded result in the dialect $dialect", (reader) => {
  const pathOf = (messages: readonly BaseMessage[]): string => {
    const stub = messages.find((message) => ToolMessage.isInstance(message));
    return /in the file (\S+)\]/.exec(stub?.text ?? "")?.[1] ?? "no path";
  };

  function world() {
    const root = mkdtempSync(join(tmpdir(), "deerflow-reading-"));
    roots.push(root);
    const files = new MountedDiskBackend({
      mounts: [{ virtualPath: "/mnt", hostPath: root, mode: "read-write" }],
    });
    const dump = tool(() => LONG_LINES, { name: "dump", description: "Dumps.", schema: z.object({}) });
    const tools = createFileTools({ files, dialect: reader.dialect });
    const model = new ScriptedModel([
      { calls: [{ name: "dump" }] },
      (messages) => ({ calls: [{ name: "read_file", args: reader.read(pathOf(messages)) }] }),
      (messages) => ({ calls: [{ name: "read_file", args: reader.second(pathOf(messages)) }] }),
      { text: "done" },
    ]);
    const offload = toolOutputOffload({ files, folder: "/mnt/results", dialect: reader.dialect });
    const agent = createAgentGraph({ model, tools: [dump, ...tools], middleware: [offload] });
    return { agent, model, tools, stored: () => readdirSync(join(root, "results")) };
  }

  it("ends in four turns with one file, and each read is bounded and says how to go on", async () => {
    const { agent, model, stored } = world();
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
    const reads = messages.filter((message) => ToolMessage.isInstance(message)).slice(1);
    expect(model.calls).toHaveLength(4);
    expect(stored()).toHaveLength(1);
    expect(reads.map(({ status }) => status)).toEqual(["success", "success"]);
    for (const { text } of reads) expect(text.length).toBeLessThanOrEqual(reader.limit + 200);
    expect(reads[0]?.text).toMatch(/Go on/);
  });

  it("gives the whole text back, character by character, to one who follows the hints", async () => {
    const { agent, tools } = world();
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
    const path = pathOf(messages);
    const readFile = tools.find(({ name }) => name === "read_file");
    let wanted: Arguments | undefined = reader.read(path);
    let whole = "";
    for (let reads = 0; wanted !== undefined && reads < 50; reads += 1) {
      const call = { name: "read_file", args: wanted, id: "c", type: "tool_call" as const };
      // The cast is sound: a tool that is given a call answers with a message.
      const answer = (await readFile?.invoke(call)) as ToolMessage;
      const part = reader.parse(answer.text, path);
      whole += part.text;
      wanted = part.next;
    }
    expect(whole.length).toBe(LONG_LINES.length);
    expect(whole === LONG_LINES).toBe(true);
  });
});
