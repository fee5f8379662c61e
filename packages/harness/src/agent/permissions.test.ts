import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, INTERRUPT, isInterrupted, MemorySaver } from "@langchain/langgraph";
import { createMiddleware, tool } from "langchain";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import { silentLogger } from "../base/logger.js";
import { parseConfig } from "../config/parse-config.js";
import { threadDirectories } from "../context/home-paths.js";
import { LOCAL_PRINCIPAL } from "../context/principal.js";
import { MountedDiskBackend } from "../filesystem/mounted-disk-backend.js";
import type { ApprovalRequest } from "../middleware/approval-request.js";
import type { ModelInfo } from "../models/contract.js";
import type { FilesystemPermission } from "../policy/file-permission.js";
import type { Sandbox, SandboxProvider } from "../sandbox/contract.js";
import { scriptedProvider, scriptedSandbox } from "../testing/scripted-sandbox.js";
import { LazySandbox } from "../sandbox/lazy-sandbox.js";
import { ScriptedModel, type ScriptedTurn } from "../testing/scripted-model.js";
import { createFileTools } from "../tools/file-tools.js";
import { createDeerflowAgent, type DeerflowAgentOptions } from "./create-deerflow-agent.js";
import { makeLeadAgent } from "./lead-agent.js";

let folder: string;
let files: MountedDiskBackend;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deerflow-permissions-"));
  files = new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath: folder, mode: "read-write" }] });
});
afterEach(() => rmSync(folder, { recursive: true }));

const config = { configurable: { thread_id: "t" } };
const start = { messages: [new HumanMessage("go")] };
const read = (path: string) => ({ name: "read_file", args: { description: "", path } });
const write = (path: string, content = "new") => ({
  name: "write_file",
  args: { description: "", path, content },
});
const DENY: FilesystemPermission = { operations: ["read", "write"], paths: ["/w/keys/**"], mode: "deny" };
const ASK: FilesystemPermission = { operations: ["write"], paths: ["/w/plan.md"], mode: "interrupt" };

const agentOf = (turns: readonly ScriptedTurn[], options: Partial<DeerflowAgentOptions> = {}) =>
  createDeerflowAgent({
    model: new ScriptedModel([...turns, { text: "done" }]),
    tools: (own) => createFileTools({ files: own }),
    services: { files },
    checkpointer: new MemorySaver(),
    ...options,
  });

const answersOf = ({ messages }: { messages: readonly BaseMessage[] }) =>
  messages.filter((each) => ToolMessage.isInstance(each)).map(({ status, text }) => [status, text]);
const asked = (result: object) =>
  isInterrupted<ApprovalRequest>(result)
    ? result[INTERRUPT].flatMap(({ value }) => value?.action_requests.map(({ args }) => args["path"]) ?? [])
    : [];

const failure = (build: () => unknown): [string, string] => {
  try {
    build();
  } catch (error) {
    if (DeerflowError.is(error)) return [error.code, error.sentence];
    throw error;
  }
  throw new Error("nothing was refused");
};

describe("permissions of an agent", () => {
  it.each([
    ["with its own chain", {}],
    ["with the host's chain in place of its own", { middleware: [createMiddleware({ name: "own" })] }],
    ["with guards switched off", { features: { readBeforeWrite: false, toolErrors: false } }],
  ])("hold %s", async (_, options) => {
    mkdirSync(join(folder, "keys"));
    writeFileSync(join(folder, "keys", "a"), "secret");
    const agent = agentOf([{ calls: [read("/w/./keys//a"), write("/w/keys/b"), write("/w/c")] }], {
      permissions: [DENY],
      ...options,
    });
    const answers = answersOf(await agent.invoke(start, config));
    expect(answers.map(([status]) => status)).toEqual(["error", "error", "success"]);
    expect(answers.flat().join()).not.toContain("secret");
  });

  it.each([
    ["with its own chain", {}],
    ["with the host's chain in place of its own", { middleware: [createMiddleware({ name: "own" })] }],
  ])("ask a person %s, and let an edited call pass the same rules", async (_, options) => {
    const agent = agentOf(
      [{ calls: [write("/w/plan.md"), write("/w/notes.md"), write("/w/plan.md", "other")] }],
      {
        permissions: [DENY, ASK],
        ...options,
      },
    );
    expect(asked(await agent.invoke(start, config))).toEqual(["/w/plan.md", "/w/plan.md"]);
    const edited_action = { name: "write_file", args: { path: "/w/keys/x", content: "stolen" } };
    const resume = { decisions: [{ type: "edit", edited_action }, { type: "approve" }] };
    const result = await agent.invoke(new Command({ resume }), config);
    expect(answersOf(result).map(([status]) => status)).toEqual(["error", "success", "success"]);
    expect(answersOf(result)[0]?.[1]).toContain("a permission rule forbids it");
    expect(readFileSync(join(folder, "plan.md"), "utf8")).toBe("other");
  });

  it("let `interruptOn` of a tool go before the rules", async () => {
    const agent = agentOf([{ calls: [write("/w/plan.md"), read("/w/none")] }], {
      permissions: [ASK],
      interruptOn: { write_file: false, read_file: true },
    });
    expect(asked(await agent.invoke(start, config))).toEqual(["/w/none"]);
  });

  const dump = { name: "dump" };
  const dumped = tool(() => `line one\n${"x".repeat(40_000)}`, {
    name: "dump",
    description: "Dumps.",
    schema: z.object({}),
  });
  /** Has a long result under these rules, then reads the file that its stub names. */
  const dumpedUnder = async (permissions: readonly FilesystemPermission[]) => {
    const model = new ScriptedModel([
      { calls: [dump] },
      (messages) => ({
        calls: [read(/in the file (\S+)\]/.exec(messages.at(-1)?.text ?? "")?.[1] ?? "/w/none")],
      }),
      { calls: [write("/w/results/mine")] },
      { text: "done" },
    ]);
    const agent = agentOf([], {
      model,
      tools: (own) => [dumped, ...createFileTools({ files: own })],
      permissions,
      services: { files, toolOutput: { folder: "/w/results" } },
    });
    return answersOf(await agent.invoke(start, config));
  };

  it("let the model read its own long results beside an allow-list, and not change them", async () => {
    const [stub, own, changed] = await dumpedUnder([
      { operations: ["read", "write"], paths: ["/w/work/**"], mode: "allow" },
      { ...DENY, paths: ["/**"] },
    ]);
    expect(stub?.[1]).toContain("in the file /w/results/dump-");
    expect(own).toEqual(["success", expect.stringContaining("line one")]);
    expect(changed?.[0]).toBe("error");
  });

  it("let long results be cut where a rule forbids reading what was stored of them", async () => {
    const [cut] = await dumpedUnder([{ ...DENY, paths: ["/w/results/**"] }]);
    expect(cut?.[1]).toContain("are left out here and stored nowhere");
    expect(existsSync(join(folder, "results"))).toBe(false);
  });

  it("know where a home is only when they are told", async () => {
    const rule: FilesystemPermission = { ...ASK, paths: ["~/plan.md"] };
    expect(failure(() => agentOf([], { permissions: [rule] }))[0]).toBe("permissions_invalid");
    const agent = agentOf([{ calls: [write("/w/plan.md")] }], { permissions: [rule], home: "/w" });
    expect(asked(await agent.invoke(start, config))).toEqual(["/w/plan.md"]);
  });
});

const PROVIDER = scriptedProvider({ release: () => Promise.reject(new Error("nothing was acquired")) });
const sandbox = () => new LazySandbox(PROVIDER, { id: "s", mounts: [], workingDirectory: "/w" });

describe("an agent with rules and a sandbox that keeps them", () => {
  /** A sandbox that says under which rules it runs. */
  const keeping = (ran: string[]) => {
    const sandboxThat = (says: string): Sandbox =>
      scriptedSandbox(() => {
        ran.push(says);
        return {};
      });
    const provider = scriptedProvider({
      assertKept: () => undefined,
      acquire: async () => ({
        ...sandboxThat("without rules"),
        keeping: ({ rules, home }) => sandboxThat(`${rules.length} rules from ${home}`),
      }),
    });
    return new LazySandbox(provider, { id: "s", mounts: [], workingDirectory: "/w" });
  };
  const bash = { name: "bash", args: { description: "", command: "true" } };

  it("runs commands under the rules", async () => {
    const ran: string[] = [];
    const agent = agentOf([{ calls: [bash] }], {
      permissions: [DENY, ASK],
      home: "/w",
      services: { files, sandbox: keeping(ran) },
      tools: (own, _, shell) => createFileTools({ files: own, shell }),
    });
    await agent.invoke(start, config);
    expect(ran).toEqual(["2 rules from /w"]);
  });

  it("is not built with a tool that runs commands without them", () => {
    const plain = keeping([]);
    const build = () =>
      agentOf([], {
        permissions: [DENY],
        services: { files, sandbox: plain },
        tools: (own) => createFileTools({ files: own, shell: plain }),
      });
    expect(failure(build)).toEqual(["invalid_request", expect.stringContaining("bash could go around")]);
  });
});

describe("an agent is not built", () => {
  it("with rules that its shell could go around", () => {
    const [code, sentence] = failure(() =>
      agentOf([], { permissions: [DENY, ASK], services: { files, sandbox: sandbox() } }),
    );
    expect(code).toBe("permissions_unenforceable");
    expect(sentence).toContain("/w/keys/**");
    expect(sentence).toContain("/w/plan.md");
    const allow: FilesystemPermission = { operations: ["read"], paths: ["/w/**"], mode: "allow" };
    expect(() =>
      agentOf([], { permissions: [allow], services: { files, sandbox: sandbox() } }),
    ).not.toThrow();
  });

  it.each([
    ["tools made of other files", () => ({ tools: createFileTools({ files }) }), "ls, read_file, write_file"],
    [
      "a middleware that brings such tools",
      () => ({
        extraMiddleware: [
          createMiddleware({ name: "own", tools: createFileTools({ files, dialect: "deepagents" }) }),
        ],
      }),
      "edit_file",
    ],
    [
      "a shell that nobody knows of",
      () => ({ tools: (own: typeof files) => createFileTools({ files: own, shell: sandbox() }) }),
      "bash could go around the permissions",
    ],
    ["no files that they could be about", () => ({ services: {}, tools: [] }), "services.files"],
    ["approval switched off", () => ({ features: { approval: false } }), "features.approval"],
  ])("with rules and %s", (_, options, named) => {
    // The cast forgets only which of the rows it is.
    const given = options() as Partial<DeerflowAgentOptions>;
    const [code, sentence] = failure(() => agentOf([], { permissions: [DENY, ASK], ...given }));
    expect([code, sentence]).toEqual(["invalid_request", expect.stringContaining(named)]);
  });

  it.each([
    ["rules that are no list", { permissions: "/w/**" }],
    ["an entry of approval that is none", { interruptOn: { ls: null } }],
    ["an entry with an unknown key", { interruptOn: { ls: { allowedDecision: ["approve"] } } }],
  ])("with %s, which may come from plain JavaScript", (_, options) => {
    // The cast is sound: these are the wrong types on purpose.
    const build = () => agentOf([], options as unknown as Partial<DeerflowAgentOptions>);
    expect(failure(build)[0]).toBe("filesystem_options_invalid");
  });

  it("with an approval that no decision could satisfy", () => {
    const build = () => agentOf([], { interruptOn: { ls: { allowedDecisions: [] } } });
    expect(failure(build)[0]).toBe("filesystem_options_invalid");
  });
});

describe("the lead agent's configuration", () => {
  const lead = (raw: object, turns: readonly ScriptedTurn[], shell?: SandboxProvider) => {
    const model = new ScriptedModel([...turns, { text: "done" }]);
    return makeLeadAgent({
      home: folder,
      config: () => parseConfig(raw).config,
      models: async () => ({ models: [{ name: "m" } as ModelInfo], createChatModel: () => model }),
      audit: { record: async () => undefined },
      logger: silentLogger,
      ...(shell === undefined ? {} : { sandboxProvider: shell }),
    })({
      principal: LOCAL_PRINCIPAL,
      threadId: "t",
      runId: "r",
      assistantId: "lead_agent",
      context: {},
      checkpointer: new MemorySaver(),
    });
  };
  const rules = [
    { operations: ["write"], paths: ["~/final.md"], mode: "interrupt" },
    { operations: ["read", "write"], paths: ["/mnt/user-data/uploads/private/**"], mode: "deny" },
  ];

  it("guards its files and asks, with the workspace for a home", async () => {
    const workspace = "/mnt/user-data/workspace";
    const calls = [
      write(`${workspace}/final.md`),
      write("/mnt/user-data/uploads/private/x"),
      { name: "ls", args: { description: "", path: workspace } },
    ];
    const interrupt_on = { ls: { allowed_decisions: ["approve"], description: "Looks." } };
    const { graph } = await lead({ permissions: rules, interrupt_on }, [{ calls }]);
    const values: object[] = [];
    for await (const each of await graph.stream(start, { ...config, streamMode: "values" })) {
      values.push(each as object);
    }
    const last = values.at(-1) ?? {};
    const request = isInterrupted<ApprovalRequest>(last) ? last[INTERRUPT][0]?.value : undefined;
    expect(request?.action_requests.map(({ name, description }) => [name, description])).toEqual([
      ["write_file", expect.stringContaining("permission rule")],
      ["ls", "Looks."],
    ]);
    expect(request?.review_configs[1]?.allowed_decisions).toEqual(["approve"]);
    const resume = { decisions: [{ type: "approve" }, { type: "approve" }] };
    for await (const each of await graph.stream(new Command({ resume }), {
      ...config,
      streamMode: "values",
    })) {
      values.push(each as object);
    }
    // The cast is sound: the stream ends with the whole state.
    const answers = answersOf(values.at(-1) as { messages: BaseMessage[] });
    expect(answers.map(([status]) => status)).toEqual(["success", "error", "success"]);
    const { workspace: host } = threadDirectories(folder, LOCAL_PRINCIPAL, "t");
    expect(readFileSync(join(host, "final.md"), "utf8")).toBe("new");
  });

  it("is refused with a shell that does not enforce it", async () => {
    await expect(lead({ permissions: rules }, [], PROVIDER)).rejects.toMatchObject({
      code: "permissions_unenforceable",
    });
  });

  it("is accepted with one that does", async () => {
    const provider = { ...PROVIDER, assertKept: () => undefined };
    await expect(lead({ permissions: rules }, [], provider)).resolves.toHaveProperty("graph");
  });
});
