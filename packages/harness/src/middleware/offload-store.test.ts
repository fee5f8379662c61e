import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { silentLogger } from "../base/logger.js";
import { nameOf } from "../base/virtual-path.js";
import type { FileEntry } from "../filesystem/contract.js";
import { MountedDiskBackend } from "../filesystem/mounted-disk-backend.js";
import {
  DEFAULT_RETENTION,
  digestOf,
  type OffloadPlace,
  safeName,
  storeOffload,
  surplus,
} from "./offload-store.js";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

function world(given: Partial<OffloadPlace> = {}) {
  const root = mkdtempSync(join(tmpdir(), "deerflow-offload-"));
  roots.push(root);
  const files = new MountedDiskBackend({
    mounts: [{ virtualPath: "/out", hostPath: root, mode: "read-write" }],
  });
  const warnings: unknown[] = [];
  const place: OffloadPlace = {
    files,
    folder: "/out/results",
    retention: DEFAULT_RETENTION,
    logger: { ...silentLogger, warn: (...told) => void warnings.push(told) },
    ...given,
  };
  const store = (owner: readonly string[], text: string, origin = "bash") =>
    storeOffload(place, { origin, digest: digestOf(owner, text), extension: "txt" }, text);
  const folder = join(root, "results");
  return { root, folder, files, place, store, warnings, names: () => readdirSync(folder).sort() };
}

describe("storeOffload", () => {
  it("gives calls whose ids differ only in signs that no name may hold files of their own", async () => {
    const { store, names, folder } = world();
    const ids = [
      "a.b",
      "a/b",
      "a\\b",
      "a_b",
      "",
      "../../etc/passwd",
      "x".repeat(5000),
      "x".repeat(5001),
      "\0",
      "ä",
    ];
    const paths = await Promise.all(ids.map((id) => store(["t", id], `result of ${id.slice(0, 50)}`)));
    expect(new Set(paths).size).toBe(ids.length);
    expect(names()).toHaveLength(ids.length);
    for (const path of paths) expect(path).toMatch(/^\/out\/results\/bash-[0-9a-f]{12}\.txt$/);
    const stored = paths.map((path) => readFileSync(join(folder, nameOf(path)), "utf8"));
    expect(stored).toEqual(ids.map((id) => `result of ${id.slice(0, 50)}`));
  });

  it("tells the threads and calls of one text apart, wherever the border between their ids lies", () => {
    const digests = [
      ["t1", "c"],
      ["t", "1c"],
      ["t1c", ""],
      ["", "t1c"],
    ].map((owner) => digestOf(owner, "same"));
    expect(new Set(digests).size).toBe(4);
  });

  it("takes a file with the same content as it is, and another name where the content differs", async () => {
    const { store, names, folder } = world();
    const path = await store(["t", "c"], "text");
    expect(await store(["t", "c"], "text")).toBe(path);
    expect(names()).toHaveLength(1);
    writeFileSync(join(folder, nameOf(path)), "kept");
    const second = await store(["t", "c"], "text");
    expect(second).toBe(path.replace(".txt", "-2.txt"));
    expect(readFileSync(join(folder, nameOf(path)), "utf8")).toBe("kept");
    expect(readFileSync(join(folder, nameOf(second)), "utf8")).toBe("text");
  });

  it("lets the same result of two calls at once share a file, and two results have two", async () => {
    const { store, names } = world();
    const same = await Promise.all([store(["t", "c"], "text"), store(["t", "c"], "text")]);
    expect(new Set(same).size).toBe(1);
    await Promise.all([store(["t", "c"], "one"), store(["t", "c"], "two")]);
    expect(names()).toHaveLength(3);
  });

  it("removes the oldest files beyond the retention, but never the new one nor what others put there", async () => {
    const { store, names, folder } = world({ retention: { maxFiles: 2, maxBytes: 1000 } });
    mkdirSync(folder);
    writeFileSync(join(folder, "notes.txt"), "the agent's own");
    mkdirSync(join(folder, "bash-0123456789ab.txt"));
    const first = await store(["t", "1"], "first");
    utimesSync(join(folder, nameOf(first)), 1000, 1000);
    const rest = [await store(["t", "2"], "second"), await store(["t", "3"], "third")];
    expect(names()).not.toContain(nameOf(first));
    expect(names()).toEqual(
      expect.arrayContaining(["notes.txt", "bash-0123456789ab.txt", ...rest.map(nameOf)]),
    );
    const large = await store(["t", "4"], "x".repeat(5000));
    expect(names()).toEqual(["bash-0123456789ab.txt", nameOf(large), "notes.txt"].sort());
  });

  it("keeps what it stored when the folder cannot be tidied, and says so in the log", async () => {
    const { files, store, warnings, names } = world({ retention: { maxFiles: 1, maxBytes: 1000 } });
    files.remove = () => Promise.reject(new Error("busy"));
    await store(["t", "1"], "first");
    await store(["t", "2"], "second");
    expect(names()).toHaveLength(2);
    expect(warnings).toEqual([
      ["Old offloaded files could not be removed", { folder: "/out/results", reason: "busy" }],
    ]);
  });

  it("fails where nothing can be written", async () => {
    const { root, store } = world();
    writeFileSync(join(root, "results"), "a file where the folder should be");
    await expect(store(["t", "1"], "text")).rejects.toThrow();
  });
});

describe("surplus", () => {
  const file = (path: string, modifiedAt: number, size = 10): FileEntry => ({
    path,
    kind: "file",
    size,
    modifiedAt,
  });
  const [a, b, c] = ["/r/x-aaaaaaaaaaaa.txt", "/r/x-bbbbbbbbbbbb.json", "/r/x-cccccccccccc-2.log"] as const;

  it.each<[string, FileEntry[], { maxFiles: number; maxBytes: number }, string[]]>([
    ["nothing within both limits", [file(a, 1), file(b, 2)], { maxFiles: 2, maxBytes: 20 }, []],
    [
      "the oldest beyond the number",
      [file(b, 2), file(a, 1), file(c, 3)],
      { maxFiles: 2, maxBytes: 99 },
      [a],
    ],
    [
      "the oldest beyond the bytes",
      [file(a, 1), file(b, 2), file(c, 3)],
      { maxFiles: 9, maxBytes: 15 },
      [a, b],
    ],
    ["never the new one", [file(c, 1, 99), file(a, 2)], { maxFiles: 0, maxBytes: 0 }, [a]],
    ["no links", [{ ...file(a, 1), link: true }, file(c, 2)], { maxFiles: 0, maxBytes: 0 }, []],
  ])("removes %s", (_name, entries, retention, removed) => {
    expect(surplus(entries, retention, c)).toEqual(removed);
  });
});

describe("safeName", () => {
  it("has letters, digits, underscores and hyphens only, and at most forty of them", () => {
    expect(safeName("../web search\n")).toBe("___web_search_");
    expect(safeName("")).toBe("unknown");
    expect(safeName("t".repeat(90))).toHaveLength(40);
  });
});
