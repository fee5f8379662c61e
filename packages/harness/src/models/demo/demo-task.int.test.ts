import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MountedDiskBackend } from "../../filesystem/mounted-disk-backend.js";
import { createAgentGraph } from "../../graph/create-agent-graph.js";
import { readBeforeWrite } from "../../middleware/read-before-write.js";
import { todoList } from "../../middleware/todo-list.js";
import type { SandboxMount } from "../../sandbox/contract.js";
import { LocalProvider } from "../../sandbox/local/local-provider.js";
import { createFileTools } from "../../tools/file-tools.js";
import { presentFiles } from "../../tools/present-files.js";
import { DemoChatModel } from "./demo-chat-model.js";

const EXAMPLES = new URL("../../../../../examples/", import.meta.url);
let folder: string;
let mounts: SandboxMount[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deerflow-demo-"));
  mounts = ["workspace", "uploads", "outputs"].map((name) => {
    const hostPath = join(folder, name);
    mkdirSync(hostPath);
    return { virtualPath: `/mnt/user-data/${name}`, hostPath, mode: "read-write" as const };
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Stands where the command audit stands: a download piped into a shell does not run. */
const audit = createMiddleware({
  name: "audit",
  wrapToolCall: ({ toolCall, tool, state, runtime }, next) =>
    String(toolCall.args["command"]).startsWith("curl")
      ? new ToolMessage({ tool_call_id: toolCall.id ?? "", content: "Error: Refused.", status: "error" })
      : next({ toolCall, tool, state, runtime }),
});

async function perform(task: string, shell: boolean): Promise<readonly BaseMessage[]> {
  const files = new MountedDiskBackend({ mounts });
  const provider = new LocalProvider({ allowHostBash: true });
  const sandbox = await provider.acquire({
    id: folder,
    mounts,
    workingDirectory: "/mnt/user-data/workspace",
  });
  const graph = createAgentGraph({
    model: new DemoChatModel(),
    tools: [...createFileTools({ files, shell: shell ? sandbox : undefined }), presentFiles(files)],
    middleware: [audit, readBeforeWrite({ files }), todoList()],
  });
  try {
    const state = await graph.invoke({ messages: [new HumanMessage(task)] }, { recursionLimit: 100 });
    return state.messages;
  } finally {
    await provider.close();
  }
}

const put = (...names: string[]) => {
  for (const name of names)
    cpSync(new URL(name, EXAMPLES), join(folder, "uploads", name), { recursive: true });
};
const report = () => readFileSync(join(folder, "outputs", "report.md"), "utf8");
const refused = (messages: readonly BaseMessage[]) =>
  messages.filter((message) => ToolMessage.isInstance(message) && message.status === "error").length;

describe("the demo model with the real tools", () => {
  it.each(["sales.csv", "sales-crlf.csv"])("reports the right numbers of %s", async (name) => {
    put(name);
    const messages = await perform("Analyse the uploaded data and write a short report.", true);
    expect(String(messages.at(-1)?.content)).toContain(
      "revenue: sum 2980.70, mean 270.97, from 59.70 to 698.00",
    );
    expect(report()).toContain("| East | 3 | 4 | 916.50 |");
    expect(report()).toContain("The program read the table again: 12 rows, units 33, revenue 2980.70.");
    expect(report().match(/## How this was made/g)).toHaveLength(1);
    expect(refused(messages)).toBe(2);
    expect(messages.filter((message) => AIMessage.isInstance(message)).length).toBeLessThan(16);
  });

  it("finds the same numbers without a shell", async () => {
    put("sales-de.csv");
    const messages = await perform("Report the totals of sales-de.csv by region.", false);
    expect(String(messages.at(-1)?.content)).toContain("Umsatz: sum 2181.20");
    expect(report()).toContain("| Süd | 2 | 12 | 1377.00 |");
    expect(refused(messages)).toBe(1);
  });

  it("counts what a folder of notes holds", async () => {
    put("notes");
    const messages = await perform("Give me an overview of my notes.", true);
    expect(String(messages.at(-1)?.content)).toContain(
      "3 files with 28 lines, 82 words, 5 headings, 3 links, 3 notes of open work",
    );
    expect(report()).toContain("| plan.md | 13 | 38 | 3 | 2 |");
  });
});
