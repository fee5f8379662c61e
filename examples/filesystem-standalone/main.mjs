/**
 * The file tools on their own, in a plain LangChain agent: a folder on disk, a rule, and the read-before-write gate.
 * The model is a script, so no key is needed; put any chat model of LangChain in its place.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  createFilesystemMiddleware,
  createReadBeforeWriteMiddleware,
  FilesystemBackend,
} from "@deerflow/harness/filesystem";
import { ScriptedModel } from "@deerflow/harness/testing/scripted-model";
import { createAgent } from "langchain";

// A copy of the notes, so that the example can be run again and again.
const folder = mkdtempSync(join(tmpdir(), "deerflow-example-"));
cpSync(fileURLToPath(new URL("../notes", import.meta.url)), folder, { recursive: true });
mkdirSync(join(folder, "private"));
writeFileSync(join(folder, "private", "key.txt"), "nobody's business\n");

// Paths of the agent begin at the folder: /plan.md is plan.md in it, and nothing outside of it can be reached.
const backend = new FilesystemBackend({ rootDir: folder });

const model = new ScriptedModel([
  { text: "What is there?", calls: [{ name: "ls", args: { path: "/" } }] },
  {
    text: "What is left to do? And may I see the key?",
    calls: [
      { name: "grep", args: { pattern: "TODO", output_mode: "content" } },
      { name: "read_file", args: { file_path: "/private/key.txt" } },
    ],
  },
  { text: "I change the plan without a look.", calls: [editPlan("# Launch plan", "# Plan for March")] },
  { text: "Then I read it first.", calls: [{ name: "read_file", args: { file_path: "/plan.md" } }] },
  { text: "And change it.", calls: [editPlan("# Launch plan", "# Plan for March")] },
  { text: "Done: the plan says in its heading when it is for." },
]);

function editPlan(old_string, new_string) {
  return { name: "edit_file", args: { file_path: "/plan.md", old_string, new_string } };
}

const agent = createAgent({
  model,
  middleware: [
    createReadBeforeWriteMiddleware({ backend }),
    createFilesystemMiddleware({
      backend,
      permissions: [{ operations: ["read", "write"], paths: ["/private/**"], mode: "deny" }],
    }),
  ],
});

try {
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: "Tidy up my notes." }] });
  for (const message of messages) print(message);
  process.stdout.write(`\nOn disk: ${readFileSync(join(folder, "plan.md"), "utf8").split("\n")[0]}\n`);
} finally {
  rmSync(folder, { recursive: true });
}

function print(message) {
  const who = { human: "user ", ai: "model", tool: "tool " }[message.getType()];
  for (const line of message.text.split("\n")) process.stdout.write(`${who} | ${line}\n`);
  for (const { name, args } of message.tool_calls ?? []) {
    process.stdout.write(`model > ${name} ${JSON.stringify(args)}\n`);
  }
}
