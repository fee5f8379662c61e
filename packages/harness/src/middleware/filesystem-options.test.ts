import { describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { StateBackend } from "../filesystem/state-backend.js";
import { type FilesystemMiddlewareOptions, filesystemSettings } from "./filesystem-options.js";

/** Options may come from plain JavaScript, so the wrong ones here are of any type. */
const settle = (options: unknown) => filesystemSettings(options as FilesystemMiddlewareOptions);

describe("filesystemSettings", () => {
  it("has deepagents' numbers as its defaults", () => {
    const { backend, ...settings } = settle({});
    expect(backend).toBeInstanceOf(StateBackend);
    expect(settings).toEqual({
      dialect: "deepagents",
      kinds: ["list", "read", "write", "edit", "delete", "glob", "grep", "execute"],
      toolResultCharacters: 80_000,
      humanMessageCharacters: 200_000,
      retention: { maxFiles: 2000, maxBytes: 524_288_000 },
      maxExecuteSeconds: 3600,
      grepResults: 1000,
    });
  });

  it("takes null for all tools, for no offload and for no number of finds", () => {
    const given = { tools: null, toolTokenLimitBeforeEvict: null, humanMessageTokenLimitBeforeEvict: null };
    expect(settle({ ...given, grepMaxCount: null })).toMatchObject({
      toolResultCharacters: 0,
      humanMessageCharacters: 0,
      grepResults: undefined,
    });
    expect(settle(given).kinds).toHaveLength(8);
  });

  it("takes one number of what to keep and fills in the other", () => {
    expect(settle({ retention: { maxFiles: 7 } }).retention).toEqual({ maxFiles: 7, maxBytes: 524_288_000 });
  });

  it("keeps the order of the tools whatever the order of their names", () => {
    expect(settle({ tools: ["grep", "read_file", "ls"] }).kinds).toEqual(["list", "read", "grep"]);
    expect(settle({ tools: ["str_replace", "read_file"], dialect: "deerflow" }).kinds).toEqual([
      "read",
      "edit",
    ]);
  });

  it("takes a name in interruptOn that is no file tool, for another's tool may be meant", () => {
    expect(() => settle({ interruptOn: { send_mail: true } })).not.toThrow();
  });

  it.each([
    ["tools without the read tool", { tools: ["ls", "grep"] }, "tools", /read_file must be among them/],
    ["no tools", { tools: [] }, "tools", /read_file must be among them/],
    [
      "an unknown tool",
      { tools: ["read_file", "rm"] },
      "tools",
      /rm is no tool here; known are ls, read_file/,
    ],
    [
      "a tool of the other dialect",
      { tools: ["read_file", "bash"] },
      "tools",
      /bash is no tool here; known are .*execute/,
    ],
    ["one name", { tools: "read_file" }, "tools", /neither a list/],
    ["a time limit of 0", { maxExecuteTimeout: 0 }, "maxExecuteTimeout", /more than 0/],
    ["a time limit that is no number", { maxExecuteTimeout: Number.NaN }, "maxExecuteTimeout", /more than 0/],
    ["a number of finds of 0", { grepMaxCount: 0 }, "grepMaxCount", /more than 0/],
    ["half a find", { grepMaxCount: 0.5 }, "grepMaxCount", /whole number/],
    ["a limit below 0", { toolTokenLimitBeforeEvict: -1 }, "toolTokenLimitBeforeEvict", /from 0/],
    [
      "a limit as text",
      { humanMessageTokenLimitBeforeEvict: "9" },
      "humanMessageTokenLimitBeforeEvict",
      /from 0/,
    ],
    ["a factory of backends", { backend: () => new StateBackend() }, "backend", /give what it makes/],
    ["no backend at all", { backend: "/tmp" }, "backend", /not an object/],
    ["half a backend", { backend: { read: () => undefined } }, "backend", /it has no list/],
    [
      "deepagents' backend",
      { backend: { uploadFiles: () => [] } },
      "backend",
      /fromSandboxBackendProtocolV2/,
    ],
    [
      "a dialect like a thing of every object",
      { dialect: "toString" },
      "dialect",
      /known are deerflow, deepagents/,
    ],
    [
      "a description of no tool",
      { customToolDescriptions: { red_file: "x" } },
      "customToolDescriptions",
      /red_file/,
    ],
    [
      "a description that is none",
      { customToolDescriptions: { ls: 1 } },
      "customToolDescriptions",
      /not a text/,
    ],
    ["rules that are no list", { permissions: "/work/**" }, "permissions", /not a list/],
    ["one rule in place of rules", { permissions: { paths: [] } }, "permissions", /not a list/],
    ["a prompt that is no text", { systemPrompt: ["Mind."] }, "systemPrompt", /not a text/],
    ["a logger that cannot warn", { logger: {} }, "logger", /no warn/],
    ["no number of files to keep", { retention: { maxFiles: 0 } }, "retention.maxFiles", /more than 0/],
    ["half a byte to keep", { retention: { maxBytes: 0.5 } }, "retention.maxBytes", /whole number/],
    ["a misspelled number to keep", { retention: { files: 9 } }, "retention.files", /maxFiles, maxBytes/],
    ["a number in place of what to keep", { retention: 9 }, "retention", /not an object/],
    ["no options at all", null, "options", /not an object/],
    [
      "a misspelled option",
      { permission: [] },
      "permission",
      /no such option; known are backend, .*permissions/,
    ],
  ])("refuses %s, naming the option", (_what, options, option, reason) => {
    let thrown: unknown;
    try {
      settle(options);
    } catch (error) {
      thrown = error;
    }
    expect(DeerflowError.is(thrown) && thrown.code).toBe("filesystem_options_invalid");
    expect(DeerflowError.is(thrown) && thrown.details["option"]).toBe(option);
    expect(String(thrown)).toMatch(reason);
  });
});
