import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  madeTar,
  madeTarGz,
  madeZip,
  paxMember,
  type TarMember,
  type ZipMember,
} from "../testing/made-archives.js";
import { MemoryFiles } from "../testing/memory-files.js";
import type { FileBackend } from "./contract.js";
import { type ArchiveLimits, extractArchive } from "./extract-archive.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";

const FOLDER = "/w/new";

let host: string;
let files: FileBackend;
beforeEach(async () => {
  host = await mkdtemp(join(tmpdir(), "deerflow-archive-"));
  files = new MountedDiskBackend({
    mounts: [{ virtualPath: "/w", hostPath: join(host, "w"), mode: "read-write" }],
  });
});
afterEach(() => rm(host, { recursive: true, force: true }));

const extract = (archive: Uint8Array | AsyncIterable<Uint8Array>, limits: Partial<ArchiveLimits> = {}) =>
  extractArchive(files, archive, { folder: FOLDER, limits });
const textOf = async (name: string) =>
  Buffer.from((await files.read(`${FOLDER}/${name}`))?.bytes ?? []).toString();
const refused = (reason: string) => ({
  code: "archive_invalid",
  details: expect.objectContaining({ reason: expect.stringContaining(reason) }),
});
/** Nothing was written, beside the archive's folder neither. */
const expectNothing = async () => {
  expect(await files.stat(FOLDER)).toBeUndefined();
  expect(await readdir(host, { recursive: true })).toEqual([]);
};

const BOTH: Readonly<Record<string, (members: readonly { name: string; content?: string }[]) => Buffer>> = {
  zip: madeZip,
  tar: madeTar,
  "tar.gz": madeTarGz,
};

describe.each(Object.entries(BOTH))("a %s", (_, made) => {
  it("is unpacked below the folder, and what came is told", async () => {
    const archive = made([
      { name: "./a.txt", content: "a" },
      { name: "sub//deep/b.txt", content: "b".repeat(100_000) },
      { name: "empty", content: "" },
      { name: "结果 é.txt", content: "ü" },
    ]);
    expect(await extract(archive)).toEqual([
      { path: `${FOLDER}/a.txt`, size: 1 },
      { path: `${FOLDER}/sub/deep/b.txt`, size: 100_000 },
      { path: `${FOLDER}/empty`, size: 0 },
      { path: `${FOLDER}/结果 é.txt`, size: 2 },
    ]);
    expect(await textOf("sub/deep/b.txt")).toBe("b".repeat(100_000));
    expect(await textOf("结果 é.txt")).toBe("ü");
  });

  it.each([
    ["../evil", "leads out of the folder"],
    ["a/../../evil", "leads out of the folder"],
    ["/etc/cron.d/evil", "is an absolute path"],
    ["..\\evil", "has a backslash in its name"],
    ["C:/evil", "begins with a drive letter"],
    ["c:evil", "begins with a drive letter"],
    ["evil\nname", "has a control character"],
    [`${"d/".repeat(51)}f`, "lies more than 50 folders deep"],
    [".deerflow-0123456789abcdef.tmp", "is kept for files that are being written"],
    ["x/", "is a folder with a content"],
  ])("is refused whole for the name %j", async (name, reason) => {
    const archive = made([
      { name: "good.txt", content: "good" },
      { name, content: "evil" },
    ]);
    await expect(extract(archive)).rejects.toMatchObject(refused(reason));
    await expectNothing();
  });

  it.each([
    [["same", "same"], "occurs twice"],
    [["./same", "same"], "occurs twice"],
    [["a", "a/b"], "is both a file and a folder"],
    [["a/b", "a"], "is both a file and a folder"],
  ])("is refused when it holds %j", async (names, reason) => {
    const archive = made(names.map((name) => ({ name, content: name })));
    await expect(extract(archive)).rejects.toMatchObject(refused(reason));
    await expectNothing();
  });

  it("is refused for names that differ in case only where these are one file", async () => {
    const archive = made([{ name: "Read.me" }, { name: "read.ME" }]);
    const folding = new MemoryFiles({ foldsCase: true });
    await expect(extractArchive(folding, archive, { folder: FOLDER })).rejects.toMatchObject(
      refused("occurs twice"),
    );
    expect(await extract(archive)).toHaveLength(2);
  });

  it.each([
    ["more than 2 files and folders", { maxEntries: 2 }],
    ["unpacks to more than 30 bytes", { maxFileBytes: 30 }],
    ["unpacks to more than 100 bytes", { maxTotalBytes: 100 }],
    ["has more than 50 bytes", { maxArchiveBytes: 50 }],
  ])("is refused because it %s", async (reason, limits) => {
    const archive = made(["a", "b", "c"].map((name) => ({ name, content: name.repeat(40) })));
    await expect(extract(archive, limits)).rejects.toMatchObject({
      code: "archive_too_large",
      details: { reason: expect.stringContaining(reason) },
    });
    await expectNothing();
  });

  it("is refused when it is cut off anywhere", async () => {
    const archive = made([
      { name: "a", content: "a".repeat(2000) },
      { name: "b", content: "b".repeat(2000) },
    ]);
    for (const length of [1, 100, 300, Math.floor(archive.length / 2)].filter(
      (cut) => cut < archive.length,
    )) {
      await expect(extract(archive.subarray(0, length))).rejects.toMatchObject({ code: "archive_invalid" });
    }
    await expectNothing();
  });

  it("is refused when it is empty, or holds folders alone", async () => {
    await expect(extract(made([{ name: "folder/" }]))).rejects.toMatchObject(refused("it holds no files"));
  });

  it("comes in pieces too, and stops when told to", async () => {
    const archive = made([{ name: "a", content: "a" }]);
    const pieces = async function* () {
      for (const byte of archive) yield Uint8Array.of(byte);
    };
    expect(await extract(pieces())).toHaveLength(1);
    const options = { folder: "/w/other", signal: AbortSignal.abort(new Error("stop")) };
    await expect(extractArchive(files, archive, options)).rejects.toThrow("stop");
    expect(await files.stat("/w/other")).toBeUndefined();
  });
});

describe("a zip", () => {
  const cases: readonly [string, readonly ZipMember[], string][] = [
    ["a link", [{ name: "link", content: "/etc/passwd", unixMode: 0o120777 }], "is a link"],
    [
      "a link and a file through it",
      [
        { name: "way", content: "/etc", unixMode: 0o120777 },
        { name: "way/cron", content: "evil" },
      ],
      "is a link",
    ],
    ["a device", [{ name: "device", unixMode: 0o020666 }], "special file"],
    ["a pipe", [{ name: "pipe", unixMode: 0o010666 }], "special file"],
    ["a link of Windows", [{ name: "junction", dosAttributes: 0x400 }], "is a link"],
    ["an encrypted file", [{ name: "locked", content: "x".repeat(20), flags: 0x801 }], "is encrypted"],
    ["an unknown method", [{ name: "odd", content: "x", method: 14 }], "method 14"],
    ["two names of one entry", [{ name: "report.txt", localName: "../x" }], "another name"],
    ["a wrong sum", [{ name: "a", content: "abc", declaredSum: 1 }], "is damaged"],
    ["a size that is too small", [{ name: "a", content: "x".repeat(5000), declaredSize: 5 }], "damaged"],
    ["a size that is too large", [{ name: "a", content: "abc", declaredSize: 5000 }], "damaged"],
    [
      "two entries in one",
      [
        { name: "a", content: "abc" },
        { name: "a", localName: "a", content: "abc", on: 0 },
      ],
      "shares its bytes",
    ],
    ["a name that is no UTF-8 and says it is", [{ name: Buffer.from([0x61, 0xff]) }], "not valid UTF-8"],
  ];

  it.each(cases)("is refused whole for %s", async (_, members, reason) => {
    const archive = madeZip(
      [{ name: "good.txt", content: "good" }, ...members].map((member) =>
        member.on === undefined ? member : { ...member, on: 1 },
      ),
    );
    await expect(extract(archive)).rejects.toMatchObject(refused(reason));
    await expectNothing();
  });

  it("is refused where entries lie inside each other, however many there are", async () => {
    const content = Buffer.alloc(1024 * 1024);
    const kernel = { name: "a", content, packed: deflateRawSync(content) };
    const facts = { ...kernel, content: "", declaredSize: content.length, localName: "a", on: 0 };
    const quoted = Array.from({ length: 2000 }, (_, number) => ({ ...facts, name: `a${number}` }));
    await expect(extract(madeZip([kernel, ...quoted]))).rejects.toMatchObject(refused("shares its bytes"));
    await expectNothing();
  });

  it("is refused for what it unpacks to, not for what it says", async () => {
    const bomb = madeZip([{ name: "bomb", content: Buffer.alloc(30 * 1024 * 1024) }]);
    expect(bomb.length).toBeLessThan(40_000);
    await expect(extract(bomb)).rejects.toMatchObject({
      code: "archive_too_large",
      details: { reason: expect.stringContaining("times its size") },
    });
    await expectNothing();
  });

  it("is refused for a hundred thousand entries before they are looked at", async () => {
    const archive = madeZip([{ name: "a" }], 60_000);
    await expect(extract(archive)).rejects.toMatchObject({ code: "archive_too_large" });
    await expectNothing();
  });

  it("is refused where it ends before the entries that it announces", async () => {
    await expect(extract(madeZip([{ name: "a" }], 2))).rejects.toMatchObject({ code: "archive_invalid" });
  });

  it("keeps names in UTF-8 that do not say so, and reads the others as DOS wrote them", async () => {
    const archive = madeZip([
      { name: "é.txt", flags: 0 },
      { name: Buffer.from([0x82, 0x2e, 0x63]), flags: 0 },
    ]);
    expect((await extract(archive)).map(({ path }) => path)).toEqual([`${FOLDER}/é.txt`, `${FOLDER}/é.c`]);
  });

  it("keeps no rights beyond those of any file", async () => {
    await extract(madeZip([{ name: "run.sh", content: "#!", unixMode: 0o104755 }]));
    expect((await stat(join(host, "w/new/run.sh"))).mode & 0o7777).toBe(0o644);
  });
});

describe("a tar", () => {
  const cases: readonly [string, readonly TarMember[], string][] = [
    ["a link", [{ name: "link", type: "2", link: "/etc/passwd" }], "is a link"],
    [
      "a link and a file through it",
      [
        { name: "way", type: "2", link: "/etc" },
        { name: "way/cron", content: "evil" },
      ],
      "is a link",
    ],
    ["a hard link", [{ name: "hard", type: "1", link: "/etc/shadow" }], "is a hard link"],
    ["a device", [{ name: "device", type: "3" }], "special file"],
    ["a disk", [{ name: "disk", type: "4" }], "special file"],
    ["a pipe", [{ name: "pipe", type: "6" }], "special file"],
    ["a file of several volumes", [{ name: "part", type: "M" }], "special file"],
    ["a file with holes", [paxMember("GNU.sparse.major", "1"), { name: "a", content: "x" }], "holes"],
    [
      "a long name that leads out",
      [paxMember("path", "../../evil"), { name: "a", content: "x" }],
      "leads out",
    ],
    [
      "a long name of the older kind",
      [{ name: "././@LongLink", type: "L", content: "/evil\0" }, { name: "a" }],
      "absolute",
    ],
    ["a size beyond its end", [{ name: "a", content: "abc", declaredSize: 5_000_000 }], "damaged"],
    ["a size below nothing", [paxMember("size", "-1"), { name: "a", content: "abc" }], "damaged"],
    ["a name that is no UTF-8", [{ name: Buffer.from([0x61, 0xff]) }], "not valid UTF-8"],
  ];

  it.each(cases)("is refused whole for %s", async (_, members, reason) => {
    for (const archive of [madeTar, madeTarGz].map((made) =>
      made([{ name: "good.txt", content: "good" }, ...members]),
    )) {
      await expect(extract(archive)).rejects.toMatchObject(refused(reason));
      await expectNothing();
    }
  });

  it("is refused for what gzip unpacks to, also after its last entry", async () => {
    const member = { name: "bomb", content: Buffer.alloc(30 * 1024 * 1024) };
    const endless = Buffer.concat([madeTar([{ name: "a" }]), Buffer.alloc(30 * 1024 * 1024)]);
    for (const archive of [madeTarGz([member]), gzipSync(endless)]) {
      await expect(extract(archive)).rejects.toMatchObject({ code: "archive_too_large" });
      await expectNothing();
    }
  });

  it("is refused for a hundred thousand entries", async () => {
    const archive = madeTarGz(Array.from({ length: 100_000 }, (_, number) => ({ name: `f${number}` })));
    await expect(extract(archive)).rejects.toMatchObject({ code: "archive_too_large" });
    await expectNothing();
  }, 30_000);

  it("is refused for few entries with very many folders", async () => {
    const archive = madeTar(
      Array.from({ length: 300 }, (_, number) => ({ name: `${number}/${"d/".repeat(45)}f` })),
    );
    await expect(extract(archive)).rejects.toMatchObject({ code: "archive_too_large" });
    await expectNothing();
  });
});

describe("extractArchive", () => {
  const archive = madeZip([
    { name: "a", content: "a" },
    { name: "sub/b", content: "b" },
  ]);

  it("takes nothing else for an archive, whatever it is called", async () => {
    for (const bytes of ["", "PK", "hello", "Rar!\x1a\x07", "7z\xbc\xaf\x27\x1c"])
      await expect(extract(Buffer.from(bytes, "latin1"))).rejects.toMatchObject({ code: "archive_invalid" });
    await expect(extract(gzipSync("only a text"))).rejects.toMatchObject({ code: "archive_invalid" });
    await expectNothing();
  });

  it("writes into no folder that is there, and of two only one", async () => {
    const both = await Promise.allSettled([extract(archive), extract(archive)]);
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    await expect(extract(archive)).rejects.toMatchObject({ code: "archive_folder_taken" });
    expect(await textOf("sub/b")).toBe("b");
  });

  it("removes what it wrote when something goes wrong on the way", async () => {
    const full = new MemoryFiles({});
    const write = full.write.bind(full);
    full.write = async (path, ...rest) => {
      if (path.endsWith("/b")) throw new Error("disk full");
      return write(path, ...rest);
    };
    await expect(extractArchive(full, archive, { folder: FOLDER })).rejects.toThrow("disk full");
    expect(await full.stat(`${FOLDER}/a`)).toBeUndefined();
  });

  it("writes through no link that lies where the folder should be", async () => {
    await mkdir(join(host, "w"));
    await mkdir(join(host, "outside"));
    await symlink(join(host, "outside"), join(host, "w/new"));
    await expect(extract(archive)).rejects.toMatchObject({ code: "path_denied" });
    await rm(join(host, "w/new"));
    await symlink(join(host, "outside"), join(host, "w/way"));
    await expect(extractArchive(files, archive, { folder: "/w/way/new" })).rejects.toMatchObject({
      code: "path_denied",
    });
    expect(await readdir(join(host, "outside"))).toEqual([]);
  });

  it("keeps what others wrote", async () => {
    await files.write("/w/other", Buffer.from("other"));
    await extract(archive);
    expect(await readFile(join(host, "w/other"), "utf8")).toBe("other");
  });
});
