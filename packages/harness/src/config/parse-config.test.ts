import { describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { parseConfig } from "./parse-config.js";

const failure = (raw: unknown, env = {}): { code: string; sentence: string } => {
  try {
    parseConfig(raw, env);
  } catch (error) {
    if (DeerflowError.is(error)) return { code: error.code, sentence: error.sentence };
    throw error;
  }
  throw new Error("nothing was refused");
};

describe("parseConfig", () => {
  it("fills in every default of an empty file", () => {
    expect(parseConfig(null)).toEqual({
      warnings: [],
      config: {
        config_version: 0,
        log_level: "info",
        models: [],
        max_recursion_limit: 1000,
        default_recursion_limit: 100,
        sandbox: {
          provider: "auto",
          allow_host_bash: false,
          bash_command_timeout: 600,
          bash_output_max_chars: 20_000,
          read_file_output_max_chars: 50_000,
          ls_output_max_chars: 20_000,
          environment: {},
          mounts: [],
          replicas: 3,
          idle_timeout: 600,
          docker: { mode: "exec", container_prefix: "deer-flow-sandbox" },
          remote: { options: {} },
          limits: {
            cpu_seconds: 600,
            processors: 0,
            memory_mb: 2048,
            processes: 256,
            open_files: 1024,
            file_mb: 1024,
            temporary_mb: 256,
            free_disk_mb: 512,
          },
          network: { mode: "none", allow: [] },
        },
        database: {
          backend: "sqlite",
          retention: { keep_last: 1000, keep_days: 0, every_minutes: 60, compact_every_hours: 24 },
        },
        quota: { thread_bytes: 0, user_bytes: 0 },
        identity: { enabled: false },
        title: { enabled: true, max_words: 6, max_chars: 60, model_name: null },
        read_before_write: { enabled: true },
        permissions: [],
        interrupt_on: {},
        tool_output: {
          enabled: true,
          externalize_min_chars: 12_000,
          preview_head_chars: 2000,
          preview_tail_chars: 1000,
          fallback_max_chars: 30_000,
          fallback_head_chars: 8000,
          fallback_tail_chars: 3000,
          storage_subdir: ".tool-results",
          exempt_tools: ["read_file", "read_file_tool"],
          tool_overrides: {},
          retention_max_files: 2000,
          retention_max_bytes: 524_288_000,
          command_output_max_mb: 64,
          message_max_chars: 200_000,
        },
        command_audit: { mode: "enforce", severity: {} },
        command_rules: { allow: [], ask: [], deny: [] },
        uploads: { max_files: 10, max_file_size: 52_428_800, max_total_size: 104_857_600 },
        media: { max_images: 20, max_bytes: 16_777_216 },
        demo_model: { enabled: true, pace_milliseconds: 0 },
        gateway: { host: "127.0.0.1", port: 2026, cors_origins: [] },
      },
    });
  });

  it("gives a frozen configuration", () => {
    expect(Object.isFrozen(parseConfig({}).config.sandbox)).toBe(true);
  });

  it("refuses identity", () => {
    expect(failure({ identity: { enabled: true } }).code).toBe("identity_unavailable");
  });

  it("warns once for a name that has no effect yet, and starts", () => {
    const raw = {
      config_version: 7,
      memory: { enabled: true },
      uploads: { pdf_converter: "auto", max_files: 3 },
      sandbox: { use: "deerflow.sandbox.local:LocalSandboxProvider" },
      models: [
        { name: "a", use: "langchain_openai:ChatOpenAI", model: "m" },
        { name: "b", use: "langchain_openai:ChatOpenAI", model: "m" },
      ],
    };
    const { config, warnings } = parseConfig(raw);
    expect(config.uploads.max_files).toBe(3);
    expect(warnings).toEqual([
      "sandbox.use: deerflow.sandbox.local:LocalSandboxProvider is read as sandbox.provider: auto.",
      "memory has no effect yet: nothing is remembered across threads.",
      "uploads.pdf_converter has no effect yet: uploads are stored as they are.",
      "models.use names Python classes (langchain_openai:ChatOpenAI); the providers built in here are used in their place.",
    ]);
  });

  it("does not ask the environment for what has no effect", () => {
    expect(parseConfig({ config_version: 1, channels: { token: "$NOT_SET" } }).warnings).toHaveLength(1);
  });

  it("takes permission rules and approvals, and names what is wrong in them", () => {
    const raw = {
      permissions: [{ operations: ["read"], paths: ["~/keys/**"] }],
      interrupt_on: {
        bash: true,
        write_file: { allowed_decisions: ["approve"], description: "Look twice." },
      },
    };
    const { permissions, interrupt_on } = parseConfig(raw).config;
    expect(permissions).toEqual([{ operations: ["read"], paths: ["~/keys/**"], mode: "allow" }]);
    expect(interrupt_on).toEqual(raw.interrupt_on);
    const rule = { operations: ["read"], paths: ["/x"], mode: "ask" };
    expect(failure({ permissions: [rule] }).sentence).toContain(
      "permissions[0].mode in config.yaml is not valid",
    );
    expect(failure({ permissions: [{ ...rule, mode: "deny", path: "/x" }] }).sentence).toContain(
      "in permissions[0]: path. Did you mean paths?",
    );
    expect(failure({ interrupt_on: { bash: "yes" } }).sentence).toContain("interrupt_on.bash in config.yaml");
    expect(failure({ interrupt_on: { bash: { allowed_decisions: [] } } }).sentence).toContain(
      "interrupt_on.bash",
    );
  });

  it("names an unknown key, its place and the nearest known name", () => {
    expect(failure({ databse: {} }).sentence).toBe(
      "config.yaml has an unknown name at the top: databse. Did you mean database?",
    );
    expect(failure({ uploads: { bash_timout: 3 } }).sentence).toBe(
      "config.yaml has an unknown name in uploads: bash_timout. Known names there: max_files, max_file_size, max_total_size.",
    );
    expect(failure({ sandbox: { limits: { memory_bm: 3 } } }).sentence).toContain(
      "in sandbox.limits: memory_bm. Did you mean memory_mb?",
    );
    expect(failure({ title: { max_word: 3 } }).sentence).toContain(
      "in title: max_word. Did you mean max_words?",
    );
    expect(failure({ memroy: {} }).sentence).toContain("Did you mean memory?");
  });

  it("takes the missing spelling of a required name for what it is", () => {
    expect(failure({ checkpointer: { backnd: "sqlite" } }).sentence).toContain("Did you mean backend?");
  });

  it("names the place of a wrong value and never the value itself", () => {
    expect(
      failure({ models: [{ name: "a", use: "openai", model: "m", api_key: { leaked: "sk-secret" } }] }),
    ).toEqual({
      code: "config_invalid",
      sentence:
        "models[0].api_key in config.yaml is not valid: Invalid input: expected string, received object. " +
        "The settings are explained in the file that deerflow config init writes.",
    });
    expect(failure(["a"]).sentence).toContain("must be a mapping");
  });

  it("refuses two models of one name", () => {
    const model = { name: "a", use: "openai", model: "m" };
    expect(failure({ models: [model, model] }).sentence).toContain(
      "models[1].name in config.yaml is not valid: a is used twice",
    );
  });

  it("resolves $NAME values everywhere, as numbers and flags too", () => {
    const raw = {
      models: [
        { name: "m", use: "openai", model: "x", api_key: "$KEY", default_headers: { "x-team": "$TEAM" } },
      ],
      gateway: { port: "$PORT", cors_origins: ["$ORIGIN"] },
      title: { enabled: "$TITLE" },
    };
    const env = { KEY: "k", TEAM: "t", PORT: "8080", ORIGIN: "http://localhost:3000", TITLE: "false" };
    const { config } = parseConfig(raw, env);
    expect(config.models[0]).toMatchObject({ api_key: "k", default_headers: { "x-team": "t" } });
    expect(config.gateway).toMatchObject({ port: 8080, cors_origins: ["http://localhost:3000"] });
    expect(config.title.enabled).toBe(false);
  });

  it("names the key and the variable when the environment lacks one", () => {
    expect(failure({ models: [{ name: "m", use: "openai", model: "x", api_key: "$KEY" }] })).toEqual({
      code: "config_variable_missing",
      sentence:
        "models[0].api_key in config.yaml asks for the environment variable KEY, which is not set. " +
        "Set KEY, or write a value in its place.",
    });
  });

  it("leaves a dollar inside a text alone, and an empty section to its defaults", () => {
    const { config } = parseConfig({ title: null, models: [{ name: "m", use: "openai", model: "a$B" }] });
    expect(config.title.enabled).toBe(true);
    expect(config.models[0]?.model).toBe("a$B");
  });
});
