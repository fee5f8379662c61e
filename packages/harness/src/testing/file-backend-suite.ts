/** What every {@link FileBackend} must keep. A new backend is done when this passes. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../base/hash.js";
import type { FileBackend } from "../filesystem/contract.js";

/** A backend ready for a test, and an empty folder in it that can be written to. */
export interface OpenedBackend {
  readonly files: FileBackend;
  readonly root: string;
  close?(): Promise<void>;
}

const bytes = (text: string): Uint8Array => Buffer.from(text);
const code = (code: string) => expect.objectContaining({ code });

/** Runs the contract's tests against the backend that `open` gives; each test opens its own. */
export function fileBackendSuite(name: string, open: () => Promise<OpenedBackend>): void {
  describe(`${name} keeps the FileBackend contract`, () => {
    let opened: OpenedBackend;
    let files: FileBackend;
    let at: (name: string) => string;
    const textAt = async (path: string) => {
      const content = await files.read(path);
      return content === undefined ? undefined : Buffer.from(content.bytes).toString();
    };

    beforeEach(async () => {
      opened = await open();
      files = opened.files;
      at = (name) => `${opened.root}/${name}`;
    });
    afterEach(async () => opened.close?.());

    it("gives back what was written, byte by byte, under the digest of its content", async () => {
      const content = Uint8Array.from([0, 255, 13, 10, 239, 187, 191]);
      const version = await files.write(at("a.bin"), content);
      const read = await files.read(at("a.bin"));
      expect(version).toBe(sha256(content));
      expect(read?.version).toBe(version);
      expect([...(read?.bytes ?? [])]).toEqual([...content]);
    });

    it("keeps an empty file apart from a missing one", async () => {
      await files.write(at("empty"), bytes(""));
      expect(await textAt(at("empty"))).toBe("");
      expect(await files.read(at("missing"))).toBeUndefined();
      expect(await files.read(at("missing/below"))).toBeUndefined();
    });

    it("makes the folders above a new file, and lists them sorted by name", async () => {
      await files.write(at("b/c/file.txt"), bytes("x"));
      await files.write(at("a.txt"), bytes("four"));
      const listed = await files.list(opened.root);
      expect(listed.map(({ path, kind, size }) => ({ path, kind, size }))).toEqual([
        { path: at("a.txt"), kind: "file", size: 4 },
        { path: at("b"), kind: "directory", size: 0 },
      ]);
      expect((await files.list(at("b"))).map((entry) => entry.path)).toEqual([at("b/c")]);
    });

    it("tells files, folders and nothing apart", async () => {
      await files.write(at("d/f"), bytes("x"));
      expect(await files.stat(at("d"))).toMatchObject({ kind: "directory" });
      expect(await files.stat(at("d/f"))).toMatchObject({ path: at("d/f"), kind: "file", size: 1 });
      expect(await files.stat(at("d/g"))).toBeUndefined();
      expect(await files.stat(at("d/f/below"))).toBeUndefined();
    });

    it("refuses to list what is missing or a file", async () => {
      await files.write(at("f"), bytes("x"));
      await expect(files.list(at("missing"))).rejects.toEqual(code("path_not_found"));
      await expect(files.list(at("f"))).rejects.toEqual(code("not_a_directory"));
    });

    it("replaces a whole file", async () => {
      await files.write(at("f"), bytes("a long first version"));
      await files.write(at("f"), bytes("short"));
      expect(await textAt(at("f"))).toBe("short");
    });

    it("does not write over a folder, nor below a file", async () => {
      await files.write(at("d/f"), bytes("x"));
      await expect(files.write(at("d"), bytes("y"))).rejects.toEqual(code("is_a_directory"));
      await expect(files.write(at("d/f/g"), bytes("y"))).rejects.toEqual(code("not_a_directory"));
      expect(await files.read(at("d"))).toBeUndefined();
    });

    it("compares before it sets", async () => {
      const first = await files.write(at("f"), bytes("1"), { expectedVersion: null });
      await expect(files.write(at("f"), bytes("2"), { expectedVersion: null })).rejects.toEqual(
        code("file_changed"),
      );
      await files.write(at("f"), bytes("2"), { expectedVersion: first });
      await expect(files.write(at("f"), bytes("3"), { expectedVersion: first })).rejects.toEqual(
        code("file_changed"),
      );
      await expect(files.write(at("g"), bytes("3"), { expectedVersion: first })).rejects.toEqual(
        code("file_changed"),
      );
      expect(await textAt(at("f"))).toBe("2");
      expect(await files.read(at("g"))).toBeUndefined();
    });

    it("lets exactly one of many writers with the same expectation win", async () => {
      const first = await files.write(at("f"), bytes("0"));
      const tries = Array.from({ length: 20 }, (_, index) =>
        files.write(at("f"), bytes(`writer ${index}`), { expectedVersion: first }),
      );
      const outcomes = await Promise.allSettled(tries);
      expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
    });

    it("lets exactly one of many creators win", async () => {
      const tries = Array.from({ length: 20 }, (_, index) =>
        files.write(at("new/f"), bytes(`creator ${index}`), { expectedVersion: null }),
      );
      const outcomes = await Promise.allSettled(tries);
      expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
    });

    it("removes files and full folders, and says when nothing was there", async () => {
      await files.write(at("d/e/f"), bytes("x"));
      await files.write(at("g"), bytes("x"));
      expect([await files.remove(at("d")), await files.remove(at("g")), await files.remove(at("h"))]).toEqual(
        [true, true, false],
      );
      expect(await files.list(opened.root)).toEqual([]);
    });

    it("takes names with spaces, dots, brackets and letters of any script", async () => {
      const names = ["a b.txt", "report..final", "[...slug].tsx", "文件.md", "-rf", "$HOME", "%2e%2e"];
      for (const name of names) await files.write(at(name), bytes(name));
      expect((await files.list(opened.root)).map((entry) => entry.path)).toEqual(names.map(at).sort());
      for (const name of names) expect(await textAt(at(name))).toBe(name);
    });
  });
}
