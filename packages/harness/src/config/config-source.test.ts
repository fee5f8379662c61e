import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lineLogger } from "../base/logger.js";
import { withConfig } from "./config-scope.js";
import { ConfigSource } from "./config-source.js";
import { loadConfig } from "./load-config.js";
import { parseConfig } from "./parse-config.js";

let folder: string;
let lines: { level: string; message: string }[];
const logger = lineLogger("debug", (line) => lines.push(JSON.parse(line)));
const write = (text: string, name = "config.yaml") => writeFileSync(join(folder, name), text);
const source = (env = {}) => new ConfigSource({ cwd: folder, env }, logger);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deerflow-config-"));
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("loadConfig", () => {
  it("prefers the explicit path, then the environment, then this folder, then the one above", () => {
    const inner = join(folder, "inner");
    mkdirSync(inner);
    const port = (path?: string, env = {}) =>
      loadConfig({ cwd: inner, env, ...(path === undefined ? {} : { path }) }).config.gateway.port;
    expect(port()).toBe(2026);
    write("gateway: {port: 1}");
    expect(port()).toBe(1);
    write("gateway: {port: 2}", "inner/config.yaml");
    expect(port()).toBe(2);
    write("gateway: {port: 3}", "other.yaml");
    expect(port(undefined, { DEER_FLOW_CONFIG_PATH: "../other.yaml" })).toBe(3);
    write("gateway: {port: 4}", "explicit.yaml");
    expect(port("../explicit.yaml", { DEER_FLOW_CONFIG_PATH: "../other.yaml" })).toBe(4);
  });

  it("says where a YAML mistake is and what to do", () => {
    write("title:\n  enabled: true\n   max_words: 3\n");
    expect(() => loadConfig({ cwd: folder, env: {} })).toThrow(
      expect.objectContaining({
        code: "config_syntax",
        sentence: expect.stringContaining(`${folder}/config.yaml is not valid YAML at line 2, column`),
      }),
    );
  });

  it("refuses a named file that is not there, an unreadable one, and an unknown anchor", () => {
    const load = (path: string) => loadConfig({ cwd: folder, env: {}, path });
    expect(() => load("no.yaml")).toThrow(expect.objectContaining({ code: "config_file_missing" }));
    expect(() => load(".")).toThrow(expect.objectContaining({ code: "config_unreadable" }));
    write("title: *nowhere", "anchor.yaml");
    expect(() => load("anchor.yaml")).toThrow(expect.objectContaining({ code: "config_syntax" }));
  });

  it("names the file in every error", () => {
    write("titel: {}");
    expect(() => loadConfig({ cwd: folder, env: {} })).toThrow(`${folder}/config.yaml has an unknown name`);
  });
});

describe("ConfigSource", () => {
  it("follows an edit of the file, also one that keeps the size", () => {
    write("title: {max_words: 3}");
    const config = source();
    expect(config.current().title.max_words).toBe(3);
    write("title: {max_words: 4}");
    expect(config.current().title.max_words).toBe(4);
    expect(config.path).toBe(join(folder, "config.yaml"));
  });

  it("gives the same object while nothing changed", () => {
    write("title: {max_words: 3}");
    const config = source();
    expect(config.current()).toBe(config.current());
  });

  it("keeps the last good configuration through a broken edit, and says so once", () => {
    write("config_version: 1\ntitle: {max_words: 3}");
    const config = source();
    config.current();
    write("title: [");
    expect(config.current().title.max_words).toBe(3);
    expect(config.current().title.max_words).toBe(3);
    expect(config.problem?.code).toBe("config_syntax");
    expect(lines.map(({ level }) => level)).toEqual(["error"]);
    write("config_version: 1\ntitle: {max_words: 3}");
    expect(config.current().title.max_words).toBe(3);
    expect(config.problem).toBeUndefined();
  });

  it("keeps the last good configuration when the file disappears", () => {
    write("title: {max_words: 3}");
    const config = source();
    config.current();
    rmSync(join(folder, "config.yaml"));
    expect(config.current().title.max_words).toBe(3);
    expect(config.problem?.code).toBe("config_file_missing");
  });

  it("fails at the start on a broken file", () => {
    write("title: [");
    expect(() => source().current()).toThrow(expect.objectContaining({ code: "config_syntax" }));
  });

  it("picks up a file that appears later", () => {
    const config = source();
    expect(config.current().title.max_words).toBe(6);
    write("title: {max_words: 2}");
    expect(config.current().title.max_words).toBe(2);
  });

  it("keeps settings that need a restart, and says so once", () => {
    write("config_version: 1\ngateway: {port: 3000}");
    const config = source();
    config.current();
    write("config_version: 1\ngateway: {port: 4000}\ntitle: {max_words: 2}");
    expect(config.current().gateway.port).toBe(3000);
    expect(config.current().title.max_words).toBe(2);
    expect(lines.map(({ message }) => message)).toEqual([
      "gateway was changed and takes effect after a restart: the server listens from the start on.",
    ]);
  });

  it("yields to an override in its own call tree only", async () => {
    const config = source();
    const override = parseConfig({ title: { max_words: 1 } }).config;
    const inside = withConfig(override, async () => {
      await Promise.resolve();
      return config.current().title.max_words;
    });
    expect(config.current().title.max_words).toBe(6);
    expect(await inside).toBe(1);
  });
});
