import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { compiledFolder, compileRooms } from "../../testing/compile-rooms.js";
import { scaled } from "../../testing/test-scale.js";
import { openSqlite } from "./open-sqlite.js";
import { findFileServer, type ServeLock, takeServeLock } from "./serve-lock.js";

const COMPILED = compiledFolder("serve-lock");

/** Another process that serves the file, or says why it does not. */
function server(path: string) {
  const child = spawn(process.execPath, [join(COMPILED, "serve-lock.child.mjs"), COMPILED, path]);
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const answer = new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (chunk) => resolve(String(chunk).trim()));
    void ended.then(() => reject(new Error(`no answer: ${errors}`)));
  });
  const kill = (): Promise<void> => {
    child.kill("SIGKILL");
    return ended;
  };
  return { pid: child.pid, answer, kill };
}

let folder: string;
let path: string;
let locks: ServeLock[];
const take = async (place = path): Promise<ServeLock> => {
  const lock = await takeServeLock(place);
  locks.push(lock);
  return lock;
};
const inUse = (owner: string) =>
  expect.objectContaining({ code: "database_in_use", details: { path, owner } });

beforeAll(() => {
  compileRooms(["base", "context", "persistence"], COMPILED);
  cpSync(new URL("serve-lock.child.mjs", import.meta.url), join(COMPILED, "serve-lock.child.mjs"));
});
afterAll(() => rmSync(COMPILED, { recursive: true, force: true }));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "deerflow-serve-"));
  path = join(folder, "flow.db");
  locks = [];
  await (await openSqlite(path)).close();
});
afterEach(() => {
  for (const lock of locks) lock.release();
  rmSync(folder, { recursive: true, force: true });
});

describe("the lock of a served database file", () => {
  it("is held by one process, and names it to the others", async () => {
    const first = server(path);
    expect(await first.answer).toBe("serving");
    await expect(take()).rejects.toEqual(inUse(String(first.pid)));
    expect(findFileServer(path)).toMatchObject({ url: "http://127.0.0.1:1" });
    await first.kill();
  });

  it(`is free at once after kill -9, ${scaled(50, 3)} times`, async () => {
    for (let round = 0; round < scaled(50, 3); round += 1) {
      const killed = server(path);
      expect(await killed.answer).toBe("serving");
      await killed.kill();
      expect(findFileServer(path)).toBeUndefined();
      (await take()).release();
    }
  });

  it("has one winner among many that start at once", async () => {
    const servers = Array.from({ length: 5 }, () => server(path));
    const answers = await Promise.all(servers.map(({ answer }) => answer));
    const winner = servers[answers.indexOf("serving")];
    expect(answers.filter((answer) => answer === "serving")).toHaveLength(1);
    expect(answers.filter((answer) => answer === `database_in_use ${winner?.pid}`)).toHaveLength(4);
    await winner?.kill();
  });

  it("is not lost when this process itself is refused a second time", async () => {
    await take();
    await expect(take()).rejects.toEqual(inUse(String(process.pid)));
    expect(findFileServer(path)?.owner).toContain(`/${process.pid}/`);
    expect(await server(path).answer).toBe(`database_in_use ${process.pid}`);
  });

  it("leaves the database itself to everybody", async () => {
    await take();
    const other = await openSqlite(path);
    await other.write(async () => other.run("CREATE TABLE beside (a INTEGER)"));
    await other.close();
  });

  it("is one for all names of a file, and is released once", async () => {
    symlinkSync(path, join(folder, "other-name.db"));
    const lock = await take();
    await expect(take(join(folder, "other-name.db"))).rejects.toEqual(inUse(String(process.pid)));
    await expect(take(`file:${path}`)).rejects.toEqual(inUse(String(process.pid)));
    lock.release();
    const next = await take();
    lock.release();
    expect(findFileServer(path)).toBeDefined();
    next.release();
    expect(findFileServer(path)).toBeUndefined();
    expect(existsSync(`${path}-server.json`)).toBe(false);
  });

  it("is not needed for what lives in this process only", async () => {
    await take(":memory:");
    await take("file::memory:");
    expect(findFileServer(":memory:")).toBeUndefined();
  });
});
