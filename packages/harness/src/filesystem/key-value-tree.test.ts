import { describe, expect, it } from "vitest";
import {
  assertWritable,
  foldersAbove,
  keysToRemove,
  listFlat,
  readFlat,
  statFlat,
} from "./key-value-tree.js";

const code = (code: string) => expect.objectContaining({ code });
const filesAt = (...paths: readonly string[]) => new Map(paths.map((path) => [path, { content: path }]));
const pathsIn = (files: Map<string, unknown>, path: string) =>
  listFlat(files, path).map((entry) => entry.path);

describe("a tree over a flat map", () => {
  it("makes folders of longer keys", () => {
    const files = filesAt("/a/b/c", "/a/d", "/e");
    expect(pathsIn(files, "/")).toEqual(["/a", "/e"]);
    expect(pathsIn(files, "/a")).toEqual(["/a/b", "/a/d"]);
    expect(statFlat(files, "/a/b")).toEqual({ path: "/a/b", kind: "directory", size: 0, modifiedAt: 0 });
    expect(keysToRemove(files, "/a")).toEqual(["/a/b/c", "/a/d"]);
  });

  it("lists an empty root, and no other empty folder", () => {
    expect(listFlat(new Map(), "/")).toEqual([]);
    expect(() => listFlat(new Map(), "/a")).toThrow(code("path_not_found"));
  });

  it("leaves out and counts what no path can spell, in the folder where it would be", () => {
    const strange = ["relative", "//a", "/d//x", "/d/../x", "/d/./x", "/d/\u0000", "/d/", "/", ""];
    const files = filesAt("/d/fine", ...strange);
    const notes = { unusableNames: 0 };
    expect(listFlat(files, "/", notes).map((entry) => entry.path)).toEqual(["/d"]);
    expect(notes.unusableNames).toBe(3);
    expect(listFlat(files, "/d", notes).map((entry) => entry.path)).toEqual(["/d/fine"]);
    expect(notes.unusableNames).toBe(3 + 4);
  });

  it("keeps the root a folder when something is stored under its key", () => {
    const files = filesAt("/", "/a");
    expect(statFlat(files, "/")).toMatchObject({ kind: "directory" });
    expect(readFlat(files, "/")).toBeUndefined();
    expect(() => assertWritable(files, "/", undefined)).toThrow(code("is_a_directory"));
    expect(() => keysToRemove(files, "/")).toThrow(code("path_denied"));
  });

  it("shows one entry where a file and a folder have the same path", () => {
    const files = filesAt("/a", "/a/b");
    expect(listFlat(files, "/")).toMatchObject([{ path: "/a", kind: "file" }]);
    expect(keysToRemove(files, "/a")).toEqual(["/a", "/a/b"]);
  });

  it("shows a stored thing that is no file, and says so only when it is read", () => {
    const files = new Map<string, unknown>([["/odd", { content: 5 }]]);
    expect(listFlat(files, "/")).toMatchObject([{ path: "/odd", kind: "file", size: 0 }]);
    expect(() => readFlat(files, "/odd")).toThrow(code("stored_file_invalid"));
    expect(() => assertWritable(files, "/odd", null)).toThrow(code("stored_file_invalid"));
    assertWritable(files, "/odd", undefined);
  });

  it("names the nearest folder that is a file", () => {
    const files = filesAt("/a/b");
    expect(foldersAbove("/a/b/c/d")).toEqual(["/a/b/c", "/a/b", "/a"]);
    expect(foldersAbove("/a")).toEqual([]);
    expect(() => assertWritable(files, "/a/b/c/d", undefined)).toThrow("/a/b is a file");
  });
});
