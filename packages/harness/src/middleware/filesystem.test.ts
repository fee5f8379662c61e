import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { createAgent, createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { CompositeBackend } from "../filesystem/composite-backend.js";
import { LocalShellBackend } from "../filesystem/local-shell-backend.js";
import { StateBackend } from "../filesystem/state-backend.js";
import { createAgentGraph } from "../graph/create-agent-graph.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { createFilesystemMiddleware } from "./filesystem.js";
import type { FilesystemMiddlewareOptions } from "./filesystem-options.js";

const work = join(tmpdir(), "work");

interface Sent {
  readonly prompt: string;
  readonly descriptions: Readonly<Record<string, string>>;
}

/** What the model of an agent with these options is given at its first call. */
async function sentWith(
  create: typeof createAgentGraph,
  options: FilesystemMiddlewareOptions,
  hidden: readonly string[] = [],
): Promise<Sent> {
  const sent: Sent[] = [];
  const agent = create({
    model: new ScriptedModel([{ text: "done" }]),
    systemPrompt: "base",
    middleware: [
      createMiddleware({
        name: "hide",
        wrapModelCall: (request, next) =>
          next({
            ...request,
            tools: (request.tools ?? []).filter(({ name }) => !hidden.includes(String(name))),
          }),
      }),
      createFilesystemMiddleware(options),
      createMiddleware({
        name: "spy",
        wrapModelCall(request, next) {
          const descriptions = (request.tools ?? []).map((tool) => {
            // The cast is sound: a tool has one of the two, and a definition the other.
            const { description, function: own } = tool as {
              description?: string;
              function?: { description: string };
            };
            return [String(tool.name), own?.description ?? description ?? ""];
          });
          sent.push({ prompt: request.systemPrompt, descriptions: Object.fromEntries(descriptions) });
          return next(request);
        },
      }),
    ],
  });
  await agent.invoke({ messages: [new HumanMessage("go")] });
  return sent[0] ?? { prompt: "", descriptions: {} };
}

describe.each([
  // The cast is sound: both factories take these options.
  { name: "a plain createAgent", create: createAgent as unknown as typeof createAgentGraph },
  { name: "our own graph", create: createAgentGraph },
])("createFilesystemMiddleware in $name", ({ create }) => {
  it("offers what the backend can do, in the order of the dialect", async () => {
    const all = ["ls", "read_file", "write_file", "edit_file", "delete", "glob", "grep", "execute"];
    const withShell = await sentWith(create, { backend: new LocalShellBackend({ rootDir: work }) });
    expect(Object.keys(withShell.descriptions)).toEqual(all);
    const ofState = await sentWith(create, {});
    expect(Object.keys(ofState.descriptions)).toEqual(all.slice(0, -1));
    const renamed = await sentWith(create, { dialect: "deerflow" });
    expect(Object.keys(renamed.descriptions)).toContain("str_replace");
  });

  it("tells of grep and of the shell by what can be seen beside them in a request", async () => {
    const backend = new LocalShellBackend({ rootDir: work });
    const whole = await sentWith(create, { backend });
    expect(whole.descriptions["grep"]).toContain("with execute");
    expect(whole.descriptions["execute"]).toContain("glob to find files and grep to search them");
    const unshelled = await sentWith(create, { backend }, ["execute"]);
    expect(unshelled.descriptions["grep"]).not.toContain("execute");
    const unsearched = await sentWith(create, { backend }, ["grep"]);
    expect(unsearched.descriptions["execute"]).toMatch(/Use glob to find files rather/);
    const bare = await sentWith(create, { backend }, ["grep", "glob"]);
    expect(bare.descriptions["execute"]).not.toMatch(/grep|glob/);
  });

  it.each(["deepagents", "deerflow"] as const)(
    "promises no check before a write that may not be installed, in the dialect %s",
    async (dialect) => {
      const { descriptions } = await sentWith(create, { dialect });
      for (const name of ["write_file", dialect === "deerflow" ? "str_replace" : "edit_file"]) {
        expect(descriptions[name]).toContain("that you have not read may be refused");
        expect(descriptions[name]).not.toMatch(/is refused and changes nothing/);
      }
    },
  );

  it("leaves a description of the host's own as it is", async () => {
    const backend = new LocalShellBackend({ rootDir: work });
    const customToolDescriptions = { grep: "Searches, or use execute." };
    const { descriptions } = await sentWith(create, { backend, customToolDescriptions }, ["execute"]);
    expect(descriptions["grep"]).toBe("Searches, or use execute.");
  });

  it("puts its prompt and the map of paths behind the agent's own, and the map only where the shell can be seen", async () => {
    const backend = new CompositeBackend(new LocalShellBackend({ rootDir: work }), {
      "/m/": new StateBackend(),
    });
    const options = { backend, systemPrompt: "Mind the files." };
    const { prompt } = await sentWith(create, options);
    expect(prompt).toMatch(/^base\n\nMind the files\.\n\nThe file tools and the shell /);
    expect(prompt).toContain("- /m/ cannot be reached from the shell");
    expect((await sentWith(create, options, ["execute"])).prompt).toBe("base\n\nMind the files.");
    expect((await sentWith(create, {})).prompt).toBe("base");
  });
});
