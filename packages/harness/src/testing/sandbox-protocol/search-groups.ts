/** Groups: ls, grep, glob. */
import { describe, expect, it } from "vitest";
import { barePaths, type ProtocolWorld } from "./protocol-world.js";

export function lsGroup({ shared, pathOf }: ProtocolWorld): void {
  describe("ls", () => {
    it("gives whole paths, and says what is a folder", async () => {
      const base = pathOf("ls/basic");
      await shared().write(`${base}/file.txt`, "four");
      await shared().execute(`mkdir -p '${base}/folder'`);
      const { files, error } = await shared().ls(base);
      expect(error).toBeUndefined();
      expect(barePaths(files)).toEqual([`${base}/file.txt`, `${base}/folder`]);
      expect(files?.map(({ is_dir, size }) => [is_dir, size])).toEqual([
        [false, 4],
        [true, 0],
      ]);
      expect(files?.[1]?.path).toBe(`${base}/folder/`);
      expect(Date.parse(files?.[0]?.modified_at ?? "")).toBeGreaterThan(0);
    });

    it.each([
      ["hidden names", [".hidden", "visible"]],
      ["spaces", ["a file.txt", "b  file.txt"]],
      ["any script", ["测试文件.txt", "файл.txt"]],
      ["brackets and dashes", ["file(1).txt", "-rf", "[x].md"]],
      ["quotes", ["it's.txt", 'say "hi".txt']],
    ])("lists names with %s", async (kind, names) => {
      const base = pathOf(`ls/${kind}`);
      for (const name of names) await shared().write(`${base}/${name}`, name);
      expect(barePaths((await shared().ls(base)).files)).toEqual(
        names.map((name) => `${base}/${name}`).sort(),
      );
    });

    it("is empty for an empty and for a missing folder", async () => {
      await shared().execute(`mkdir -p '${pathOf("ls/empty")}'`);
      expect(await shared().ls(pathOf("ls/empty"))).toEqual({ files: [] });
      expect(await shared().ls(pathOf("ls/missing"))).toEqual({ files: [] });
    });

    it("lists 200 files, sorted", async () => {
      const base = pathOf("ls/large");
      await shared().execute(`mkdir -p '${base}'; cd '${base}'; for i in $(seq 100 299); do : > f$i; done`);
      const { files } = await shared().ls(base);
      expect(files?.map(({ path }) => path)).toEqual(
        Array.from({ length: 200 }, (_, index) => `${base}/f${index + 100}`),
      );
    });

    it("takes a final slash", async () => {
      const base = pathOf("ls/slash");
      await shared().write(`${base}/x`, "x");
      expect(barePaths((await shared().ls(`${base}/`)).files)).toEqual([`${base}/x`]);
    });
  });
}

export function grepGroup({ shared, pathOf }: ProtocolWorld): void {
  describe("grep", () => {
    const found = async (base: string, pattern: string, fileGlob?: string) => {
      const { matches, error } = await shared().grep(pattern, base, fileGlob);
      expect(error).toBeUndefined();
      return matches?.map(({ path, line, text }) => [path.slice(base.length + 1), line, text]);
    };

    it("finds lines in a tree, with numbers", async () => {
      const base = pathOf("grep/tree");
      await shared().write(`${base}/a.txt`, "Hello\nother\nHello again");
      await shared().write(`${base}/sub/deep/b.txt`, "well, Hello");
      expect(await found(base, "Hello")).toEqual([
        ["a.txt", 1, "Hello"],
        ["a.txt", 3, "Hello again"],
        ["sub/deep/b.txt", 1, "well, Hello"],
      ]);
    });

    it("keeps to the files that a glob names", async () => {
      const base = pathOf("grep/glob");
      for (const name of ["a.txt", "a.py", "sub/b.py"]) await shared().write(`${base}/${name}`, "needle");
      expect(await found(base, "needle", "*.py")).toEqual([
        ["a.py", 1, "needle"],
        ["sub/b.py", 1, "needle"],
      ]);
      expect(await found(base, "needle", "sub/*.py")).toEqual([["sub/b.py", 1, "needle"]]);
    });

    it.each(["$100", "[a-z]*", "a.b", "(x)", "^start", "世界", "it's", "\\d+", "--flag"])(
      "takes %s as plain text",
      async (pattern) => {
        const base = pathOf("grep/literal");
        await shared().write(`${base}/f.txt`, `nothing\nxx ${pattern} yy\n100 abc axb x start 5`);
        expect(await found(base, pattern)).toEqual([["f.txt", 2, `xx ${pattern} yy`]]);
      },
    );

    it("tells upper from lower case", async () => {
      const base = pathOf("grep/case");
      await shared().write(`${base}/f`, "Hello\nhello\nHELLO");
      expect(await found(base, "hello")).toEqual([["f", 2, "hello"]]);
    });

    it("is empty, not an error, where nothing is found", async () => {
      await shared().execute(`mkdir -p '${pathOf("grep/none")}'`);
      expect(await shared().grep("x", pathOf("grep/none"))).toEqual({ matches: [] });
    });

    it("stops at the number asked for and says so; exactly that many is all", async () => {
      const base = pathOf("grep/count");
      await shared().write(`${base}/f`, "x\nx\nx");
      expect(await shared().grep("x", base, null, 2)).toMatchObject({ truncated: true });
      expect((await shared().grep("x", base, null, 3)).truncated).toBeUndefined();
    });

    it("passes over a binary file", async () => {
      const base = pathOf("grep/binary");
      await shared().uploadFiles([[`${base}/b`, Buffer.from("needle\0")]]);
      await shared().write(`${base}/t`, "needle");
      expect(await found(base, "needle")).toEqual([["t", 1, "needle"]]);
    });
  });
}

export function globGroup({ shared, pathOf }: ProtocolWorld): void {
  describe("glob", () => {
    const NAMES = ["file1.txt", "file2.txt", "file10.txt", "fileA.md", ".hidden", "sub/deep/file1.txt"];

    it.each([
      ["*.md", ["fileA.md"]],
      ["file?.txt", ["file1.txt", "file2.txt", "sub/deep/file1.txt"]],
      ["/file?.txt", ["file1.txt", "file2.txt"]],
      ["file[1-2].txt", ["file1.txt", "file2.txt", "sub/deep/file1.txt"]],
      ["**/deep/*.txt", ["sub/deep/file1.txt"]],
      ["*.{md,py}", ["fileA.md"]],
      [".*", [".hidden"]],
      ["sub/**", ["sub/deep/", "sub/deep/file1.txt"]],
      ["*.rs", []],
    ])("matches %s", async (pattern, expected) => {
      const base = pathOf("glob/tree");
      for (const name of NAMES) await shared().write(`${base}/${name}`, name);
      const { files, error } = await shared().glob(pattern, base);
      expect(error).toBeUndefined();
      expect(barePaths(files)).toEqual(expected.map((path) => path.replace(/\/$/, "")).sort());
    });

    it("tells files from folders", async () => {
      const base = pathOf("glob/kinds");
      await shared().write(`${base}/file`, "x");
      await shared().execute(`mkdir -p '${base}/folder'`);
      const { files } = await shared().glob("*", base);
      expect(files?.map(({ path, is_dir }) => [path, is_dir])).toEqual([
        ["file", false],
        ["folder", true],
      ]);
    });
  });
}
