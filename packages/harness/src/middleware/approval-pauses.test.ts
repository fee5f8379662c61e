import type { ToolCall } from "@langchain/core/messages/tool";
import { describe, expect, it, vi } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { silentLogger } from "../base/logger.js";
import type { FilesystemPermission } from "../policy/file-permission.js";
import { PermissionRules } from "../policy/permission-rules.js";
import type { Operation } from "../tools/define-tool.js";
import { type ApprovalOptions, type ApprovalScene, asksForApproval, awaitedCall } from "./approval-pauses.js";

// The cast is sound: only `when` and `description` look into it, and theirs here do not.
const SCENE = { state: { messages: [] }, runtime: {} } as unknown as ApprovalScene;

const OPERATION_OF: Readonly<Record<string, Operation>> = {
  ls: "list",
  read_file: "read",
  write_file: "write",
  str_replace: "edit",
  edit_file: "edit",
  delete: "delete",
  glob: "glob",
  grep: "grep",
  bash: "execute",
};
const operationOf = (name: string) => OPERATION_OF[name];

const RULES: readonly FilesystemPermission[] = [
  { operations: ["write"], paths: ["/w/keys/**"], mode: "deny" },
  { operations: ["read", "write"], paths: ["/w/keys/**", "/w/plan.md"], mode: "interrupt" },
];

const waits = async (name: string, args: ToolCall["args"], options: ApprovalOptions = {}) => {
  const rules = new PermissionRules(RULES);
  const call = { id: "c", name, args };
  return (await awaitedCall(call, { rules, operationOf, ...options }, SCENE)) !== undefined;
};

describe("permission rules let wait", () => {
  it.each([
    ["read_file", { path: "/w/keys/a" }],
    ["read_file", { file_path: "/w/keys/.hidden" }],
    ["read_file", { path: "//w/./keys//a/" }],
    ["read_file", { path: "/w/other", file_path: "/w/plan.md" }],
    ["write_file", { path: "/w/plan.md", content: "" }],
    ["str_replace", { path: "/w/plan.md" }],
    ["edit_file", { file_path: "/w/plan.md" }],
    ["ls", { path: "/w/keys" }],
    ["ls", { path: "/w" }],
    ["ls", {}],
    ["glob", { pattern: "*.md" }],
    ["glob", { pattern: "*.md", path: null }],
    ["glob", { pattern: "/w/keys/*", path: "/elsewhere" }],
    ["glob", { pattern: "../w/*", path: "/elsewhere" }],
    ["grep", { pattern: "token", path: "//w/keys" }],
    ["delete", { path: "/w" }],
    ["delete", { path: "/w/plan.md" }],
  ])("%s %j", async (name, args) => expect(await waits(name, args)).toBe(true));
});

describe("permission rules let pass", () => {
  it.each([
    ["a file that no rule means", "read_file", { path: "/w/notes.md" }],
    ["a file that an earlier rule denies: its tool refuses", "write_file", { path: "/w/keys/a" }],
    ["a tree that an earlier rule denies", "delete", { path: "/w/keys" }],
    ["a path that its tool refuses", "read_file", { path: "/w/../w/plan.md" }],
    ["a call without a path", "write_file", { content: "" }],
    ["a path that is no text", "read_file", { path: 7 }],
    ["a folder beside", "ls", { path: "/v" }],
    ["a search beside", "grep", { pattern: "token", path: "/v", glob: "/w/keys/*" }],
    ["a tool that has nothing to do with files", "search_web", { path: "/w/plan.md" }],
    ["a command", "bash", { command: "cat /w/plan.md" }],
    ["a tool that is named like a part of every object", "constructor", { path: "/w/plan.md" }],
  ])("%s", async (_, name, args) => expect(await waits(name, args)).toBe(false));
});

describe("where a link leads", () => {
  const realPath = vi.fn(async (path: string) => path.replace("/link", "/w/keys"));

  it("counts beside the path as it is spelled", async () => {
    expect(await waits("read_file", { path: "/link/a" }, { realPath })).toBe(true);
    expect(await waits("ls", { path: "//link" }, { realPath })).toBe(true);
    expect(await waits("read_file", { path: "/v/a" }, { realPath })).toBe(false);
    const backwards = async () => "/elsewhere";
    expect(await waits("read_file", { path: "/w/plan.md" }, { realPath: backwards })).toBe(true);
  });

  it("makes a call wait when it cannot be found out, and not when the tool will refuse the path", async () => {
    const lost = () => Promise.reject(new Error("disk gone"));
    expect(await waits("read_file", { path: "/v/a" }, { realPath: lost })).toBe(true);
    const refused = () =>
      Promise.reject(new DeerflowError("path_denied", { path: "/v/a", reason: "a loop" }));
    expect(await waits("read_file", { path: "/v/a" }, { realPath: refused })).toBe(false);
  });

  it("is not looked up where no rule asks for anything", async () => {
    realPath.mockClear();
    const rules = new PermissionRules([{ operations: ["write"], paths: ["/w/**"], mode: "interrupt" }]);
    expect(await waits("read_file", { path: "/link/a" }, { realPath, rules })).toBe(false);
    expect(realPath).not.toHaveBeenCalled();
  });
});

describe("what the host set for a tool", () => {
  it("goes before the rules, both ways", async () => {
    const plan = { path: "/w/plan.md" };
    expect(await waits("write_file", plan, { interruptOn: { write_file: false } })).toBe(false);
    expect(await waits("write_file", plan, { interruptOn: { write_file: { when: () => false } } })).toBe(
      false,
    );
    expect(await waits("read_file", { path: "/v" }, { interruptOn: { read_file: true } })).toBe(true);
    expect(await waits("bash", { command: "ls" }, { interruptOn: { bash: {} } })).toBe(true);
  });

  it("is not found under the names that every object has", async () => {
    expect(await waits("toString", {}, { interruptOn: {} })).toBe(false);
    expect(await waits("__proto__", {}, { interruptOn: { ls: true } })).toBe(false);
  });
});

describe("what a host's own function throws", () => {
  const call = { id: "c", name: "send", args: {} };
  const boom = () => {
    throw new Error("boom");
  };
  const later = () => Promise.reject(new Error("boom"));
  const logged = () => {
    const warn = vi.fn();
    return { warn, logger: { ...silentLogger, warn } };
  };

  it.each([
    ["at once", boom],
    ["later", later],
  ])("%s lets the call wait where it is about waiting, and is logged", async (_, when) => {
    const { warn, logger } = logged();
    const options = { interruptOn: { send: { when, allowed_decisions: ["approve"] as const } }, logger };
    expect(await awaitedCall(call, options, SCENE)).toEqual({
      call,
      allowed: ["approve"],
      description: "send runs only when a person agrees.",
    });
    expect(warn.mock.calls[0]?.[1]).toMatchObject({ tool: "send", function: "when" });
  });

  it.each([
    ["at once", boom],
    ["later", later],
  ])("%s leaves the default description, and is logged", async (_, description) => {
    const { warn, logger } = logged();
    const waiting = await awaitedCall(call, { interruptOn: { send: { description } }, logger }, SCENE);
    expect(waiting?.description).toBe("send runs only when a person agrees.");
    expect(warn.mock.calls[0]?.[1]).toMatchObject({ tool: "send", function: "description" });
  });
});

describe("asksForApproval", () => {
  it.each([
    ["nothing is set", {}, false],
    ["every tool is free", { interruptOn: { ls: false } }, false],
    ["a tool is named", { interruptOn: { ls: false, bash: true } }, true],
    ["rules only deny", { rules: new PermissionRules(RULES.slice(0, 1)) }, false],
    ["a rule interrupts", { rules: new PermissionRules(RULES) }, true],
  ])("when %s: %j", (_, options, expected) => expect(asksForApproval(options)).toBe(expected));
});
