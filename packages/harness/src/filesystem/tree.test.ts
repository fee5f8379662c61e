import { describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { nameOf } from "../base/virtual-path.js";
import type { FileBackend, FileEntry } from "./contract.js";
import { listTree, renderTree } from "./tree.js";

const entry = (path: string, kind: "file" | "directory"): FileEntry => ({
  path,
  kind,
  size: 0,
  modifiedAt: 0,
});

/** Only `list` is asked. */
const listing = (folders: Readonly<Record<string, readonly FileEntry[]>>): FileBackend => {
  const no = async () => undefined as never;
  return {
    id: "listing",
    stat: no,
    read: no,
    write: no,
    remove: no,
    list: async (path) => {
      const found = folders[path];
      if (found === undefined) throw new DeerflowError("path_denied", { path, reason: "no" });
      return found;
    },
  };
};

const FILES = listing({
  "/w": [
    entry("/w/a", "directory"),
    entry("/w/locked", "directory"),
    entry("/w/node_modules", "directory"),
    entry("/w/z.txt", "file"),
  ],
  "/w/a": [entry("/w/a/deep", "directory"), entry("/w/a/f.txt", "file")],
  "/w/node_modules": [entry("/w/node_modules/x", "file")],
});

describe("listTree", () => {
  it("goes as deep as asked, and neither into ignored nor into unreadable folders", async () => {
    const tree = await listTree(FILES, "/w", 2);
    expect({ names: tree.entries.map((each) => nameOf(each.path)), notOpened: tree.notOpened }).toEqual({
      names: ["a", "deep", "f.txt", "locked", "node_modules", "z.txt"],
      notOpened: ["/w/locked", "/w/node_modules"],
    });
  });

  it("passes on what is wrong with the folder itself", async () => {
    await expect(listTree(FILES, "/other", 2)).rejects.toMatchObject({ code: "path_denied" });
  });
});

describe("renderTree", () => {
  it("prints paths that can be used as they stand", async () => {
    expect(renderTree("/w", await listTree(FILES, "/w", 2), 1000)).toBe(
      [
        "/w/a/",
        "/w/a/deep/",
        "/w/a/f.txt",
        "/w/locked/",
        "/w/node_modules/",
        "/w/z.txt",
        "[Not looked into: /w/locked, /w/node_modules.]",
      ].join("\n"),
    );
  });

  it("keeps every path on its line, and says how many names cannot be used", () => {
    const odd = [
      entry("/w/new\nline", "file"),
      entry("/w/\u001b[31m", "directory"),
      entry("/w/ trailing ", "file"),
    ];
    expect(renderTree("/w", { entries: odd, notOpened: ["/w/a\nb"], unusableNames: 2 }, 1000)).toBe(
      [
        "/w/new\\nline",
        "/w/\\u001b[31m/",
        "/w/ trailing ",
        "[Not looked into: /w/a\\nb.]",
        "[2 names are not UTF-8 and cannot be used.]",
      ].join("\n"),
    );
    expect(renderTree("/w", { entries: [], notOpened: [], unusableNames: 1 }, 1000)).toBe(
      "[1 name is not UTF-8 and cannot be used.]",
    );
  });

  it("says so when a folder is empty or the list is cut", () => {
    const entries = [entry("/w/1", "file"), entry("/w/2", "file"), entry("/w/3", "file")];
    expect(renderTree("/w", { entries: [], notOpened: [], unusableNames: 0 }, 10)).toBe("/w is empty.");
    expect(renderTree("/w", { entries, notOpened: [], unusableNames: 0 }, 10)).toBe(
      "/w/1\n/w/2\n[1 more is not shown. List a folder below.]",
    );
  });
});
