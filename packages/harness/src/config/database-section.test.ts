import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { ConfigSource } from "./config-source.js";
import { loadConfig } from "./load-config.js";
import { parseConfig } from "./parse-config.js";
import type { DeerflowConfig } from "./schema.js";

const database = (section: unknown, env = {}): Omit<DeerflowConfig["database"], "retention"> => {
  const { retention: _retention, ...place } = parseConfig({ database: section }, env).config.database;
  return place;
};

const refusal = (raw: unknown): string => {
  try {
    parseConfig(raw);
  } catch (error) {
    if (DeerflowError.is(error)) return error.sentence;
    throw error;
  }
  throw new Error("nothing was refused");
};

const POSTGRES = "postgres://anna:pw@host/db";

describe("where data lies", () => {
  it("is any of the four databases", () => {
    expect(database({})).toEqual({ backend: "sqlite" });
    expect(database({ backend: "memory" })).toEqual({ backend: "memory" });
    expect(database({ backend: "postgres", url: POSTGRES, schema: "flow" })).toEqual({
      backend: "postgres",
      url: POSTGRES,
      schema: "flow",
    });
    expect(database({ backend: "mysql", url: "mariadb://host/db" })).toEqual({
      backend: "mysql",
      url: "mariadb://host/db",
    });
  });

  it("is known from the address alone", () => {
    expect(database({ url: "postgresql://host/db" }).backend).toBe("postgres");
    expect(database({ url: "mysql://host/db" }).backend).toBe("mysql");
  });

  it("may come from the environment", () => {
    expect(database({ backend: "$KIND", url: "$ADDRESS" }, { KIND: "postgres", ADDRESS: POSTGRES })).toEqual({
      backend: "postgres",
      url: POSTGRES,
    });
  });

  it("is taken in DeerFlow's spellings", () => {
    expect(database({ type: "sqlite", connection_string: "a.db" })).toEqual({
      backend: "sqlite",
      path: "a.db",
    });
    expect(database({ backend: "sqlite", sqlite_dir: "data", postgres_url: "" })).toEqual({
      backend: "sqlite",
      path: "data/deerflow.db",
    });
    expect(database({ backend: "postgres", postgres_url: POSTGRES, postgres_schema: "flow" })).toEqual({
      backend: "postgres",
      url: POSTGRES,
      schema: "flow",
    });
    expect(database({ backend: "postgres", postgres_url: POSTGRES, sqlite_dir: "data" })).toEqual({
      backend: "postgres",
      url: POSTGRES,
    });
  });

  it("may differ for checkpoints and for the store, in DeerFlow's spelling too", () => {
    const { config } = parseConfig({
      checkpointer: { type: "postgres", connection_string: POSTGRES },
      store: { type: "memory" },
    });
    expect(config.checkpointer).toEqual({ backend: "postgres", url: POSTGRES });
    expect(config.store).toEqual({ backend: "memory" });
    const mysql = parseConfig({ checkpointer: { type: "mysql", connection_string: "mysql://h/d" } });
    expect(mysql.config.checkpointer).toEqual({ backend: "mysql", url: "mysql://h/d" });
    const sqlite = parseConfig({ checkpointer: { type: "sqlite", connection_string: "c.db" } });
    expect(sqlite.config.checkpointer).toEqual({ backend: "sqlite", path: "c.db" });
  });

  it.each([
    ["no address", { backend: "postgres" }, /database\.url .* is missing.*postgres:\/\/user/],
    [
      "another server's address",
      { backend: "postgres", url: "mysql://h/d" },
      /must begin with postgres:\/\/ or/,
    ],
    ["a driver in the scheme", { backend: "postgres", url: "postgresql+asyncpg://h/d" }, /must begin with/],
    ["no database in it", { backend: "mysql", url: "mysql://host:3306/" }, /names no database/],
    ["an address for a file", { backend: "sqlite", url: POSTGRES }, /backend sqlite has no server/],
    [
      "an address of an unknown server",
      { url: "mongodb://me:hidden@h/d" },
      /^(?!.*hidden).*database\.url.*no known server.*postgres:\/\/, postgresql:\/\/, mysql:\/\/, mariadb:\/\//,
    ],
    ["a file for a server", { backend: "mysql", url: "mysql://h/d", path: "x.db" }, /database\.path/],
    ["a schema elsewhere", { backend: "sqlite", schema: "flow" }, /only postgres has schemas/],
    ["a schema that is no name", { backend: "postgres", url: POSTGRES, schema: 'a"; drop' }, /plain name/],
    ["an unknown backend", { backend: "mongo" }, /database\.backend/],
  ])("is refused with %s", (_, section, sentence) => {
    expect(refusal({ database: section })).toMatch(sentence);
  });

  it("never shows the address that it refuses", () => {
    const broken = { backend: "postgres", url: "postgres://anna:gehe#im@host/db" };
    expect(refusal({ database: broken })).toMatch(/write # as %23/);
    expect(refusal({ checkpointer: broken })).not.toMatch(/gehe/);
  });

  it("takes the misspelt name of an override for what it is", () => {
    expect(refusal({ checkpointer: { backnd: "sqlite" } })).toContain("Did you mean backend?");
  });

  it("is refused with the file and the line", () => {
    const folder = mkdtempSync(join(tmpdir(), "deerflow-config-"));
    try {
      const file = join(folder, "config.yaml");
      const refused = (text: string): string => {
        writeFileSync(file, text);
        try {
          loadConfig({ cwd: folder, env: {} });
        } catch (error) {
          if (DeerflowError.is(error)) return error.sentence;
        }
        return "";
      };
      expect(refused("log_level: info\ndatabase:\n  backend: mysql\n  url: http://x\n")).toContain(
        `database.url in ${file} (line 4) is not valid: it must begin with mysql://`,
      );
      expect(refused("log_level: info\ndatabase:\n  backend: postgres\n")).toContain(`${file} (line 2)`);
      expect(refused("\nmodels:\n- name: a\n  use: openai\n  model: $NO\n")).toContain(`${file} (line 5)`);
      expect(refused("title:\n  max_word: 3\n")).toContain("in title (line 2): max_word");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("an edit of the database section", () => {
  it("only warns, and leaves the old place; the retention in it is followed", () => {
    const folder = mkdtempSync(join(tmpdir(), "deerflow-config-"));
    try {
      const write = (text: string) => writeFileSync(join(folder, "config.yaml"), text);
      const warnings: string[] = [];
      const note = (message: string) => void warnings.push(message);
      const logger = { debug: note, info: note, warn: note, error: note };
      write("config_version: 1\ndatabase: {path: old.db}");
      const source = new ConfigSource({ cwd: folder, env: {} }, logger);
      source.current();
      write("config_version: 1\ndatabase: {path: new.db, retention: {keep_last: 7}}");
      expect(source.current().database).toMatchObject({ path: "old.db", retention: { keep_last: 7 } });
      expect(warnings).toEqual([
        "database was changed and takes effect after a restart or `deerflow database switch`: connections are opened at the start.",
      ]);
      write("config_version: 1\ndatabase: {path: old.db, retention: {keep_last: 8}}");
      expect(source.current().database).toMatchObject({ path: "old.db", retention: { keep_last: 8 } });
      expect(warnings).toHaveLength(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
