import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqlite } from "./open-sqlite.js";
import { SCHEMA_VERSION } from "../migrations/migrations.js";

describe("opening a database", () => {
  let folder: string;
  let path: string;
  const isRoot = process.getuid?.() === 0;
  const failsWith = (code: string, details: object = {}) =>
    expect(openSqlite(path)).rejects.toMatchObject({
      code,
      details: expect.objectContaining({ path, ...details }),
    });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "deerflow-open-"));
    path = join(folder, "deerflow.db");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("creates a database, with the folders above it, and opens it again", async () => {
    path = join(folder, "a/b/deerflow.db");
    for (let time = 0; time < 2; time += 1) {
      const connection = await openSqlite(path);
      expect(connection.first("PRAGMA user_version")).toEqual({ user_version: SCHEMA_VERSION });
      expect(connection.first("PRAGMA journal_mode")).toEqual({ journal_mode: "wal" });
      await connection.close();
    }
  });

  it("keeps the file and its log from other users of the machine, whatever the umask", async () => {
    path = join(folder, "data/deerflow.db");
    const connection = await openSqlite(path);
    connection.exec("CREATE TABLE probe (x)");
    const modes = ["", "-wal", "-shm"].map((end) => statSync(`${path}${end}`).mode & 0o777);
    expect([statSync(join(folder, "data")).mode & 0o777, ...modes]).toEqual([0o700, 0o600, 0o600, 0o600]);
    await connection.close();
  });

  it("opens file: addresses, makes no file with mode=rw, and refuses other parameters untouched", async () => {
    const place = `file://${folder}/new/a%20b.db`;
    await (await openSqlite(place)).close();
    await (await openSqlite(`${place}?mode=rw`)).close();
    path = join(folder, "none.db");
    await expect(openSqlite(`file:${path}?mode=rw`)).rejects.toMatchObject({ code: "database_unreadable" });
    await expect(openSqlite(`file:${path}?immutable=1`)).rejects.toMatchObject({
      code: "database_path_invalid",
    });
    expect(readdirSync(folder)).toEqual(["new"]);
    expect(readdirSync(join(folder, "new"))).toContain("a b.db");
  });

  it.each([
    ["twice", async () => openSqlite(path)],
    ["again right after it was closed", async () => (await openSqlite(path)).close()],
  ])("loses nothing to another process when it is opened %s here", async (_, openBefore) => {
    await openBefore();
    const first = await openSqlite(path);
    first.exec("CREATE TABLE probe (x)");
    const second = await openSqlite(path);
    const elsewhere = `const Database = require("libsql"); const other = new Database(process.argv[1]);
      other.exec("INSERT INTO probe VALUES (1)"); other.close();`;
    execFileSync(process.execPath, ["-e", elsewhere, path]);
    first.run("INSERT INTO probe VALUES (2)");
    const reads = `const Database = require("libsql");
      console.log(new Database(process.argv[1]).prepare("SELECT count(*) AS rows FROM probe").get().rows);`;
    expect(String(execFileSync(process.execPath, ["-e", reads, path])).trim()).toBe("2");
    await first.close();
    await second.close();
  });

  it("takes an empty file for a new database", async () => {
    writeFileSync(path, "");
    await (await openSqlite(path)).close();
  });

  it("recognizes its file from the first moment, before the log is folded in", async () => {
    const connection = await openSqlite(path);
    const copy = join(folder, "copy.db");
    copyFileSync(path, copy);
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    await connection.close();
    await (await openSqlite(copy)).close();
  });

  it("lets many open and create one database at the same moment", async () => {
    const connections = await Promise.all(Array.from({ length: 5 }, () => openSqlite(path)));
    for (const connection of connections) await connection.close();
  });

  it.each([
    ["a text", "this is somebody's diary\n".repeat(500)],
    ["a short text", "x"],
  ])("refuses %s and does not touch it", async (_name, content) => {
    writeFileSync(path, content);
    const before = statSync(path);
    await failsWith("database_foreign", { reason: "it is not an SQLite file" });
    expect(readFileSync(path, "utf8")).toBe(content);
    expect(statSync(path).mtimeMs).toBe(before.mtimeMs);
  });

  it("refuses the SQLite file of another program and does not touch it", async () => {
    const foreign = new Database(path);
    foreign.exec("CREATE TABLE diary (day TEXT)");
    foreign.close();
    const before = readFileSync(path);
    await failsWith("database_foreign", { reason: "it is the SQLite file of another program" });
    expect(Buffer.compare(readFileSync(path), before)).toBe(0);
    expect(() => statSync(`${path}-wal`)).toThrow(/ENOENT/);
  });

  it("refuses a newer schema and says both versions, also when it is still in the log", async () => {
    const connection = await openSqlite(path);
    connection.exec("PRAGMA user_version = 900");
    await failsWith("database_newer", { found: 900, known: SCHEMA_VERSION });
    await connection.close();
    await failsWith("database_newer", { found: 900, known: SCHEMA_VERSION });
  });

  it("names a damaged file", async () => {
    await (await openSqlite(path)).close();
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 0xa5)]));
    await failsWith("database_damaged");
  });

  it("names a folder in the place of the file", async () => {
    mkdirSync(path);
    await failsWith("database_unreadable", { reason: "it is not a file" });
  });

  it("names a file in the place of the folder", async () => {
    writeFileSync(join(folder, "file"), "");
    const below = join(folder, "file", "deerflow.db");
    await expect(openSqlite(below)).rejects.toMatchObject({
      code: "database_unreadable",
      details: { path: below, reason: expect.stringContaining(join(folder, "file")) },
    });
  });

  it.skipIf(isRoot)("names a file that it may not read (skipped for root, who may)", async () => {
    writeFileSync(path, "", { mode: 0o000 });
    await failsWith("database_unreadable");
  });

  it.skipIf(isRoot)("names a folder that it may not write (skipped for root, who may)", async () => {
    mkdirSync(join(folder, "closed"), { mode: 0o500 });
    await expect(openSqlite(join(folder, "closed", "d.db"))).rejects.toMatchObject({
      code: "database_unreadable",
    });
  });
});
