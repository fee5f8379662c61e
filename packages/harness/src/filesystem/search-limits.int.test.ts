import { createServer, type Server } from "node:http";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { scaled } from "../testing/test-scale.js";
import { verbsOnly } from "../testing/verbs-only.js";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ByteReadable, FileBackend } from "./contract.js";
import { glob } from "./glob.js";
import { grep } from "./grep.js";
import type { GrepQuery } from "./line-search.js";
import { LINE_WORKERS } from "./line-worker.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";

const FOLDERS = 500;
const FILES_A_FOLDER = scaled(100, 10);
const FILES = FOLDERS * FILES_A_FOLDER;

/** What a request takes is also up to whoever else uses the machine: only what is always late is late here. */
const LOADED = { retry: 5 };

const no = async () => undefined as never;

/** Files in memory, each below the root. */
const memory = (contents: Readonly<Record<string, string | Uint8Array>>): FileBackend => {
  const bytes = new Map<string, Buffer>(
    Object.entries(contents).map(([name, content]) => [`/${name}`, Buffer.from(content)]),
  );
  const entryOf = (path: string) => ({
    path,
    kind: "file" as const,
    size: bytes.get(path)?.length ?? 0,
    modifiedAt: 0,
  });
  return {
    id: "memory",
    list: async () => [...bytes.keys()].toSorted().map(entryOf),
    stat: async (path) =>
      path === "/"
        ? { path, kind: "directory", size: 0, modifiedAt: 0 }
        : bytes.has(path)
          ? entryOf(path)
          : undefined,
    read: async (path) => ({ bytes: bytes.get(path) ?? Buffer.alloc(0), version: "0" }),
    write: no,
    remove: no,
  };
};

const query = (partial: Partial<GrepQuery> & { pattern: string }): GrepQuery => ({
  path: "/",
  literal: false,
  caseSensitive: false,
  maxResults: 100,
  ...partial,
});

/**
 * The longest that a request to this process took while `work` ran, and by how much the process grew. Asks each 20 ms;
 * a request that could not even be made in time counts from when it was due.
 */
async function whileServing<T>(server: Server, work: () => Promise<T>) {
  const { port } = server.address() as AddressInfo;
  const before = process.memoryUsage().rss;
  const seen = { slowest: 0, grown: 0, isOver: false };
  const asking = (async () => {
    for (let due = performance.now(); !seen.isOver; due = Math.max(performance.now(), due + 20)) {
      await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
      await (await fetch(`http://127.0.0.1:${port}/health`)).text();
      seen.slowest = Math.max(seen.slowest, performance.now() - due);
      seen.grown = Math.max(seen.grown, process.memoryUsage().rss - before);
    }
  })();
  const result = await work().finally(() => (seen.isOver = true));
  await asking;
  return { ...seen, result };
}

describe("a search by the thread", () => {
  let server: Server;
  let host: string;
  let disk: MountedDiskBackend;

  beforeAll(async () => {
    server = createServer((_, response) => response.end("ok"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    host = await mkdtemp(join(tmpdir(), "deerflow-thread-"));
    disk = new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-only" }] });
    await writeFile(join(host, "t.txt"), `${"a".repeat(40)}!\n`);
    await writeFile(join(host, "long.txt"), `${"x".repeat(1_500_000)}needle${"x".repeat(1_500_000)}\n`);
    // What is loaded at the first use is not what a search costs.
    await grep(disk, query({ pattern: "warm", path: "/w" }));
    await whileServing(server, () => grep(memory({ "a.txt": "warm" }), query({ pattern: "warm" })));
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(host, { recursive: true });
  });

  it.each([
    ["^(a+)+$", 0],
    ["needle", 1],
    ["[^;]{0,64}needle[^;]{0,256}", 1],
    ["(x{0,30}){0,30}needle", 1],
    ["(x|xx)*y", 0],
    ["x", 1],
    ["(?i)X{1000}$", 1],
  ])("lets the process serve others, in bounded memory: %s", LOADED, async (pattern, found) => {
    for (const path of ["/w", "/w/long.txt"]) {
      const { slowest, grown, result } = await whileServing(server, () =>
        grep(disk, query({ pattern, path }), { seconds: 60 }),
      );
      expect(result).toMatchObject({ stopped: undefined });
      expect(result.matches).toHaveLength(found);
      expect(result.matches.every((match) => match.text.length <= 200)).toBe(true);
      if (pattern.includes("needle")) expect(result.matches[0]?.path).toBe("/w/long.txt");
      expect(slowest).toBeLessThan(250);
      expect(grown).toBeLessThan(200_000_000);
    }
  });

  it("shows the match in the middle of a long line, also where it is found by narrowing down", async () => {
    for (const pattern of ["needle", "NEEDLE", "(x{0,10}){0,10}(needle){1,100}x{0,999}"]) {
      const { matches } = await grep(disk, query({ pattern, path: "/w/long.txt" }));
      expect(matches[0]?.text).toMatch(/^…x+needlex+…$/);
      expect(matches[0]?.text).toHaveLength(200);
    }
  });

  /** Takes the thread far longer than any limit here. */
  const endless = () => {
    const line = `${"ab".repeat(200_000)}\n`;
    return memory({ "a.txt": "found\n", "z.txt": line.repeat(20) });
  };
  const ENDLESS = "found|(a?b?){1000}(.*a.{900}c|d)$";

  it("gives what it has at the time limit, and ends the work itself", LOADED, async () => {
    const { slowest, result } = await whileServing(server, () =>
      grep(endless(), query({ pattern: ENDLESS }), { seconds: 1 }),
    );
    expect(result).toMatchObject({ stopped: "time", matches: [{ path: "/a.txt", line: 1, text: "found" }] });
    expect(slowest).toBeLessThan(250);
    expect(await idleShare()).toBeLessThan(0.5);
  });

  /** How much of one processor this process uses while nothing is asked of it. */
  async function idleShare(): Promise<number> {
    const [before, began] = [process.cpuUsage(), performance.now()];
    await new Promise((resolve) => setTimeout(resolve, 500));
    const used = process.cpuUsage(before);
    return (used.user + used.system) / 1000 / (performance.now() - began);
  }

  it("ends with the caller's reason when the caller stops it, and its work too", LOADED, async () => {
    const stopping = new AbortController();
    const reason = new Error("the user pressed stop");
    const searching = grep(endless(), query({ pattern: ENDLESS }), { signal: stopping.signal });
    setTimeout(() => stopping.abort(reason), 200);
    await expect(searching).rejects.toBe(reason);
    expect(await idleShare()).toBeLessThan(0.5);
  });

  it("keeps its time limit when the garbage is collected meanwhile", async () => {
    const litter = setInterval(() => Array.from({ length: 100 }, () => new Uint8Array(100_000)), 5);
    const silent = { ...memory({ "a.txt": "x" }), read: () => new Promise<never>(() => {}) };
    const result = await grep(silent, query({ pattern: "x" }), { seconds: 1 });
    clearInterval(litter);
    expect(result.stopped).toBe("time");
  });

  it("does not wait for a backend that never answers", async () => {
    const silent = { ...memory({ "a.txt": "x" }), read: () => new Promise<never>(() => {}) };
    expect(await grep(silent, query({ pattern: "x" }), { seconds: 0.2 })).toMatchObject({ stopped: "time" });
    const mute = { ...memory({ "a.txt": "x" }), list: () => new Promise<never>(() => {}) };
    expect(await grep(mute, query({ pattern: "x" }), { seconds: 0.2 })).toMatchObject({ stopped: "time" });
  });

  it("closes what it had opened when it is stopped", async () => {
    let isClosed = false;
    let pieces = 0;
    const stopping = new AbortController();
    const reason = new Error("the user pressed stop");
    const opened = memory({ "a.txt": "x" });
    const streaming: FileBackend & ByteReadable = {
      ...opened,
      openBytes: async () => ({
        [Symbol.asyncIterator]: () => ({
          next: async () => {
            await new Promise((resolve) => setTimeout(resolve, 5));
            pieces += 1;
            if (pieces === 3) stopping.abort(reason);
            return { done: false as const, value: Buffer.from("no\n") };
          },
          return: async () => {
            isClosed = true;
            return { done: true as const, value: undefined };
          },
        }),
      }),
    };
    const searching = grep(streaming, query({ pattern: "x", path: "/a.txt" }), { signal: stopping.signal });
    await expect(searching).rejects.toBe(reason);
    await expect.poll(() => isClosed).toBe(true);
  });

  it("serves more searches than there are threads, each with its own result", async () => {
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        grep(
          memory({ "a.txt": `line ${index}\n`.repeat(5), "b.txt": `line ${index}\n` }),
          query({ pattern: `line ${index}$`, maxResults: (index % 3) + 4 }),
        ),
      ),
    );
    expect(results.map((result) => result.matches.length)).toEqual([4, 5, 6, 4, 5, 6, 4, 5, 6, 4, 5, 6]);
    expect(results.map((result) => result.stopped === "results")).toEqual(
      Array.from({ length: 12 }, (_, index) => index % 3 < 2),
    );
  });

  it("is not disturbed by what another search left behind", async () => {
    const many = memory(
      Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${index}.txt`, "hit\nhit\n"])),
    );
    for (let round = 0; round < 50; round += 1) {
      const result = await grep(many, query({ pattern: "hit", maxResults: 3 }));
      expect(result.matches.map(({ path, line }) => `${path}:${line}`)).toEqual([
        "/0.txt:1",
        "/0.txt:2",
        "/1.txt:1",
      ]);
      expect(result.stopped).toBe("results");
    }
  });

  it("says so when a pattern takes too much memory, and goes on with the next", async () => {
    const stopped = await LINE_WORKERS.use(AbortSignal.timeout(60_000), async (worker) => {
      await worker.begin({ ...query({ pattern: "x" }), maxMatches: 1e9, maxLineCharacters: 200 });
      const { found } = await worker.send(endlessMatches());
      return found;
    }).catch((error: unknown) => error);
    expect(stopped).toMatchObject({ code: "ERR_WORKER_OUT_OF_MEMORY" });
    expect((await grep(memory({ "a.txt": "x" }), query({ pattern: "x" }))).matches).toHaveLength(1);
  });

  async function* endlessMatches(): AsyncGenerator<Uint8Array> {
    const piece = Buffer.from("x234567890123456789\n".repeat(50_000));
    for (let count = 0; count < 1000; count += 1) yield piece;
  }

  it("passes over what is too large, and names it", async () => {
    const files = memory({ "big.txt": "hit\n".repeat(3_000_000), "small.txt": "hit\n" });
    expect(await grep(files, query({ pattern: "hit" }))).toMatchObject({
      matches: [{ path: "/small.txt" }],
      tooLarge: ["/big.txt"],
    });
    // One that is named is searched, whatever its size.
    expect((await grep(files, query({ pattern: "hit", path: "/big.txt" }))).matches).toHaveLength(100);
  });
});

describe(`a search of ${FILES} files`, () => {
  let server: Server;
  let host: string;
  let disk: MountedDiskBackend;
  /** The same files without the capability to start a process beside them. */
  let bare: FileBackend;

  beforeAll(async () => {
    server = createServer((_, response) => response.end("ok"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    host = await mkdtemp(join(tmpdir(), "deerflow-many-"));
    disk = new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-only" }] });
    bare = verbsOnly(disk);
    for (let folder = 0; folder < FOLDERS; folder += 1) {
      const place = join(host, `folder-${folder}`);
      mkdirSync(place);
      for (let file = 0; file < FILES_A_FOLDER; file += 1) {
        writeFileSync(join(place, `file-${file}.txt`), `one ${folder}\nneedle ${file}\n`);
      }
    }
    await grep(disk, query({ pattern: "warm", path: "/w/folder-0" }));
    await whileServing(server, () => grep(bare, query({ pattern: "warm", path: "/w/folder-0" })));
  }, 300_000);
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(host, { recursive: true });
  }, 300_000);

  const backends = (): readonly FileBackend[] => [disk, bare];
  const named = (pattern: string, maxResults: number) => ({
    pattern,
    path: "/w",
    includeDirectories: false,
    maxResults,
  });

  it(
    "by line ends at its limit long before it has seen them all, and serves others meanwhile",
    LOADED,
    async () => {
      const first: unknown[] = [];
      for (const files of backends()) {
        let reads = 0;
        const counted = { ...files, list: countedList(files, () => (reads += 1)) };
        const { slowest, result } = await whileServing(server, () =>
          grep(files === disk ? disk : counted, query({ pattern: "NEEDLE \\d+$", path: "/w" })),
        );
        expect(result).toMatchObject({ stopped: "results" });
        expect(result.matches).toHaveLength(100);
        expect(slowest).toBeLessThan(250);
        expect(reads).toBeLessThan(FOLDERS);
        first.push(result);
      }
      expect(first[1]).toEqual(first[0]);
    },
  );

  const countedList =
    (files: FileBackend, count: () => void): FileBackend["list"] =>
    (path, notes) => {
      count();
      return files.list(path, notes);
    };

  it(
    "by line goes through all of them or to its time limit, and serves others meanwhile",
    LOADED,
    async () => {
      for (const files of backends()) {
        const { slowest, result } = await whileServing(server, () =>
          grep(files, query({ pattern: "absent\\w+", path: "/w" })),
        );
        expect([undefined, "time"]).toContain(result.stopped);
        expect(result.matches).toEqual([]);
        expect(slowest).toBeLessThan(250);
      }
    },
  );

  it("by name finds all of them, serves others meanwhile, and ends at its limit", LOADED, async () => {
    const all: (readonly string[])[] = [];
    for (const files of backends()) {
      const { slowest, result } = await whileServing(server, () =>
        glob(files, named("*.txt", FILES), { seconds: 120 }),
      );
      expect(result).toMatchObject({ stopped: undefined });
      expect(slowest).toBeLessThan(250);
      all.push(result.paths);
      expect((await glob(files, named("**/*.txt", 200))).stopped).toBe("results");
    }
    expect(all[0]).toHaveLength(FILES);
    expect(all[1]).toEqual(all[0]);
  });
});
