import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { afterEach, describe, expect, it } from "vitest";
import { silentLogger } from "../base/logger.js";
import { parseConfig } from "../config/parse-config.js";
import { threadDirectories } from "../context/home-paths.js";
import { LOCAL_PRINCIPAL } from "../context/principal.js";
import type { ModelInfo } from "../models/contract.js";
import { BubblewrapProvider } from "../sandbox/bubblewrap/bubblewrap-provider.js";
import { bubblewrapWorks } from "../testing/bubblewrap-works.js";
import { ScriptedModel, type ScriptedTurn } from "../testing/scripted-model.js";
import { makeLeadAgent } from "./lead-agent.js";

const FOLDER = "/mnt/user-data/outputs/.tool-results";
const LINES = 20_000;
const PRINTED = Array.from(
  { length: LINES },
  (_, index) => `row ${String(index + 1).padStart(6, "0")}\n`,
).join("");

type Turn = ScriptedTurn | ((messages: readonly BaseMessage[]) => ScriptedTurn);

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

async function play(turns: readonly Turn[], first: HumanMessage = new HumanMessage("go")) {
  const home = mkdtempSync(join(tmpdir(), "deerflow-offload-"));
  homes.push(home);
  const provider = new BubblewrapProvider();
  const model = new ScriptedModel(turns);
  const factory = makeLeadAgent({
    home,
    config: () => parseConfig({}).config,
    models: async () => ({ models: [{ name: "scripted" } as ModelInfo], createChatModel: () => model }),
    sandboxProvider: provider,
    audit: { record: async () => undefined },
    logger: silentLogger,
  });
  const agent = await factory({
    principal: LOCAL_PRINCIPAL,
    threadId: "t1",
    runId: "r1",
    assistantId: "lead_agent",
    context: {},
    checkpointer: new MemorySaver(),
  });
  let messages: BaseMessage[] = [];
  const config = { configurable: { thread_id: "t1" }, streamMode: "values" };
  for await (const values of await agent.graph.stream({ messages: [first] }, config)) {
    // The cast is sound: values of this graph hold its messages.
    messages = (values as { messages: BaseMessage[] }).messages;
  }
  await agent.close();
  await provider.close();
  const results = messages.filter((message) => ToolMessage.isInstance(message));
  const outputs = threadDirectories(home, LOCAL_PRINCIPAL, "t1").outputs;
  return { model, messages, results, outputs };
}

const bash = (command: string): ScriptedTurn => ({
  calls: [{ name: "bash", args: { description: "run", command } }],
});

const pathIn = (messages: readonly BaseMessage[]): string => {
  const stub = messages.find((message) => message.text.includes("is too long to show"));
  return /in the file (\S+)\]/.exec(stub?.text ?? "")?.[1] ?? "no path";
};

describe.runIf(await bubblewrapWorks())("the lead agent with a long result", () => {
  it("finds all of a command's output in a file that its shell and its read_file see", async () => {
    const { model, results, outputs } = await play([
      bash(`seq -f 'row %06g' 1 ${LINES}`),
      (messages) =>
        bash(`wc -c < ${pathIn(messages)} && tail -n 1 ${pathIn(messages)} && echo && ls ${FOLDER} | wc -l`),
      (messages) => ({
        calls: [
          {
            name: "read_file",
            args: { description: "look", path: pathIn(messages), start_line: 10_000, end_line: 10_001 },
          },
        ],
      }),
      { text: "done" },
    ]);
    const [stub, counted, read] = results;
    expect(model.calls).toHaveLength(4);
    expect(stub?.text).toContain(`${PRINTED.length} characters in ${LINES} lines`);
    expect(stub?.text).toContain("\nrow 000001\nrow 000002\n");
    expect(stub?.text).toContain("\nrow 020000\n");
    expect(stub?.text.length).toBeLessThan(12_000);
    expect(counted?.text).toBe(`${PRINTED.length}\nrow 020000\n\n1`);
    expect(read?.text).toMatch(/^row 010000\nrow 010001\n/);
    const folder = join(outputs, ".tool-results");
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8") === PRINTED)).toEqual([
      true,
    ]);
  });

  it("keeps the whole output, how the command ended and the note of the audit", async () => {
    const { results, outputs } = await play([
      bash(`chmod 777 . ; seq -f 'row %06g' 1 ${LINES}; exit 3`),
      { text: "done" },
    ]);
    const [stub] = results;
    expect(stub?.text).toMatch(/row 020000\nExit code: 3\n+\[audit\] .*\n-----/);
    const folder = join(outputs, ".tool-results");
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8") === PRINTED)).toEqual([
      true,
    ]);
  });

  it("finds a very long message of the user in a file", async () => {
    const text = `${"A line of the question.\n".repeat(10_000)}What is this?`;
    const { model, messages, results } = await play(
      [(shown) => bash(`wc -c < ${pathIn(shown)}`), { text: "done" }],
      new HumanMessage(text),
    );
    const shown = model.calls.map(
      (call) => call.messages.find((message) => HumanMessage.isInstance(message))?.text,
    );
    expect(shown[0]).toContain("/mnt/user-data/outputs/.conversation-history/message-");
    expect(shown[0]).toContain("\nWhat is this?\n");
    expect(shown[1]).toBe(shown[0]);
    expect(results[0]?.text).toBe(String(text.length));
    expect(messages[0]?.text).toBe(text);
  });
});
