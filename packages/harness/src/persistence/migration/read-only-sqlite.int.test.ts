import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { SqliteConnection } from "../sqlite/sqlite-connection.js";
import { ReadOnlySqlite } from "./read-only-sqlite.js";
import { makeScratchFolder } from "./scratch-folder.js";

const folder = mkdtempSync(join(tmpdir(), "deerflow-read-only-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let path: string;
let writer: SqliteConnection;
beforeEach(async () => {
  path = join(mkdtempSync(join(folder, "file-")), "live #1 %.db");
  writer = await SqliteConnection.open(path);
  writer.exec("CREATE TABLE numbers (n INTEGER, filling BLOB)");
  for (let n = 0; n < 10; n += 1) add(n);
  return () => writer.close();
});

const add = (n: number): void => {
  writer.run("INSERT INTO numbers VALUES (?, ?)", [n, new Uint8Array(10_000)]);
};
const count = (reader: ReadOnlySqlite): Promise<number> =>
  reader.read(async (session) => Number((await session.all("SELECT count(*) AS n FROM numbers"))[0]?.["n"]));

/** Every file of the folder, with its content. */
const fingerprint = (file: string): readonly string[] =>
  readdirSync(dirname(file))
    .sort()
    .map(
      (name) =>
        `${name} ${createHash("sha256")
          .update(readFileSync(join(dirname(file), name)))
          .digest("hex")}`,
    );

/** The files that another program leaves: with its log, when it was interrupted. */
function leftWith(ends: readonly string[]): string {
  const file = join(mkdtempSync(join(folder, "left-")), "left #1 %.db");
  for (const end of ends) copyFileSync(`${path}${end}`, `${file}${end}`);
  return file;
}

async function expectNoWrites(reader: ReadOnlySqlite): Promise<void> {
  const refusal = { code: "database_read_only" };
  await expect(reader.database.write(async () => undefined)).rejects.toMatchObject(refusal);
  const write = reader.read((session) => session.run("INSERT INTO numbers VALUES (1, NULL)"));
  await expect(write).rejects.toMatchObject(refusal);
}

describe("reading an SQLite file", () => {
  it("finds what is only in the log of a program that died, and changes none of its files", async () => {
    const file = leftWith(["", "-wal", "-shm"]);
    const before = fingerprint(file);
    expect(before).toHaveLength(3);
    const reader = await ReadOnlySqlite.open(file);
    expect(reader.mode).toBe("copy");
    expect(await count(reader)).toBe(10);
    await expectNoWrites(reader);
    await reader.close();
    expect(fingerprint(file)).toEqual(before);
  });

  it("leaves nothing beside a file that has no log", async () => {
    writer.all("PRAGMA wal_checkpoint(TRUNCATE)");
    const file = leftWith([""]);
    const before = fingerprint(file);
    const reader = await ReadOnlySqlite.open(file);
    expect(reader.mode).toBe("resting");
    expect(await count(reader)).toBe(10);
    await expectNoWrites(reader);
    expect(fingerprint(file)).toEqual(before);
    await reader.close();
    expect(fingerprint(file)).toEqual(before);
  });

  it("goes on in its place when another program begins to write to it", async () => {
    writer.all("PRAGMA wal_checkpoint(TRUNCATE)");
    const reader = await ReadOnlySqlite.open(path);
    expect(reader.mode).toBe("resting");
    expect(await count(reader)).toBe(10);
    add(10);
    expect(await count(reader)).toBe(11);
    expect(reader.mode).toBe("in-place");
    add(11);
    writer.all("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(await count(reader)).toBe(12);
    await expectNoWrites(reader);
    await reader.close();
    add(12);
    expect(Number(writer.first("SELECT count(*) AS n FROM numbers")?.["n"])).toBe(13);
  });

  it("reads in its place what this process has open", async () => {
    const reader = await ReadOnlySqlite.open(path);
    expect(reader.mode).toBe("in-place");
    add(10);
    expect(await count(reader)).toBe(11);
    await reader.close();
  });

  it("refuses a file that needs a repair first, and one that is not there", async () => {
    writeFileSync(`${path}-journal`, "left");
    await expect(ReadOnlySqlite.open(path)).rejects.toMatchObject({ code: "database_unreadable" });
    await expect(ReadOnlySqlite.open(`${path}.none`)).rejects.toMatchObject({ code: "database_unreadable" });
  });
});

describe("a folder that a program works in", () => {
  it("takes the place of those of programs that were killed, and leaves others alone", () => {
    const parent = mkdtempSync(join(folder, "scratch-"));
    for (const name of ["work-999999999-abc", "work-notes", `work-${process.pid}-abc`])
      mkdirSync(join(parent, name));
    const made = makeScratchFolder(parent, "work-");
    const names = readdirSync(parent);
    expect(names).toHaveLength(3);
    expect(names).toEqual(expect.arrayContaining(["work-notes", `work-${process.pid}-abc`]));
    expect(names.some((name) => made.endsWith(name))).toBe(true);
  });
});
