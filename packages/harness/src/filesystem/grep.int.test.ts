import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { rgPath } from "@vscode/ripgrep";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MemoryFiles } from "../testing/memory-files.js";
import { verbsOnly } from "../testing/verbs-only.js";
import type { FileBackend } from "./contract.js";
import { grep } from "./grep.js";
import type { GrepQuery } from "./line-search.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";
import { ripgrepPath } from "./ripgrep.js";

const FILES: Readonly<Record<string, string | Buffer>> = {
  "a.txt": "Foo bar\nfoo_1 baz\nnothing\nfoo",
  "a/b.txt": "foo in a folder\n",
  "a-b.txt": "foo between\n",
  "crlf.txt": "one foo\r\nfoo two\r\n",
  "bom.txt": Buffer.from("\uFEFFfoo after a mark\n"),
  ".hidden/x.txt": "foo hidden\n",
  ".env": "FOO=1\n",
  ".gitignore": "ignored.txt\n",
  "ignored.txt": "foo ignored by git\n",
  "src/code.ts": "const value = items[0] && foo(x);\nconst größe = 'é';\n",
  "src/deep/code.py": "def foo():\n    return 'a.b'\n",
  "binary.dat": Buffer.from("foo\n\0foo\n"),
  "late-binary.dat": Buffer.from(`${"foo\n".repeat(20)}${"filler\n".repeat(40_000)}\0`),
  "gbk.txt": Buffer.concat([Buffer.from("foo "), Buffer.from("d3e0b6ee", "hex"), Buffer.from("\n")]),
  "empty.txt": "",
  "blank.txt": "\n\n",
  "long.txt": `${"x".repeat(3000)}needle${"x".repeat(3000)}
`,
  "文件.md": "foo 中文\n",
  "odd [x]{1}*.txt": "foo odd\n",
  "many.txt": "dup\n".repeat(50),
};

/** These match nothing: `\\w` is ASCII, as in RE2. */
const MATCHLESS: ReadonlySet<string> = new Set(["absent", "gr\\w+e"]);

const QUERIES: readonly (Partial<GrepQuery> & { pattern: string })[] = [
  { pattern: "foo" },
  { pattern: "foo", caseSensitive: true },
  { pattern: "FOO", literal: true },
  { pattern: "foo(", literal: true, caseSensitive: true },
  { pattern: "items[0]", literal: true },
  { pattern: "^foo" },
  { pattern: "foo$" },
  { pattern: "^$" },
  { pattern: "\\bfoo\\b" },
  { pattern: "foo_\\d" },
  { pattern: "gr\\w+e" },
  { pattern: "va[\\w]+e" },
  { pattern: "[^\\w\\s]\\sfoo" },
  { pattern: "foo\\s+\\S+$", glob: "c*.txt" },
  { pattern: "[&~]+" },
  { pattern: "[[:digit:]]" },
  { pattern: "中\\p{Han}" },
  { pattern: "É" },
  { pattern: "É", literal: true },
  { pattern: "(?i:FOO) in", caseSensitive: true },
  { pattern: "\\Aone" },
  { pattern: "\\Qa.b\\E" },
  { pattern: "foo|needle" },
  { pattern: "foo", glob: "*.txt" },
  { pattern: "foo", glob: "src/**/*.py" },
  { pattern: "foo", glob: "**/*.{ts,py}" },
  { pattern: "foo", glob: "**/*.txt" },
  { pattern: "foo", glob: "/*.txt" },
  { pattern: "foo", glob: "/mnt/w/a/*" },
  { pattern: "foo", glob: ".hidden/*" },
  { pattern: "foo", glob: "[!a]*.txt" },
  { pattern: "dup", maxResults: 50 },
  { pattern: "dup", maxResults: 49 },
  { pattern: "foo", maxResults: 3 },
  { pattern: "foo", path: "/mnt/w/src" },
  { pattern: "foo", path: "/" },
  { pattern: "foo", path: "/mnt/w/a.txt" },
  { pattern: "foo", path: "/mnt/w/a.txt", glob: "*.md" },
  { pattern: "foo", path: "/mnt/w/file-link.txt" },
  { pattern: "foo", path: "/mnt/w/odd [x]{1}*.txt" },
  { pattern: "foo", path: "/mnt/w/.hidden/x.txt" },
  { pattern: "[^;]{0,64}needle", path: "/mnt/w/long.txt" },
  { pattern: "foo", path: "/mnt/w/folder-link" },
  { pattern: "absent" },
];

describe("grep", () => {
  let host: string;
  let disk: MountedDiskBackend;
  /** The same files without the capability to start a process beside them. */
  let bare: FileBackend;
  const query = (partial: Partial<GrepQuery> & { pattern: string }): GrepQuery => ({
    path: "/mnt/w",
    literal: false,
    caseSensitive: false,
    maxResults: 100,
    ...partial,
  });

  beforeAll(async () => {
    host = await mkdtemp(join(tmpdir(), "deerflow-grep-"));
    await Promise.all(
      Object.entries(FILES).map(async ([name, content]) => {
        await mkdir(dirname(join(host, "w", name)), { recursive: true });
        await writeFile(join(host, "w", name), content);
      }),
    );
    await mkdir(join(host, "w/.git"));
    await mkdir(join(host, "long"));
    await writeFile(join(host, "long/line.txt"), `${"x".repeat(1_500_000)}needle${"x".repeat(1_500_000)}\n`);
    await writeFile(join(host, "secret.txt"), "foo outside\n");
    await symlink(join(host, "secret.txt"), join(host, "w/link.txt"));
    await symlink(host, join(host, "w/link"));
    await symlink("a", join(host, "w/folder-link"));
    await symlink("a/b.txt", join(host, "w/file-link.txt"));
    disk = new MountedDiskBackend({
      mounts: ["w", "long"].map((name) => ({
        virtualPath: `/mnt/${name}`,
        hostPath: join(host, name),
        mode: "read-write",
      })),
    });
    bare = verbsOnly(disk);
  });
  afterAll(() => rm(host, { recursive: true, force: true }));

  it.each(QUERIES)("finds the same with and without ripgrep: %j", async (partial) => {
    const [byRipgrep, byScan] = [await grep(disk, query(partial)), await grep(bare, query(partial))];
    expect(byRipgrep).toEqual(byScan);
    expect(byRipgrep.matches.length > 0).toBe(!MATCHLESS.has(partial.pattern));
    expect(JSON.stringify(byRipgrep)).not.toContain(host);
    expect(JSON.stringify(byRipgrep)).not.toContain("outside");
  });

  it("gives lines with paths and numbers, in order of path, binary files left out", async () => {
    const { matches } = await grep(disk, query({ pattern: "foo", glob: "*.{txt,dat}" }));
    expect(matches.map(({ path, line }) => `${path.slice(7)}:${line}`)).toEqual([
      ".hidden/x.txt:1",
      "a/b.txt:1",
      "a-b.txt:1",
      "a.txt:1",
      "a.txt:2",
      "a.txt:4",
      "bom.txt:1",
      "crlf.txt:1",
      "crlf.txt:2",
      "gbk.txt:1",
      "ignored.txt:1",
      "odd [x]{1}*.txt:1",
    ]);
    expect(matches.find((match) => match.path.endsWith("crlf.txt"))?.text).toBe("one foo");
    expect(matches.find((match) => match.path.endsWith("bom.txt"))?.text).toBe("foo after a mark");
  });

  it.each(["needle", "[^;]{0,64}needle[^;]{0,256}"])(
    "cuts a line of three million characters around the match of %s, quickly",
    async (pattern) => {
      const begin = performance.now();
      const { matches } = await grep(disk, query({ pattern, path: "/mnt/long/line.txt" }));
      expect(performance.now() - begin).toBeLessThan(5000);
      expect(matches).toHaveLength(1);
      expect(matches[0]?.text).toHaveLength(200);
    },
  );

  it.each([
    ["at its start", `needle${"x".repeat(500)}`, /^needlex{192}…$/],
    ["at its end", `${"x".repeat(500)}needle`, /^…x{192}needle$/],
    ["in its middle", `${"x".repeat(500)}needle${"x".repeat(500)}`, /^…x+needlex+…$/],
    ["where all of it can be shown", "needle".padEnd(200, "x"), /^needlex{194}$/],
  ])("shows of a long line what stands around a match %s", async (_, line, shown) => {
    const files = new MemoryFiles();
    await files.write("/f", Buffer.from(`short\n${line}\n`));
    const { matches } = await grep(files, query({ pattern: "needle", path: "/f" }));
    expect(matches).toEqual([{ path: "/f", line: 2, text: expect.stringMatching(shown) }]);
    expect(matches[0]?.text.length).toBeLessThanOrEqual(200);
  });

  it("keeps the process free while it searches", async () => {
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 5);
    await grep(disk, query({ pattern: "(x+x+)+y", path: "/mnt/long" }));
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(0);
  });

  it("returns what it has when its time is up, and ends with the caller's reason when the caller stops it", async () => {
    expect(await grep(disk, query({ pattern: "foo" }), { seconds: 0 })).toMatchObject({ stopped: "time" });
    expect(await grep(bare, query({ pattern: "foo" }), { seconds: 0 })).toMatchObject({
      stopped: "time",
    });
    const reason = new Error("the user pressed stop");
    await expect(grep(disk, query({ pattern: "foo" }), { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
  });

  it("names what it could not read, and goes on", async () => {
    await mkdir(join(host, "w/locked"));
    await chmod(join(host, "w/locked"), 0);
    try {
      const results = [
        await grep(disk, query({ pattern: "foo" })),
        await grep(bare, query({ pattern: "foo" })),
      ];
      // Root reads everything, so there is then nothing to name.
      const expected = process.getuid?.() === 0 ? [] : ["/mnt/w/locked"];
      expect(results.map((result) => result.unreadable)).toEqual([expected, expected]);
      expect(results[0]?.matches.length).toBeGreaterThan(5);
    } finally {
      await chmod(join(host, "w/locked"), 0o755);
    }
  });

  it.each([
    ["a(?=b)", /look-around/],
    ["a(b", /missing closing \): `a\(b`/],
    ["(a)\\1", /back-references/],
    ["[", /missing closing/],
    ["", /empty/],
    ["a\nb", /one line/],
    ["a\\nb", /one line/],
  ])("refuses the pattern %j with a reason", async (pattern, reason) => {
    await expect(grep(disk, query({ pattern }))).rejects.toMatchObject({
      code: "pattern_invalid",
      message: expect.stringMatching(reason),
    });
  });

  it.skipIf(process.platform !== "linux")("counts files whose names are not UTF-8", async () => {
    const folder = join(host, "w/foreign");
    await mkdir(folder);
    await writeFile(Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.from([0xff])]), "foo\nfoo\n");
    await writeFile(join(folder, "good"), "foo\n");
    const foreign = query({ pattern: "foo", path: "/mnt/w/foreign" });
    const found = { matches: [{ path: "/mnt/w/foreign/good", line: 1, text: "foo" }], unusableNames: 1 };
    expect(await grep(disk, foreign)).toMatchObject(found);
    expect(await grep(bare, foreign)).toMatchObject(found);
    await rm(folder, { recursive: true });
  });

  it("refuses a path that is not there", async () => {
    await expect(grep(disk, query({ pattern: "x", path: "/mnt/w/no" }))).rejects.toMatchObject({
      code: "path_not_found",
    });
  });
});

describe("ripgrepPath", () => {
  it("prefers the PATH and falls back to the installed one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "deerflow-rg-"));
    await writeFile(join(folder, "rg"), "", { mode: 0o755 });
    expect(ripgrepPath({ PATH: `/nowhere:${folder}` })).toBe(join(folder, "rg"));
    expect(ripgrepPath({ PATH: "" })).toBe(rgPath);
    expect(ripgrepPath({})).toBe(rgPath);
    await rm(folder, { recursive: true });
  });
});
