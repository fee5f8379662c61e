/** Uploads and artifacts over a real socket and a real disk. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { UploadList, UploadResult } from "@deerflow/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { madeTarGz, madeZip } from "../../packages/harness/src/testing/made-archives.js";
import { type ScriptedGateway, startScriptedGateway } from "./scripted-gateway.js";

let gateway: ScriptedGateway;
beforeEach(async () => {
  gateway = await startScriptedGateway({
    uploadLimits: { maxFiles: 12, maxFileSize: 1000, maxTotalSize: 5000 },
  });
});
afterEach(() => gateway.close());

const at = (path: string) => `${gateway.url}/api/threads/t1${path}`;

const upload = (...files: readonly [name: string, content: string][]): Promise<Response> => send(files);

async function send(
  files: readonly (readonly [name: string, content: string | Buffer])[],
  extract?: string,
): Promise<Response> {
  const form = new FormData();
  for (const [name, content] of files)
    form.append("files", new Blob([new Uint8Array(Buffer.from(content))]), name);
  if (extract !== undefined) form.append("extract", extract);
  return fetch(at("/uploads"), { method: "POST", body: form });
}

const stored = async (answer: Response) =>
  ((await answer.json()) as UploadResult).files.map(({ filename }) => filename);
const listed = async () => (await (await fetch(at("/uploads/list"))).json()) as UploadList;

describe("uploads", () => {
  it("tell their limits before the thread exists, and create the thread", async () => {
    expect(await (await fetch(at("/uploads/limits"))).json()).toEqual({
      max_files: 12,
      max_file_size: 1000,
      max_total_size: 5000,
    });
    expect((await fetch(at("/uploads/list"))).status).toBe(404);
    const answer = (await (await upload(["data.csv", "a,b"])).json()) as UploadResult;
    expect(answer).toEqual({
      success: true,
      files: [
        {
          filename: "data.csv",
          original_filename: "data.csv",
          size: 3,
          path: "/mnt/user-data/uploads/data.csv",
          virtual_path: "/mnt/user-data/uploads/data.csv",
          artifact_url: "/api/threads/t1/artifacts/mnt/user-data/uploads/data.csv",
        },
      ],
      skipped_files: [],
      message: "Uploaded 1 file.",
    });
    expect((await fetch(at(""))).status).toBe(200);
    expect((await listed()).count).toBe(1);
  });

  it("never lose one of two with the same name, also side by side", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, number) => upload(["x.txt", String(number)])),
    );
    const names = (await Promise.all(answers.map(stored))).flat();
    expect(new Set(names).size).toBe(10);
    const contents = await Promise.all(
      names.map(async (name) => (await fetch(at(`/artifacts/mnt/user-data/uploads/${name}`))).text()),
    );
    expect(contents.map(Number).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await stored(await upload(["x.txt", "a"], ["x.txt", "b"]))).toEqual(["x_10.txt", "x_11.txt"]);
  });

  it("can be fetched and removed under each listed name", async () => {
    const sent = ["résumé (1).txt", "a/b.txt", "..\\c.txt", "CON.txt", "x%2Fy.txt", ".hidden", "end. "];
    expect((await upload(...sent.map((name): [string, string] => [name, name]))).status).toBe(200);
    const { files } = await listed();
    expect(files).toHaveLength(sent.length);
    for (const { filename, artifact_url } of files) {
      expect((await fetch(`${gateway.url}${artifact_url}`)).status).toBe(200);
      const removed = await fetch(at(`/uploads/${encodeURIComponent(filename)}`), { method: "DELETE" });
      expect(removed.status).toBe(200);
    }
    expect((await listed()).count).toBe(0);
  });

  it("are refused beyond each limit, and without a file", async () => {
    expect((await upload(["big.txt", "x".repeat(1001)])).status).toBe(413);
    const many = Array.from({ length: 13 }, (_, number): [string, string] => [`${number}`, "x"]);
    expect((await upload(...many)).status).toBe(413);
    const heavy = Array.from({ length: 6 }, (_, number): [string, string] => [`${number}`, "x".repeat(900)]);
    expect((await upload(...heavy)).status).toBe(413);
    expect((await upload()).status).toBe(422);
    expect((await fetch(at(""))).status).toBe(404);
  });

  it("are unpacked where that is asked for, and told one by one", async () => {
    const notes = madeZip([
      { name: "a.md", content: "a" },
      { name: "sub/b.md", content: "bb" },
    ]);
    const answer = await send(
      [
        ["notes.zip", notes],
        ["plain.txt", Buffer.from("x")],
      ],
      "true",
    );
    const { files } = (await answer.json()) as UploadResult;
    expect(files.map(({ filename, original_filename, size }) => [filename, original_filename, size])).toEqual(
      [
        ["notes/a.md", "notes.zip", 1],
        ["notes/sub/b.md", "notes.zip", 2],
        ["plain.txt", "plain.txt", 1],
      ],
    );
    expect(await (await fetch(`${gateway.url}${files[1]?.artifact_url}`)).text()).toBe("bb");
    expect(await stored(await send([["notes.tar.gz", madeTarGz([{ name: "c" }])]], "1"))).toEqual([
      "notes_1/c",
    ]);
    expect(await stored(await send([["notes.zip", notes]]))).toEqual(["notes.zip"]);
    expect((await fetch(at("/uploads/notes"), { method: "DELETE" })).status).toBe(200);
    expect((await fetch(`${gateway.url}${files[1]?.artifact_url}`)).status).toBe(404);
  });

  it("are not unpacked when anything speaks against an archive, and the others are kept", async () => {
    const evil = madeZip([
      { name: "good", content: "x" },
      { name: "../../outputs/evil", content: "x" },
    ]);
    const alone = await send([["evil.zip", evil]], "true");
    expect([alone.status, (await alone.json()) as unknown]).toEqual([
      422,
      { detail: expect.stringContaining("../../outputs/evil leads out"), code: "archive_invalid" },
    ]);
    const both = (await (
      await send(
        [
          ["evil.zip", evil],
          ["b.txt", Buffer.from("b")],
        ],
        "true",
      )
    ).json()) as UploadResult;
    expect(both.files.map(({ filename }) => filename)).toEqual(["b.txt"]);
    expect(both.skipped_files).toEqual([
      { filename: "evil.zip", reason: expect.stringContaining("leads out") },
    ]);
    const heavy = madeTarGz([{ name: "zeros", content: Buffer.alloc(1001) }]);
    expect((await send([["heavy.tgz", heavy]], "true")).status).toBe(413);
    const many = madeTarGz(
      Array.from({ length: 6 }, (_, number) => ({ name: `${number}`, content: Buffer.alloc(900) })),
    );
    expect((await send([["many.tgz", many]], "true")).status).toBe(413);
    expect((await listed()).files.map(({ filename }) => filename)).toEqual(["b.txt"]);
  });

  it("remove nothing outside their folder", async () => {
    await upload(["a.txt", "a"]);
    for (const name of ["..%2Fsecret", "%2e%2e", "no.txt"]) {
      expect((await fetch(at(`/uploads/${name}`), { method: "DELETE" })).status).toBe(404);
    }
  });
});

describe("artifacts", () => {
  const file = (name: string, init?: RequestInit) =>
    fetch(at(`/artifacts/mnt/user-data/outputs/${name}`), init);
  beforeEach(async () => {
    await fetch(`${gateway.url}/api/threads`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ thread_id: "t1" }),
    });
    const outputs = join(gateway.disk, "t1", "outputs");
    await mkdir(outputs, { recursive: true });
    await writeFile(join(outputs, "report.md"), "# 0123456789");
    await writeFile(join(outputs, "page.html"), "<script>alert(1)</script>");
    await writeFile(join(outputs, "empty.txt"), "");
    await writeFile(join(gateway.disk, "secret.txt"), "secret");
    await symlink(join(gateway.disk, "secret.txt"), join(outputs, "link.txt"));
    await symlink("/etc/passwd", join(outputs, "passwd.txt"));
  });

  it("come whole, in part, or not again", async () => {
    const whole = await file("report.md");
    expect([whole.status, await whole.text()]).toEqual([200, "# 0123456789"]);
    const etag = whole.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    expect((await file("report.md", { headers: { "if-none-match": etag } })).status).toBe(304);
    const part = await file("report.md", { headers: { range: "bytes=2-4" } });
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
      206,
      "bytes 2-4/12",
      "012",
    ]);
    const nothing = await file("empty.txt", { headers: { range: "bytes=0-1048575" } });
    expect([nothing.status, nothing.headers.get("content-range")]).toEqual([416, "bytes */0"]);
  });

  it("are never shown as a page of ours", async () => {
    const page = await file("page.html");
    expect(page.headers.get("content-disposition")).toContain("attachment;");
    expect(page.headers.get("content-security-policy")).toContain("sandbox");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    expect((await file("report.md")).headers.get("content-disposition")).toContain("inline;");
    expect((await file("report.md?download=true")).headers.get("content-disposition")).toContain(
      "attachment;",
    );
  });

  it.each(["..%2f..%2fsecret.txt", "none.md", ""])("are not found at %j", async (name) => {
    expect((await file(name)).status).toBe(404);
  });

  it.each(["link.txt", "passwd.txt"])(
    "are refused behind the link %s, which leads out of the thread",
    async (name) => {
      const answer = await file(name);
      expect(answer.status).toBe(403);
      expect(await answer.json()).toEqual({ detail: expect.any(String), code: "path_denied" });
    },
  );
});
