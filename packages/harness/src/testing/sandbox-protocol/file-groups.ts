/** Groups: file operations, write, read, edit. */
import { describe, expect, it } from "vitest";
import { type ProtocolWorld, shellText } from "./protocol-world.js";

export function fileOperationsGroup({ shared, pathOf }: ProtocolWorld): void {
  describe("file operations", () => {
    it("uploads several files, in the order given", async () => {
      const paths = ["up/1.txt", "up/2.txt", "up/3.bin"].map(pathOf);
      const answers = await shared().uploadFiles(paths.map((path, index) => [path, Buffer.of(65 + index)]));
      expect(answers).toEqual(paths.map((path) => ({ path, error: null })));
      expect(await shellText(shared(), paths[1] ?? "")).toBe("B");
    });

    it("downloads what was uploaded, byte by byte", async () => {
      const path = pathOf("bytes.bin");
      const content = Uint8Array.from({ length: 256 }, (_, index) => index);
      await shared().uploadFiles([[path, content]]);
      const [answer] = await shared().downloadFiles([path]);
      expect(answer?.error).toBeNull();
      expect([...(answer?.content ?? [])]).toEqual([...content]);
    });

    it("names what cannot be downloaded", async () => {
      await shared().write(pathOf("folder/x"), "x");
      expect(await shared().downloadFiles([pathOf("missing"), pathOf("folder")])).toEqual([
        { path: pathOf("missing"), content: null, error: "file_not_found" },
        { path: pathOf("folder"), content: null, error: "is_directory" },
      ]);
    });

    it("sees what a command wrote, and a command sees what was written", async () => {
      await shared().execute(`printf made > '${pathOf("made.txt")}'`);
      expect((await shared().read(pathOf("made.txt"))).content).toBe("made");
      await shared().write(pathOf("given.txt"), "given");
      expect(await shellText(shared(), pathOf("given.txt"))).toBe("given");
    });

    it("gives raw data with its times", async () => {
      await shared().write(pathOf("raw.txt"), "raw");
      const { data } = await shared().readRaw(pathOf("raw.txt"));
      expect(data?.content).toBe("raw");
      expect(Date.parse(data?.modified_at ?? "")).toBeGreaterThan(0);
    });

    it("deletes a file and a full folder, and names what is missing", async () => {
      await shared().write(pathOf("gone/deep/x"), "x");
      expect(await shared().delete(pathOf("gone"))).toEqual({ path: pathOf("gone") });
      expect((await shared().delete(pathOf("gone"))).error).toMatch(/not found/i);
      expect((await shared().ls(pathOf("gone"))).files).toEqual([]);
    });

    it("works on many files at once", async () => {
      const paths = Array.from({ length: 20 }, (_, index) => pathOf(`many/${index}.txt`));
      await Promise.all(paths.map((path) => shared().write(path, path)));
      const read = await Promise.all(paths.map((path) => shared().read(path)));
      expect(read.map(({ content }) => content)).toEqual(paths);
    });
  });
}

const TEXTS = [
  ["plain", "Line 1\nLine 2\nLine 3"],
  ["shell characters", "$VAR `command` $(sub) \\ ' \" & ; | < > * ? ~ !\tend"],
  ["any script", "Grüße 世界 مرحبا Привет 🌍\nzweite Zeile 🎉"],
  ["nothing", ""],
  ["newlines only", "\n\n\n\n\n"],
  ["CRLF", "a\r\nb\r\n"],
  ["replacement patterns", "$& $1 $$ $` $'"],
  ["1,000 lines", Array.from({ length: 1000 }, (_, index) => `line ${index}`).join("\n")],
] as const;

export function writeGroup({ shared, pathOf }: ProtocolWorld): void {
  describe("write", () => {
    it.each(TEXTS)("keeps %s exactly", async (name, text) => {
      const path = pathOf(`write/${name}.txt`);
      expect(await shared().write(path, text)).toEqual({ path, filesUpdate: null });
      const [answer] = await shared().downloadFiles([path]);
      expect(Buffer.from(answer?.content ?? []).toString()).toBe(text);
    });

    it("replaces a file whole", async () => {
      const path = pathOf("write/again.txt");
      await shared().write(path, "a long first version");
      await shared().write(path, "short");
      expect(await shellText(shared(), path)).toBe("short");
    });

    it("folds slashes, and answers with the path as it was given", async () => {
      const path = `${pathOf("write")}//x///y.txt`;
      expect((await shared().write(path, "y")).path).toBe(path);
      expect(await shellText(shared(), pathOf("write/x/y.txt"))).toBe("y");
    });

    it("does not write over a folder", async () => {
      await shared().write(pathOf("write/dir/x"), "x");
      expect((await shared().write(pathOf("write/dir"), "y")).error).toBeDefined();
    });
  });
}

export function readGroup({ shared, pathOf }: ProtocolWorld): void {
  describe("read", () => {
    const rows = Array.from({ length: 1000 }, (_, index) => `row ${index}`);
    const path = pathOf("read/rows.txt");
    const readRows = async (offset?: number, limit?: number) => {
      await shared().write(path, rows.join("\n"));
      return shared().read(path, offset, limit);
    };

    it.each([
      ["from the start", 0, 5, [0, 5]],
      ["from the middle", 500, 100, [500, 600]],
      ["the last lines", 995, 100, [995, 1000]],
      ["one line", 7, 1, [7, 8]],
    ] as const)("gives a window %s", async (_, offset, limit, [first, end]) => {
      const { content, error, totalLines } = await readRows(offset, limit);
      expect(error).toBeUndefined();
      expect(String(content).trimEnd()).toBe(rows.slice(first, end).join("\n"));
      expect(totalLines).toBe(1000);
    });

    it("gives 500 lines and the next offset when nothing is said", async () => {
      const { content, nextOffset } = await readRows();
      expect([String(content).trimEnd().split("\n").length, nextOffset]).toEqual([500, 500]);
    });

    it.each([
      ["no line at limit 0", 0, 0],
      ["nothing past the end", 5000, 10],
      ["nothing right at the end", 1000, 10],
    ])("gives %s", async (_, offset, limit) => {
      expect((await readRows(offset, limit)).content ?? "").toBe("");
    });

    it("reads an empty file as empty", async () => {
      await shared().write(pathOf("read/empty"), "");
      expect(await shared().read(pathOf("read/empty"))).toMatchObject({ content: "" });
    });

    it("keeps very long lines", async () => {
      await shared().write(pathOf("read/long"), `a\n${"x".repeat(30_000)}\nb`);
      expect(String((await shared().read(pathOf("read/long"))).content)).toHaveLength(30_004);
    });

    it("shows no carriage return of a Windows file", async () => {
      await shared().write(pathOf("read/crlf"), "a\r\nb\r\n");
      expect((await shared().read(pathOf("read/crlf"))).content).toBe("a\nb\n");
    });

    it("says that a file is not found", async () => {
      const { error, content } = await shared().read(pathOf("read/none"));
      expect([error, content]).toEqual([expect.stringMatching(/not found/i), undefined]);
    });
  });
}

/** What an edit makes of a text. */
const EDITS = [
  [
    "one place",
    {
      before: "Hello world\nBye world",
      change: ["Bye", "Farewell"],
      after: "Hello world\nFarewell world",
      occurrences: 1,
    },
  ],
  [
    "all places",
    { before: "apple pear apple", change: ["apple", "fig", true], after: "fig pear fig", occurrences: 2 },
  ],
  ["several lines", { before: "a\nb\nc", change: ["a\nb", "ab"], after: "ab\nc", occurrences: 1 }],
  [
    "a line away",
    { before: "keep\ndrop\nkeep too", change: ["drop\n", ""], after: "keep\nkeep too", occurrences: 1 },
  ],
  ["white space", { before: "a    b", change: ["    ", " "], after: "a b", occurrences: 1 }],
  ["other scripts", { before: "Hi 👋 世界", change: ["👋", "🌍"], after: "Hi 🌍 世界", occurrences: 1 }],
  [
    "what looks like a pattern",
    { before: "[a-z]* $100", change: ["[a-z]* $100", "$& (.*)"], after: "$& (.*)", occurrences: 1 },
  ],
  [
    "a part of a line",
    { before: "quick brown fox", change: ["brown", "red"], after: "quick red fox", occurrences: 1 },
  ],
  ["Windows lines", { before: "a\r\nb\r\n", change: ["a\nb", "c\nd"], after: "c\r\nd\r\n", occurrences: 1 }],
  [
    "nothing, when both are the same",
    { before: "same", change: ["same", "same"], after: "same", occurrences: 1 },
  ],
] as const;

export function editGroup({ shared, pathOf }: ProtocolWorld): void {
  describe("edit", () => {
    const path = pathOf("edit/file.txt");
    const edit = async (before: string, [old, given, all]: readonly [string, string, boolean?]) => {
      await shared().write(path, before);
      const result = await shared().edit(path, old, given, all);
      return { ...result, after: await shellText(shared(), path) };
    };

    it.each(EDITS)("changes %s", async (_, { before, change, ...expected }) => {
      expect(await edit(before, change)).toMatchObject({ path, ...expected });
    });

    it("refuses what occurs several times, and changes nothing", async () => {
      const result = await edit("a b a", ["a", "c"]);
      expect(result.error).toMatch(/multiple/i);
      expect(result.after).toBe("a b a");
    });

    it("says that the text is not found", async () => {
      expect((await edit("a", ["z", "c"])).error).toMatch(/not found/i);
    });

    it("says that the file is not found", async () => {
      expect((await shared().edit(pathOf("edit/none"), "a", "b")).error).toMatch(/not found/i);
    });

    it("loses none of two edits made at once", async () => {
      await shared().write(path, "one two");
      await Promise.all([shared().edit(path, "one", "1"), shared().edit(path, "two", "2")]);
      expect(await shellText(shared(), path)).toBe("1 2");
    });
  });
}
