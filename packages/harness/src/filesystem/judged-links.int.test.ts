/** Links in a sandbox, of which only a shell knows where they lead. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { BubblewrapProvider } from "../sandbox/bubblewrap/bubblewrap-provider.js";
import { bubblewrapWorks } from "../testing/bubblewrap-works.js";
import { type FreshSandbox, openSandbox } from "../testing/open-sandbox.js";
import type { FileBackend } from "./contract.js";
import { SandboxBackend } from "./sandbox-backend.js";

const ROOT = "/mnt/user-data/workspace";
const bytes = (text: string): Uint8Array => Buffer.from(text);

describe.runIf(await bubblewrapWorks())("a sandbox whose links are judged", () => {
  let opened: FreshSandbox;
  let files: SandboxBackend;
  let judged: FileBackend;
  const forbidden = expect.objectContaining({ code: "path_forbidden" });

  beforeAll(async () => {
    opened = await openSandbox(new BubblewrapProvider());
    files = new SandboxBackend({ sandbox: opened.sandbox, workingDirectory: ROOT });
    const at = (name: string) => join(opened.workspace, name);
    mkdirSync(at("secret"));
    mkdirSync(at("it's $(here)"));
    writeFileSync(at("secret/key"), "key");
    writeFileSync(at("it's $(here)/plain"), "plain");
    symlinkSync("secret", at("way"));
    symlinkSync(`${ROOT}/way/key`, at("it's $(here)/to-key"));
    symlinkSync("it's $(here)", at("open"));
    symlinkSync("missing", at("dangling"));
    symlinkSync("loop", at("loop"));
    judged = files.judgedBy((operation, path) => {
      if (path.startsWith(`${ROOT}/secret`)) {
        throw new DeerflowError("path_forbidden", { path, done: operation, reason: "it is secret" });
      }
    });
  });
  afterAll(() => opened.close());

  it.each([
    ["/", "/"],
    [ROOT, ROOT],
    [`${ROOT}/way/key`, `${ROOT}/secret/key`],
    [`${ROOT}/open/to-key`, `${ROOT}/secret/key`],
    [`${ROOT}/open/plain`, `${ROOT}/it's $(here)/plain`],
    [`${ROOT}/way/new/file`, `${ROOT}/secret/new/file`],
    [`${ROOT}/missing/far/below`, `${ROOT}/missing/far/below`],
    ["/no-such-folder/file", "/no-such-folder/file"],
    [`${ROOT}/dangling`, `${ROOT}/missing`],
  ])("says that %s leads to %s", async (path, real) => {
    expect(await files.realPath(path)).toBe(real);
  });

  it("reaches nothing forbidden by a link, with any verb", async () => {
    for (const path of [`${ROOT}/way/key`, `${ROOT}/open/to-key`]) {
      await expect(judged.read(path)).rejects.toEqual(forbidden);
      await expect(judged.stat(path)).rejects.toEqual(forbidden);
      await expect(judged.write(path, bytes("x"))).rejects.toEqual(forbidden);
    }
    await expect(judged.list(`${ROOT}/way`)).rejects.toEqual(forbidden);
    await expect(judged.remove(`${ROOT}/way/key`)).rejects.toEqual(forbidden);
    expect(Buffer.from((await files.read(`${ROOT}/secret/key`))?.bytes ?? []).toString()).toBe("key");
  });

  it("lists no link to what is forbidden, and names what it lists as it was asked for", async () => {
    expect((await judged.list(`${ROOT}/open`)).map(({ path }) => path)).toEqual([`${ROOT}/open/plain`]);
    const names = (await judged.list(ROOT)).map(({ path }) => path.slice(ROOT.length + 1));
    expect(names).toEqual(["it's $(here)", "open"]);
  });

  it("writes where a link leads, and removes a link itself", async () => {
    await judged.write(`${ROOT}/open/new`, bytes("new"));
    expect(await files.stat(`${ROOT}/it's $(here)/new`)).toMatchObject({ kind: "file", size: 3 });
    expect(await judged.remove(`${ROOT}/loop`)).toBe(true);
    expect(await judged.remove(`${ROOT}/loop`)).toBe(false);
  });
});
