import { createHash } from "node:crypto";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MountedDiskBackend } from "./mounted-disk-backend.js";
import { fileVersion, viewFile, type ViewQuery } from "./view-file.js";

const MEGABYTE = 1_000_000;
const SIZE = 100 * MEGABYTE;
/** Each line has 1,000 bytes and its number in it. */
const LINE_LENGTH = 1000;
const LINES = SIZE / LINE_LENGTH;
const lineAt = (number: number): string => `line ${number} ö `.padEnd(LINE_LENGTH - 2, ".");

/** The most that this process grew while `work` ran, and what `work` gave. */
async function measured<T>(work: () => Promise<T>): Promise<{ readonly grown: number; readonly result: T }> {
  const before = process.memoryUsage().rss;
  let most = before;
  const sampling = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
  try {
    const result = await work();
    return { grown: Math.max(most, process.memoryUsage().rss) - before, result };
  } finally {
    clearInterval(sampling);
  }
}

describe("viewFile on a file of 100 MB", () => {
  let host: string;
  let files: MountedDiskBackend;
  const versions = new Map<string, string>();

  const write = async (name: string, pieces: Iterable<string>) => {
    const hash = createHash("sha256");
    const handle = await open(join(host, name), "w");
    for (const piece of pieces) {
      hash.update(piece);
      await handle.write(piece);
    }
    await handle.close();
    versions.set(name, hash.digest("hex"));
  };

  function* manyLines(): Generator<string> {
    for (let first = 1; first <= LINES; first += 1_000) {
      yield Array.from({ length: 1_000 }, (_, index) => `${lineAt(first + index)}\n`).join("");
    }
  }

  function* oneLine(): Generator<string> {
    yield "é";
    for (let count = 0; count < 100; count += 1) yield `${count}`.padEnd(MEGABYTE, "x");
  }

  beforeAll(async () => {
    host = await mkdtemp(join(tmpdir(), "deerflow-view-"));
    files = new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-only" }] });
    await write("lines.txt", manyLines());
    await write("line.txt", oneLine());
    // What is loaded and compiled at the first use is not what a page costs.
    await viewFile(files, page("lines.txt", { startLine: 1 }));
  });
  afterAll(() => rm(host, { recursive: true }));

  const page = (name: string, partial: Partial<ViewQuery>): ViewQuery => ({
    path: `/w/${name}`,
    startLine: 1,
    maxLines: 100,
    maxCharacters: 100_000,
    ...partial,
  });

  it.each([1, LINES / 2, LINES - 99])("reads the page at line %i in bounded memory", async (startLine) => {
    const { grown, result } = await measured(() => viewFile(files, page("lines.txt", { startLine })));
    expect(result).toEqual({
      kind: "text",
      version: versions.get("lines.txt"),
      totalLines: LINES,
      endsWithBreak: true,
      startLine,
      lines: Array.from({ length: 100 }, (_, index) => ({
        text: lineAt(startLine + index),
        startCharacter: 0,
        isWhole: true,
      })),
    });
    expect(grown).toBeLessThan(SIZE);
  });

  it.each([
    [0, `é0${"x".repeat(48)}`, false],
    [50 * MEGABYTE + 1, `50${"x".repeat(48)}`, false],
    [SIZE - 9, "x".repeat(10), true],
  ])("reads a single line from character %i on", async (startCharacter, text, isWhole) => {
    const query = page("line.txt", { startCharacter, maxCharacters: 50 });
    const { grown, result } = await measured(() => viewFile(files, query));
    expect(result).toEqual({
      kind: "text",
      version: versions.get("line.txt"),
      totalLines: 1,
      endsWithBreak: false,
      startLine: 1,
      lines: [{ text, startCharacter, isWhole }],
    });
    expect(grown).toBeLessThan(SIZE);
  });

  it("hashes it in bounded memory", async () => {
    const { grown, result } = await measured(() => fileVersion(files, "/w/lines.txt"));
    expect(result).toBe(versions.get("lines.txt"));
    expect(grown).toBeLessThan(SIZE);
  });
});
