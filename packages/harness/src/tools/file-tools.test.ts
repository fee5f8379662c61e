import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolMessage } from "@langchain/core/messages";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MountedDiskBackend } from "../filesystem/mounted-disk-backend.js";
import { operationOf } from "./define-tool.js";
import { createFileTools } from "./file-tools.js";

const W = "/mnt/user-data/workspace";
let host: string;
let tools: ReturnType<typeof createFileTools>;

beforeEach(async () => {
  host = await mkdtemp(join(tmpdir(), "deerflow-tools-"));
  const files = new MountedDiskBackend({ mounts: [{ virtualPath: W, hostPath: host, mode: "read-write" }] });
  tools = createFileTools({ files });
});
afterEach(() => rm(host, { recursive: true }));

async function call(name: string, args: Record<string, unknown>): Promise<ToolMessage> {
  const tool = tools.find((each) => each.name === name);
  const answer: ToolMessage = await tool?.invoke({ type: "tool_call", id: "c", name, args });
  expect(JSON.stringify(answer)).not.toContain(host);
  expect(answer.text.trim()).not.toBe("");
  return answer;
}
const plant = (name: string, content: string | Buffer) => writeFile(join(host, name), content);
const plantHex = (name: string, hex: string) => plant(name, Buffer.from(hex, "hex"));
const hexOf = async (name: string) => (await readFile(join(host, name))).toString("hex");
const textOf = (name: string) => readFile(join(host, name), "utf8");
const edit = (name: string, old_str: string, new_str: string, replace_all = false) =>
  call("str_replace", { path: `${W}/${name}`, old_str, new_str, replace_all });

describe("every file tool", () => {
  it("has its DeerFlow name and its operation, and asks for the reason first", () => {
    expect(tools.map((tool) => [tool.name, operationOf(tool)])).toEqual([
      ["ls", "list"],
      ["read_file", "read"],
      ["write_file", "write"],
      ["str_replace", "edit"],
      ["delete", "delete"],
      ["glob", "glob"],
      ["grep", "grep"],
    ]);
    for (const tool of tools) {
      const schema = toJsonSchema(tool.schema as never) as { properties: object; required: string[] };
      expect(Object.keys(schema.properties)[0]).toBe("description");
      expect(schema.required[0]).toBe("description");
      expect(tool.description.length).toBeGreaterThan(40);
    }
  });

  it("states the read-before-write rule where it counts", () => {
    for (const name of ["write_file", "str_replace"]) {
      expect(tools.find((tool) => tool.name === name)?.description).toMatch(/must have read/);
    }
  });

  const BAD_PATHS = [
    "/../x",
    "~/x",
    "",
    "/a\u0000b",
    "rel.txt",
    `/${"n".repeat(5000)}`,
    `${W}/file/x`,
    `${W}/leak/x`,
    "/a/../../x",
    "C:\\x",
    "/etc/passwd",
  ];
  const CALLS: readonly [string, Record<string, unknown>][] = [
    ["ls", {}],
    ["glob", { pattern: "*" }],
    ["grep", { pattern: "x" }],
    ["read_file", {}],
    ["write_file", { content: "x" }],
    ["str_replace", { old_str: "a", new_str: "b" }],
  ];
  it.each(
    BAD_PATHS.flatMap((path) =>
      CALLS.map(([name, args]) => [name, path.slice(0, 30), { ...args, path }] as const),
    ),
  )("answers %s of %j with an error and without a host path", async (name, _, args) => {
    await plant("file", "x");
    await symlink(host.replace(/\/[^/]+$/, ""), join(host, "leak"));
    const answer = await call(name, args);
    expect(answer.status).toBe("error");
    expect(answer.text).toMatch(/^Error: /);
    expect(answer.text.length).toBeLessThan(700);
  });
});

describe("ls", () => {
  it("prints two levels of absolute paths", async () => {
    await mkdir(join(host, "a/b/c"), { recursive: true });
    await mkdir(join(host, "node_modules"));
    await plant("a/b/f", "");
    await plant("z.txt", "");
    expect((await call("ls", { path: W })).text).toBe(
      [
        `${W}/a/`,
        `${W}/a/b/`,
        `${W}/node_modules/`,
        `${W}/z.txt`,
        `[Not looked into: ${W}/node_modules.]`,
      ].join("\n"),
    );
    expect((await call("ls", { path: "/" })).text).toBe("/mnt/\n/mnt/user-data/");
    expect((await call("ls", { path: `${W}/a/b/c` })).text).toBe(`${W}/a/b/c is empty.`);
  });
});

describe("glob and grep", () => {
  it("print what they find, and say when there is nothing or more", async () => {
    await plant("a.txt", "one\ntwo\n");
    await plant("b.txt", "two\n");
    expect((await call("glob", { pattern: "*.txt" })).text).toBe(`${W}/a.txt\n${W}/b.txt`);
    expect((await call("glob", { pattern: "*.md", path: W })).text).toBe(`Nothing under ${W} matches *.md.`);
    expect((await call("glob", { pattern: "*", max_results: "1" })).text).toBe(
      `${W}/a.txt\n[There are more; the first 1 are shown. Narrow the search to see others.]`,
    );
    const one = await call("grep", { pattern: "TWO", path: `${W}/a.txt` });
    expect(one).toMatchObject({ text: `${W}/a.txt:2: two`, artifact: { found: 1, stopped: null } });
    expect((await call("grep", { pattern: "zzz", path: `${W}/a.txt` })).text).toBe(
      `No line under ${W}/a.txt matches zzz.`,
    );
  });
});

describe("read_file", () => {
  const read = (name: string, args = {}) => call("read_file", { path: `${W}/${name}`, ...args });

  it("shows the text as it is, with plain line endings and without byte-order mark", async () => {
    await plantHex("w.txt", "efbbbf72617465203d20350d0a756e69740d0a");
    const answer = await read("w.txt");
    expect(answer.text).toBe("rate = 5\nunit\n");
    expect(answer.artifact).toEqual({
      path: `${W}/w.txt`,
      version: expect.stringMatching(/^[0-9a-f]{64}$/),
      start_line: 1,
      end_line: 2,
      total_lines: 2,
      truncated: false,
    });
  });

  it("shows a part by lines, also when they come as text", async () => {
    await plant("f", "1\n2\n3\n4\n");
    expect((await read("f", { start_line: "2", end_line: 3 })).text).toBe("2\n3\n");
    expect((await read("f", { start_line: -3, end_line: 1 })).text).toBe("1\n");
    expect((await read("f", { start_line: 4 })).text).toBe("4\n");
    expect(await read("f", { start_line: 5 })).toMatchObject({
      status: "error",
      artifact: { code: "lines_out_of_range", total: 4 },
    });
    expect((await read("f", { start_line: 3, end_line: 2 })).artifact.code).toBe("lines_out_of_range");
  });

  it("cuts a long text at a line and names the next", async () => {
    await plant("long", `${"x".repeat(99)}\n`.repeat(1000));
    const answer = await read("long");
    expect(
      answer.text.endsWith("\n[Cut at 50000 characters: lines 1 to 500 of 1000. Go on with start_line=501.]"),
    ).toBe(true);
    expect((await read("long", { start_line: 501 })).text).toHaveLength(50_000);
  });

  it.each([
    ["an empty file", "", `[${W}/f is empty.]`],
    ["a blank file", "\n\n", "[Lines 1 to 2 of 2 are blank.]"],
  ])("says what %s is", async (_, content, text) => {
    await plant("f", content);
    expect((await read("f")).text).toBe(text);
  });

  it("does not show what is no text", async () => {
    await plantHex("p.png", "89504e470d0a1a0a00");
    expect(await read("p.png")).toMatchObject({
      status: "success",
      text: `[${W}/p.png is not UTF-8 text: image/png, 9 bytes. Its content is not shown: the image is cut off or broken.]`,
    });
  });

  it("tells a missing file from a folder", async () => {
    await mkdir(join(host, "d"));
    expect((await read("d")).artifact.code).toBe("is_a_directory");
    expect((await read("no")).artifact.code).toBe("path_not_found");
  });
});

describe("write_file", () => {
  const write = (name: string, content: string, append = false) =>
    call("write_file", { path: `${W}/${name}`, content, append });

  it("creates with folders, replaces, and appends", async () => {
    expect((await write("d/f", "né\n")).text).toBe(`Created ${W}/d/f (4 bytes).`);
    expect((await write("d/f", "b\n")).text).toBe(`Replaced ${W}/d/f (2 bytes).`);
    expect((await write("d/f", "c\n", true)).text).toBe(`Appended to ${W}/d/f (now 4 bytes).`);
    expect(await textOf("d/f")).toBe("b\nc\n");
    expect((await write("new", "x", true)).text).toBe(`Created ${W}/new (1 byte).`);
  });

  it("keeps one byte-order mark, and CRLF when it appends", async () => {
    await plantHex("b.cfg", "efbbbf610a");
    await write("b.cfg", "rate = 9\n");
    expect(await hexOf("b.cfg")).toBe("efbbbf72617465203d20390a");
    await write("b.cfg", "\uFEFFrate = 9\n");
    expect(await hexOf("b.cfg")).toBe("efbbbf72617465203d20390a");
    await plant("crlf", "a\r\n");
    await write("crlf", "b\nc\r\n", true);
    expect(await textOf("crlf")).toBe("a\r\nb\r\nc\r\n");
  });

  it("does not append to what is no UTF-8", async () => {
    await plantHex("g.txt", "6c696d6974203d2031300a2320d3e0b6ee0a");
    expect((await write("g.txt", "x\n", true)).artifact.code).toBe("file_not_text");
    expect(await hexOf("g.txt")).toBe("6c696d6974203d2031300a2320d3e0b6ee0a");
  });

  it("refuses more than 80 KB at once, and text that cannot be encoded", async () => {
    expect((await write("f", "x".repeat(80 * 1024))).status).toBe("success");
    expect((await write("g", "é".repeat(40 * 1024 + 1))).artifact).toMatchObject({
      code: "content_too_large",
    });
    expect((await write("g", "\ud800")).artifact.code).toBe("arguments_invalid");
    expect((await call("ls", { path: W })).text).toBe(`${W}/f`);
  });

  it("loses none of many appends of one turn", async () => {
    await plant("f", "");
    await Promise.all(Array.from({ length: 12 }, (_, index) => write("f", `${index}\n`, true)));
    const lines = (await textOf("f")).trim().split("\n").map(Number);
    expect(lines.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index));
  });
});

describe.runIf(process.platform === "linux")("names that a command may plant", () => {
  const note = "[1 name is not UTF-8 and cannot be used.]";

  beforeEach(async () => {
    await plant("new\n/mnt/user-data/fake.txt".replaceAll("/", "|"), "needle");
    await plant("\u001b[31mred", "needle");
    await plant('say "hi".txt', "needle");
    await writeFile(Buffer.concat([Buffer.from(`${host}/bad`), Buffer.from([0xff, 0xfe])]), "needle");
  });

  const LINES = ["\\u001b[31mred", "new\\n|mnt|user-data|fake.txt", 'say "hi".txt'].map(
    (name) => `${W}/${name}`,
  );

  it.each([
    ["ls", {}, LINES],
    ["glob", { pattern: "*" }, LINES],
    ["grep", { pattern: "needle" }, LINES.map((line) => `${line}:1: needle`)],
  ])("stay on their line in %s, and those that cannot be used are counted", async (name, args, lines) => {
    expect((await call(name, { path: W, ...args })).text.split("\n")).toEqual([...lines, note]);
  });
});

describe("str_replace", () => {
  it("keeps line endings, the byte-order mark and every untouched byte", async () => {
    await plantHex("a.txt", "616c7068610d0a626574610d0a67616d6d610d0a6f6d6567610d0a");
    expect((await edit("a.txt", "beta\ngamma\n", "BETA\nGAMMA\nDELTA\n")).text).toBe(
      `Replaced 1 occurrence in ${W}/a.txt.`,
    );
    expect(await hexOf("a.txt")).toBe("616c7068610d0a424554410d0a47414d4d410d0a44454c54410d0a6f6d6567610d0a");
    await plantHex("m.txt", "610d0a620a630d0a");
    await edit("m.txt", "b", "B");
    expect(await hexOf("m.txt")).toBe("610d0a420a630d0a");
    await plantHex("b.cfg", "efbbbf72617465203d20350a756e6974203d206b670a");
    await edit("b.cfg", "rate = 5\nunit = kg", "rate = 7\nunit = kg");
    expect(await hexOf("b.cfg")).toBe("efbbbf72617465203d20370a756e6974203d206b670a");
  });

  it.each([false, true])("inserts dollar signs literally (replace_all %s)", async (all) => {
    await plant("d.js", 'say("x");\n');
    await edit("d.js", 'say("x");', 'say("$& $$ $1 $` $\'");', all);
    expect(await hexOf("d.js")).toBe("7361792822242620242420243120246020242722293b0a");
  });

  it("refuses what would damage or not change the file, and leaves it alone", async () => {
    const gbk = "6c696d6974203d2031300a2320d3e0b6ee0a";
    await plantHex("g.txt", gbk);
    await plant("f", "a a");
    const codes = [
      (await edit("g.txt", "limit = 10", "limit = 20")).artifact.code,
      (await edit("f", "a", "b")).artifact.code,
      (await edit("f", "", "b")).artifact.code,
      (await edit("f", "a", "a")).artifact.code,
      (await edit("f", "zz", "b")).artifact.code,
      (await edit("no", "a", "b")).artifact.code,
    ];
    expect(codes).toEqual([
      "file_not_text",
      "edit_ambiguous",
      "edit_empty",
      "edit_unchanged",
      "edit_not_found",
      "path_not_found",
    ]);
    expect([await hexOf("g.txt"), await textOf("f")]).toEqual([gbk, "a a"]);
  });

  it("loses none of many edits of one file in one turn", async () => {
    const letters = [..."abcdefghijkl"];
    await plant("f", letters.join("\n"));
    const answers = await Promise.all(letters.map((letter) => edit("f", letter, letter.toUpperCase())));
    expect(answers.map((answer) => answer.status)).toEqual(letters.map(() => "success"));
    expect(await textOf("f")).toBe(letters.join("\n").toUpperCase());
  });
});
