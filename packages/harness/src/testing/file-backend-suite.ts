/** What every {@link FileBackend} must keep. A new backend is done when this passes. */
import { describe, expect, it } from "vitest";
import { sha256 } from "../base/hash.js";
import { childOf } from "../base/virtual-path.js";
import { isStreamWritable } from "../filesystem/capabilities.js";
import type { FileBackend, FileWriting, WriteOptions } from "../filesystem/contract.js";

/** A backend ready for a test, and an empty folder in it that can be written to. */
export interface OpenedBackend {
  readonly files: FileBackend;
  readonly root: string;
  /** True where `root` is a folder like any other, which may be removed. By default that must be refused. */
  readonly rootIsRemovable?: boolean;
  /** How many files are written at once, where 64 would take too long. */
  readonly writesAtOnce?: number;
  /** Runs a test where the backend works, such as inside a graph. By default it is simply called. */
  run?(test: () => Promise<void>): Promise<void>;
  close?(): Promise<void>;
}

/** What a test works with. */
interface Scene {
  readonly opened: OpenedBackend;
  readonly files: FileBackend;
  /** A path below the root. */
  at(name: string): string;
  /** Writes files with text of their own, one after the other. */
  fill(...names: readonly string[]): Promise<void>;
  textAt(path: string): Promise<string | undefined>;
  namesIn(path: string): Promise<readonly string[]>;
}

type Keeps = (promise: string, test: (scene: Scene) => Promise<void>) => void;

const bytes = (text: string): Uint8Array => Buffer.from(text);
const code = (code: string) => expect.objectContaining({ code });
const succeeded = (outcomes: readonly PromiseSettledResult<unknown>[]): number =>
  outcomes.filter((outcome) => outcome.status === "fulfilled").length;

/** Runs the contract's tests against the backend that `open` gives; each test opens its own. */
export function fileBackendSuite(name: string, open: () => Promise<OpenedBackend>): void {
  const keeps: Keeps = (promise, test) => {
    it(promise, async () => {
      const opened = await open();
      const body = () => test(sceneOf(opened));
      try {
        await (opened.run === undefined ? body() : opened.run(body));
      } finally {
        await opened.close?.();
      }
    });
  };
  describe(`${name} keeps the FileBackend contract`, () => {
    contentSuite(keeps);
    treeSuite(keeps);
    nameSuite(keeps);
    raceSuite(keeps);
    removalSuite(keeps);
    pieceSuite(keeps);
  });
}

function sceneOf(opened: OpenedBackend): Scene {
  const { files, root } = opened;
  const at = (name: string) => childOf(root, name);
  return {
    opened,
    files,
    at,
    fill: async (...names) => {
      for (const name of names) await files.write(at(name), bytes(`content of ${name}`));
    },
    textAt: async (path) => {
      const content = await files.read(path);
      return content === undefined ? undefined : Buffer.from(content.bytes).toString();
    },
    namesIn: async (path) => (await files.list(path)).map((entry) => entry.path),
  };
}

/** Each must come back as it is, and be listed with this size. */
const CONTENTS: readonly { readonly what: string; readonly content: Uint8Array }[] = [
  { what: "nothing", content: bytes("") },
  { what: "plain text", content: bytes("one\ntwo\n") },
  { what: "text without a last line ending", content: bytes("one\ntwo") },
  { what: "line endings of every kind", content: bytes("a\r\nb\nc\rd\r\n\r\n") },
  { what: "a byte-order mark", content: bytes("\uFEFFtext") },
  { what: "two byte-order marks", content: bytes("\uFEFF\uFEFFtext") },
  { what: "nothing but a byte-order mark", content: bytes("\uFEFF") },
  { what: "letters of several bytes", content: bytes("Grüße 文件 😀 e\u0301") },
  { what: "a NUL within text", content: bytes("a\u0000b") },
  { what: "control characters", content: bytes("\u0001\u001b[31m\u007f\u0085\u2028\u2029\f\v") },
  { what: "what looks like base64", content: bytes("aGVsbG8=") },
  { what: "what looks like JSON", content: bytes('{"content":["a"],"encoding":"base64"}') },
  { what: "invalid UTF-8", content: Uint8Array.from([0x61, 0xff, 0xfe, 0xc3, 0x28, 0x0a]) },
  { what: "a cut UTF-8 letter", content: bytes("é").subarray(0, 1) },
  { what: "a surrogate encoded as UTF-8", content: Uint8Array.from([0xed, 0xa0, 0x80]) },
  { what: "every byte there is", content: Uint8Array.from({ length: 256 }, (_, index) => index) },
];

function contentSuite(keeps: Keeps): void {
  for (const { what, content } of CONTENTS) {
    keeps(
      `gives back ${what} byte by byte, under the digest and with the size of its bytes`,
      async (scene) => {
        const { files, at } = scene;
        const version = await files.write(at("f"), content);
        const read = await files.read(at("f"));
        expect(version).toBe(sha256(content));
        expect(read?.version).toBe(version);
        expect([...(read?.bytes ?? [])]).toEqual([...content]);
        expect(await files.stat(at("f"))).toMatchObject({ kind: "file", size: content.length });
        expect(await files.list(scene.opened.root)).toMatchObject([{ path: at("f"), size: content.length }]);
      },
    );
  }

  keeps(
    "keeps what was written when the writer changes its bytes afterwards",
    async ({ files, at, textAt }) => {
      for (const content of [bytes("text"), Uint8Array.from([0xff, 0x00])]) {
        const expected = Buffer.from(content).toString();
        await files.write(at("f"), content);
        content.fill(0x21);
        expect(await textAt(at("f"))).toBe(expected);
      }
    },
  );

  keeps("keeps an empty file apart from a missing one", async ({ files, at, textAt }) => {
    await files.write(at("empty"), bytes(""));
    expect(await textAt(at("empty"))).toBe("");
    expect(await files.read(at("missing"))).toBeUndefined();
    expect(await files.read(at("missing/below"))).toBeUndefined();
  });

  keeps("replaces a whole file", async ({ files, at, textAt }) => {
    await files.write(at("f"), bytes("a long first version"));
    await files.write(at("f"), bytes("short"));
    expect(await textAt(at("f"))).toBe("short");
  });

  keeps("changes no other file", async ({ files, at, fill, textAt }) => {
    await fill("a", "d/b", "d/c");
    await files.write(at("d/b"), bytes("new"));
    await files.write(at("d/e"), bytes("more"));
    const texts = await Promise.all(["a", "d/b", "d/c", "d/e"].map((name) => textAt(at(name))));
    expect(texts).toEqual(["content of a", "new", "content of d/c", "more"]);
  });
}

function treeSuite(keeps: Keeps): void {
  keeps("makes the folders above a new file, and lists them sorted by name", async (scene) => {
    const { files, at } = scene;
    await files.write(at("b/c/file.txt"), bytes("x"));
    await files.write(at("a.txt"), bytes("four"));
    const listed = await files.list(scene.opened.root);
    expect(listed.map(({ path, kind, size }) => ({ path, kind, size }))).toEqual([
      { path: at("a.txt"), kind: "file", size: 4 },
      { path: at("b"), kind: "directory", size: 0 },
    ]);
    expect(await scene.namesIn(at("b"))).toEqual([at("b/c")]);
  });

  keeps("lists an empty root", async ({ files, opened }) => {
    expect(await files.list(opened.root)).toEqual([]);
    expect(await files.stat(opened.root)).toMatchObject({ path: opened.root, kind: "directory" });
  });

  keeps("tells files, folders and nothing apart", async ({ files, at }) => {
    await files.write(at("d/f"), bytes("x"));
    expect(await files.stat(at("d"))).toMatchObject({ kind: "directory" });
    expect(await files.stat(at("d/f"))).toMatchObject({ path: at("d/f"), kind: "file", size: 1 });
    expect(await files.stat(at("d/g"))).toBeUndefined();
    expect(await files.stat(at("d/f/below"))).toBeUndefined();
    expect(await files.read(at("d/f/below"))).toBeUndefined();
  });

  keeps("refuses to list what is missing or a file", async ({ files, at, fill }) => {
    await fill("f");
    await expect(files.list(at("missing"))).rejects.toEqual(code("path_not_found"));
    await expect(files.list(at("missing/below"))).rejects.toEqual(code("path_not_found"));
    await expect(files.list(at("f"))).rejects.toEqual(code("not_a_directory"));
  });

  keeps("does not write over a folder, nor below a file", async ({ files, at, fill, textAt }) => {
    await fill("d/f");
    await expect(files.write(at("d"), bytes("y"))).rejects.toEqual(code("is_a_directory"));
    await expect(files.write(at("d/f/g"), bytes("y"))).rejects.toEqual(code("not_a_directory"));
    await expect(files.write(at("d/f/g/h"), bytes("y"))).rejects.toEqual(code("not_a_directory"));
    expect(await files.read(at("d"))).toBeUndefined();
    expect(await textAt(at("d/f"))).toBe("content of d/f");
  });

  keeps("knows when a file was written, to the minute", async ({ files, at, fill }) => {
    await fill("f");
    const { modifiedAt = 0 } = (await files.stat(at("f"))) ?? {};
    expect(Math.abs(modifiedAt - Date.now())).toBeLessThan(60_000);
  });
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  "of any script": ["文件.md", "😀.md", "e\u0301.txt", "Grüße", "מסמך"],
  "with dots and spaces": ["a b.txt", " around ", "report..final", "[...slug].tsx", ".hidden", "..."],
  "with signs that a shell would read": [
    "-rf",
    "$HOME",
    'it\'s "quoted"',
    "a;b|c&d>e",
    "`id`",
    "#hash",
    "!x",
  ],
  "with signs that a pattern or an address would read": ["*?.md", "{a,b}", "%2e%2e", "a\\b", "a:b"],
  "that every object has": ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"],
  "as long as a disk takes them": ["x".repeat(200), "文".repeat(70)],
};

function nameSuite(keeps: Keeps): void {
  for (const [what, names] of Object.entries(NAMES)) {
    keeps(`takes names ${what}`, async ({ files, at, namesIn, textAt, opened }) => {
      for (const name of names) await files.write(at(name), bytes(name));
      expect(await namesIn(opened.root)).toEqual(names.map(at).sort());
      for (const name of names) expect(await textAt(at(name))).toBe(name);
    });
  }

  keeps("has none of the names that every object has before they are written", async ({ files, at }) => {
    for (const name of ["__proto__", "constructor", "toString", "__proto__/polluted"]) {
      expect(await files.stat(at(name))).toBeUndefined();
      expect(await files.read(at(name))).toBeUndefined();
    }
  });

  keeps("takes such names for folders", async ({ files, at, namesIn, textAt }) => {
    await files.write(at("__proto__/constructor/f"), bytes("x"));
    expect(await namesIn(at("__proto__"))).toEqual([at("__proto__/constructor")]);
    expect(await textAt(at("__proto__/constructor/f"))).toBe("x");
    expect(Reflect.get({}, "f")).toBeUndefined();
  });

  keeps("does not take one name for the beginning of another", async ({ at, fill, namesIn, opened }) => {
    await fill("d/f", "d.txt", "dd/f", "d-/f");
    expect(await namesIn(at("d"))).toEqual([at("d/f")]);
    expect(await namesIn(opened.root)).toEqual([at("d"), at("d-"), at("d.txt"), at("dd")]);
  });
}

function raceSuite(keeps: Keeps): void {
  keeps("compares before it sets", async ({ files, at, textAt }) => {
    const first = await files.write(at("f"), bytes("1"), { expectedVersion: null });
    const write = (name: string, text: string, expectedVersion: string | null) =>
      files.write(at(name), bytes(text), { expectedVersion });
    await expect(write("f", "2", null)).rejects.toEqual(code("file_changed"));
    await write("f", "2", first);
    await expect(write("f", "3", first)).rejects.toEqual(code("file_changed"));
    await expect(write("g", "3", first)).rejects.toEqual(code("file_changed"));
    expect(await textAt(at("f"))).toBe("2");
    expect(await files.read(at("g"))).toBeUndefined();
  });

  keeps("lets exactly one of many writers with the same expectation win", async ({ files, at }) => {
    const first = await files.write(at("f"), bytes("0"));
    const tries = Array.from({ length: 20 }, (_, index) =>
      files.write(at("f"), bytes(`writer ${index}`), { expectedVersion: first }),
    );
    expect(succeeded(await Promise.allSettled(tries))).toBe(1);
  });

  keeps("lets exactly one of many creators win", async ({ files, at }) => {
    const tries = Array.from({ length: 20 }, (_, index) =>
      files.write(at("new/f"), bytes(`creator ${index}`), { expectedVersion: null }),
    );
    expect(succeeded(await Promise.allSettled(tries))).toBe(1);
  });

  keeps("keeps every one of many files that are written at once", async (scene) => {
    const { files, at, namesIn, textAt } = scene;
    const length = scene.opened.writesAtOnce ?? 64;
    const names = Array.from({ length }, (_, index) => `many/${String(index).padStart(2, "0")}.txt`);
    await Promise.all(names.map((name) => files.write(at(name), bytes(name))));
    expect(await namesIn(at("many"))).toEqual(names.map(at));
    for (const name of names) expect(await textAt(at(name))).toBe(name);
  });
}

function removalSuite(keeps: Keeps): void {
  /** A backend without removal has one promise to keep instead of all of these. */
  const removes: Keeps = (promise, test) =>
    keeps(promise, async (scene) => {
      if (scene.files.canRemove !== false) return test(scene);
      await scene.fill("d/e/f");
      for (const name of ["d", "d/e/f"]) {
        await expect(scene.files.remove(scene.at(name))).rejects.toEqual(code("removal_unsupported"));
      }
      expect(await scene.textAt(scene.at("d/e/f"))).toBe("content of d/e/f");
    });

  removes("removes files and full folders, and says when nothing was there", async (scene) => {
    const { files, at } = scene;
    await scene.fill("d/e/f", "g");
    const removed = [await files.remove(at("d")), await files.remove(at("g")), await files.remove(at("h"))];
    expect(removed).toEqual([true, true, false]);
    expect(await files.list(scene.opened.root)).toEqual([]);
    expect(await files.stat(at("d/e"))).toBeUndefined();
    expect(await files.read(at("d/e/f"))).toBeUndefined();
  });

  removes("removes nothing whose name only begins like it", async ({ files, at, fill, namesIn, opened }) => {
    await fill("d/f", "d.txt", "dd/f", "__proto__");
    expect(await files.remove(at("d"))).toBe(true);
    expect(await files.remove(at("constructor"))).toBe(false);
    expect(await namesIn(opened.root)).toEqual([at("__proto__"), at("d.txt"), at("dd")]);
  });

  removes("finds nothing to remove below a file", async ({ files, at, fill, textAt }) => {
    await fill("f");
    expect(await files.remove(at("f/below"))).toBe(false);
    expect(await textAt(at("f"))).toBe("content of f");
  });

  removes("lets a removed file be created anew", async ({ files, at, textAt }) => {
    const first = await files.write(at("f"), bytes("1"));
    await files.remove(at("f"));
    await expect(files.write(at("f"), bytes("2"), { expectedVersion: first })).rejects.toEqual(
      code("file_changed"),
    );
    await files.write(at("f"), bytes("3"), { expectedVersion: null });
    expect(await textAt(at("f"))).toBe("3");
  });

  removes("lets a file take the place of a removed folder", async ({ files, at, fill, textAt }) => {
    await fill("d/f");
    await files.remove(at("d"));
    await fill("d");
    expect(await textAt(at("d"))).toBe("content of d");
  });

  removes("does not remove the root", async ({ files, at, fill, opened, textAt }) => {
    if (opened.rootIsRemovable === true) return;
    await fill("f");
    await expect(files.remove(opened.root)).rejects.toEqual(code("path_denied"));
    expect(await textAt(at("f"))).toBe("content of f");
  });
}

type Begin = (name: string, options?: WriteOptions) => Promise<FileWriting>;

/** For a backend that takes files piece by piece; another has nothing to promise here. */
function pieceSuite(keeps: Keeps): void {
  const takes = (promise: string, test: (scene: Scene, begin: Begin) => Promise<void>) =>
    keeps(promise, async (scene) => {
      const { files, at } = scene;
      if (!isStreamWritable(files)) return;
      const first = await files.openWrite(at("probe"));
      await first?.abort();
      if (first === undefined) return;
      await test(scene, async (name, options) => {
        const writing = await files.openWrite(at(name), options);
        if (writing === undefined) throw new Error("It is taken whole here, and was not a moment ago.");
        return writing;
      });
    });

  takes("shows a file that is written in pieces only when it is whole", async (scene, begin) => {
    const { at, files, fill, textAt, opened } = scene;
    await fill("old");
    const writings = [await begin("old"), await begin("new")];
    for (const writing of writings)
      for (const piece of ["one ", "", "two"]) await writing.write(bytes(piece));
    expect(await textAt(at("old"))).toBe("content of old");
    expect(await files.stat(at("new"))).toBeUndefined();
    expect(await scene.namesIn(opened.root)).toEqual([at("old")]);
    for (const writing of writings) await writing.commit();
    expect([await textAt(at("old")), await textAt(at("new"))]).toEqual(["one two", "one two"]);
    expect(await scene.namesIn(opened.root)).toEqual([at("new"), at("old")]);
  });

  takes("makes the folders above such a file", async ({ at, textAt }, begin) => {
    await (await begin("d/e/f")).commit();
    expect(await textAt(at("d/e/f"))).toBe("");
  });

  takes("leaves nothing of such a file that is given up", async (scene, begin) => {
    const { at, files, fill, textAt, opened } = scene;
    await fill("old");
    for (const name of ["old", "new"]) {
      const writing = await begin(name);
      await writing.write(bytes("half"));
      await writing.abort();
      await writing.abort();
      await expect(writing.write(bytes("more"))).rejects.toThrow();
      await expect(writing.commit()).rejects.toThrow();
    }
    expect(await textAt(at("old"))).toBe("content of old");
    expect(await scene.namesIn(opened.root)).toEqual([at("old")]);
    expect(await files.read(at("new"))).toBeUndefined();
  });

  takes("compares at the end of such a file", async ({ at, files, fill, textAt }, begin) => {
    await fill("f");
    const version = (await files.read(at("f")))?.version ?? null;
    for (const expectedVersion of [null, "0".repeat(64)]) {
      const writing = await begin("f", { expectedVersion });
      await writing.write(bytes("wrong"));
      await expect(writing.commit()).rejects.toEqual(code("file_changed"));
    }
    const writing = await begin("f", { expectedVersion: version });
    await writing.write(bytes("right"));
    await writing.commit();
    expect(await textAt(at("f"))).toBe("right");
  });

  takes("puts such a file neither over a folder, nor below a file", async (scene, begin) => {
    await scene.fill("d/f");
    const over = begin("d").then((writing) => writing.commit());
    await expect(over).rejects.toEqual(code("is_a_directory"));
    const below = begin("d/f/g").then((writing) => writing.commit());
    await expect(below).rejects.toEqual(code("not_a_directory"));
    expect(await scene.textAt(scene.at("d/f"))).toBe("content of d/f");
  });
}
