/**
 * An agent with permission rules and approvals that does one thing and ends: it starts on its task, or goes on with a
 * person's decisions. Prints what it asks and what its calls were answered. Arguments: folder of the compiled harness,
 * database, folder of the files, decisions as JSON or `start`.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { z } from "zod";

const [compiled, database, folder, answer] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(compiled, path)).href);
const { createDeerflowAgent } = await load("agent/create-deerflow-agent.js");
const { createFileTools, MountedDiskBackend } = await load("exports/filesystem.js");
const { SqliteCheckpointSaver } = await load("persistence/index.js");
const { ScriptedModel } = await load("testing/scripted-model.js");

const write = (id, name, content) => ({ id, name: "write_file", args: { path: `/w/${name}`, content } });
const model = new ScriptedModel([
  {
    text: "Five things at once.",
    calls: [
      write("approved", "a.md", "a"),
      write("edited", "b.md", "b"),
      { id: "rejected", name: "send", args: { to: "everyone" } },
      { id: "responded", name: "send", args: { to: "nobody" } },
      { id: "unasked", name: "note", args: {} },
    ],
  },
  { text: "done" },
]);

/** Every run of a tool leaves a line, so that a second one shows. */
const leaving = (name) =>
  tool(
    ({ to = "" }) => {
      appendFileSync(join(folder, "ran.log"), `${name} ${to}\n`);
      return `${name}: ok`;
    },
    { name, description: name, schema: z.object({ to: z.string().optional() }) },
  );

const checkpointer = SqliteCheckpointSaver.fromPath(database);
const agent = createDeerflowAgent({
  model,
  services: {
    files: new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath: folder, mode: "read-write" }] }),
  },
  tools: (files) => [...createFileTools({ files }), leaving("send"), leaving("note")],
  permissions: [
    { operations: ["write"], paths: ["/w/locked/**"], mode: "deny" },
    { operations: ["write"], paths: ["/w/**"], mode: "interrupt" },
  ],
  interruptOn: { send: true },
  checkpointer,
});

const input =
  answer === "start" ? { messages: [new HumanMessage("go")] } : new Command({ resume: JSON.parse(answer) });
const { messages, __interrupt__: interrupts = [] } = await agent.invoke(input, {
  configurable: { thread_id: "t" },
});
await checkpointer.close();
process.stdout.write(
  JSON.stringify({
    asked: interrupts.map(({ value }) => value),
    answers: messages
      .filter((message) => message.type === "tool")
      .map(({ tool_call_id, status, text }) => [tool_call_id, status ?? "success", text]),
    calls: messages.flatMap((message) => message.tool_calls ?? []).map(({ id, args }) => [id, args]),
    last: messages.at(-1).text,
    modelCalls: model.calls.length,
  }),
);
