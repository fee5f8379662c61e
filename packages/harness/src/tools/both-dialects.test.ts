import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolMessage } from "@langchain/core/messages";
import { GraphInterrupt, InMemoryStore } from "@langchain/langgraph";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silentLogger } from "../base/logger.js";
import { DeerflowError } from "../base/errors.js";
import type { FileBackend } from "../filesystem/contract.js";
import { FilesystemBackend } from "../filesystem/filesystem-backend.js";
import { StoreBackend } from "../filesystem/store-backend.js";
import { scriptedSandbox } from "../testing/scripted-sandbox.js";
import { describedBy, operationOf } from "./define-tool.js";
import { type Dialect, DIALECTS } from "./dialects.js";
import { TOOL_KINDS, type ToolKind } from "./face.js";
import { createFileTools, type FileToolsOptions } from "./file-tools.js";

const BACKENDS = ["disk", "store"] as const;
const PLACES = (["deerflow", "deepagents"] as const).flatMap((dialect) =>
  BACKENDS.map((backend) => [dialect, backend] as const),
);

/** The arguments of each kind, by the names of each dialect; the path is added. */
const CALLS: Readonly<Record<Dialect, Partial<Record<ToolKind, Record<string, unknown>>>>> = {
  deerflow: {
    list: {},
    read: {},
    write: { content: "x" },
    edit: { old_str: "a", new_str: "b" },
    delete: {},
    glob: { pattern: "*" },
    grep: { pattern: "x" },
  },
  deepagents: {
    list: {},
    read: {},
    write: { content: "x" },
    edit: { old_string: "a", new_string: "b" },
    delete: {},
    glob: { pattern: "*" },
    grep: { pattern: "x" },
  },
};
const PATH_NAME: Readonly<Record<Dialect, (kind: ToolKind) => string>> = {
  deerflow: () => "path",
  deepagents: (kind) => (["list", "glob", "grep"].includes(kind) ? "path" : "file_path"),
};

const shell = scriptedSandbox();

describe.each(PLACES)("the %s tools over the %s backend", (dialect, backend) => {
  let host: string;
  let files: FileBackend;

  beforeEach(async () => {
    host = await mkdtemp(join(tmpdir(), "deerflow-tools-"));
    files =
      backend === "disk"
        ? new FilesystemBackend({ rootDir: host })
        : new StoreBackend({ namespace: ["files"], store: new InMemoryStore() });
  });
  afterEach(() => rm(host, { recursive: true }));

  async function call(
    kind: ToolKind,
    args: Record<string, unknown>,
    options: Partial<FileToolsOptions> = {},
  ): Promise<ToolMessage> {
    const tools = createFileTools({ files, dialect, ...options });
    const tool = tools.find((each) => operationOf(each) === kind);
    const answer: ToolMessage = await tool?.invoke({ type: "tool_call", id: "c", name: "n", args });
    expect(JSON.stringify(answer)).not.toContain(host);
    expect(answer.text.trim()).not.toBe("");
    return answer;
  }
  const at = (kind: ToolKind, path: unknown, more: Record<string, unknown> = {}) => ({
    ...CALLS[dialect][kind],
    [PATH_NAME[dialect](kind)]: path,
    ...more,
  });
  const edit = (path: string, oldText: string, newText: string, all = false) =>
    call("edit", {
      [PATH_NAME[dialect]("edit")]: path,
      [dialect === "deerflow" ? "old_str" : "old_string"]: oldText,
      [dialect === "deerflow" ? "new_str" : "new_string"]: newText,
      replace_all: all,
    });
  const plant = (path: string, content: string | Buffer) => files.write(path, Buffer.from(content));
  const plantHex = (path: string, hex: string) => plant(path, Buffer.from(hex, "hex"));
  const hexOf = async (path: string) => Buffer.from((await files.read(path))?.bytes ?? []).toString("hex");

  const withoutReading = (): FileBackend => ({
    id: files.id,
    list: (path) => files.list(path),
    stat: (path) => files.stat(path),
    read: async (path) => {
      throw new DeerflowError("path_forbidden", { path, done: "read" });
    },
    write: (path, content, options) => files.write(path, content, options),
    remove: (path) => files.remove(path),
  });

  it("come in one order, with their operation and the path argument of the dialect", () => {
    const tools = createFileTools({ files, dialect, shell });
    expect(tools.map(operationOf)).toEqual(TOOL_KINDS);
    expect(tools.map((tool) => tool.name)).toEqual(
      TOOL_KINDS.map((kind) => DIALECTS[dialect].faces[kind].name),
    );
    for (const tool of tools.slice(0, -1)) {
      const schema = toJsonSchema(tool.schema as never) as { properties: object };
      expect(Object.keys(schema.properties)).toContain(PATH_NAME[dialect](operationOf(tool) as ToolKind));
    }
  });

  it("are only those that are asked for, that work, and that have a shell", () => {
    const names = (options: Partial<FileToolsOptions>) =>
      createFileTools({ files, dialect, ...options }).map(operationOf);
    expect(names({})).toEqual(TOOL_KINDS.filter((kind) => kind !== "execute"));
    expect(names({ kinds: ["execute", "grep", "read"], shell })).toEqual(["read", "grep", "execute"]);
    const keeping: FileBackend = { ...withoutReading(), canRemove: false };
    expect(names({ files: keeping })).not.toContain("delete");
  });

  it("take a caller's description as it is, and say whose it is", () => {
    const text = "My own $& text about {characters}.";
    const tools = createFileTools({
      files,
      dialect,
      shell,
      descriptions: { read_file: text, constructor: "x" },
    });
    for (const tool of tools) {
      const isMine = tool.name === "read_file";
      expect([tool.description === text, describedBy(tool)]).toEqual([isMine, isMine ? "caller" : "face"]);
    }
  });

  it("state the read-before-write rule, and never name a tool that is not there", () => {
    const alone = createFileTools({ files, dialect, kinds: ["grep"] });
    expect(alone[0]?.description).not.toMatch(/\b(bash|execute)\b/);
    const [onlyShell] = createFileTools({ files, dialect, shell, kinds: ["execute"] });
    expect(onlyShell?.description).not.toMatch(/\b(grep|glob)\b/);
    const tools = createFileTools({ files, dialect, shell });
    const described = (kind: ToolKind) => tools.find((tool) => operationOf(tool) === kind)?.description ?? "";
    for (const kind of ["write", "edit"] as const) expect(described(kind)).toMatch(/read before you write/i);
    expect(described("grep")).toMatch(/\b(bash|execute)\b/);
    expect(described("execute")).toMatch(/glob to find files and grep/);
    expect(described("glob")).toMatch(/leading dot/);
    for (const tool of tools) expect(tool.description).not.toMatch(/\{\w+\}/);
  });

  const BAD_PATHS = [
    "/../x",
    "~/x",
    "",
    "/a\u0000b",
    "rel.txt",
    `/${"n".repeat(5000)}`,
    "/file/x",
    "/a/../../x",
    "C:\\x",
    "/a\\..\\b",
    "/\ud800",
  ];
  const KINDS = TOOL_KINDS.filter((kind) => kind !== "execute");
  it.each(BAD_PATHS.flatMap((path) => KINDS.map((kind) => [kind, path.slice(0, 30), path] as const)))(
    "answer %s of %j with an error and without a host path",
    async (kind, _, path) => {
      await plant("/file", "x");
      const answer = await call(kind, at(kind, path));
      expect(answer.status).toBe("error");
      expect(answer.text).toMatch(/^Error: /);
      expect(answer.text.length).toBeLessThan(800);
    },
  );

  it("say which absolute path was probably meant", async () => {
    const home = dialect === "deerflow" ? "/mnt/user-data/workspace" : "";
    expect((await call("read", at("read", "./src//a.ts"))).text).toContain(
      `it is not absolute; ${home}/src/a.ts is probably meant`,
    );
    if (dialect === "deerflow") {
      expect((await call("read", at("read", "mnt/user-data/uploads/a"))).text).toContain(
        "not absolute; /mnt/user-data/uploads/a is probably meant",
      );
    }
    expect((await call("read", at("read", "../a"))).text).toContain("it holds a .. segment");
  });

  it("take a path under the names that models send, but not two different ones", async () => {
    await plant("/f", "content");
    for (const name of ["path", "file_path", "filepath", "filename", "filePath", "absolute_path"]) {
      expect((await call("read", { [name]: "/f" })).text).toContain("content");
    }
    expect(await call("read", { path: "/f", file_path: "/g" })).toMatchObject({
      status: "error",
      artifact: { code: "arguments_invalid" },
    });
  });

  it("tell a missing path from a folder, a file and an empty folder", async () => {
    await plant("/d/f", "x");
    const codes = async (kind: ToolKind, path: string) => (await call(kind, at(kind, path))).artifact.code;
    for (const kind of KINDS.filter((kind) => kind !== "write")) {
      expect(await codes(kind, "/missing")).toBe("path_not_found");
    }
    expect(await codes("list", "/d/f")).toBe("not_a_directory");
    expect(await codes("read", "/d")).toBe("is_a_directory");
    expect(await codes("edit", "/d")).toBe("is_a_directory");
    expect(await codes("write", "/d")).toBe("is_a_directory");
  });

  it("keep CRLF, and give the lines of an edit the endings of those they replace", async () => {
    await plantHex("/a.txt", "616c7068610d0a626574610d0a67616d6d610d0a6f6d6567610d0a");
    expect((await call("read", at("read", "/a.txt"))).text).not.toContain("\r");
    expect((await edit("/a.txt", "beta\ngamma\n", "BETA\nGAMMA\nDELTA\n")).text).toBe(
      "Replaced 1 occurrence in /a.txt.",
    );
    expect(await hexOf("/a.txt")).toBe(
      "616c7068610d0a424554410d0a47414d4d410d0a44454c54410d0a6f6d6567610d0a",
    );
    await plantHex("/m.txt", "610d0a620a630d0a");
    await edit("/m.txt", "b", "B");
    expect(await hexOf("/m.txt")).toBe("610d0a420a630d0a");
    await plant("/crlf", "a\r\n");
    await call("write", at("write", "/crlf", { content: "b\nc\r\n", append: true }));
    expect(await hexOf("/crlf")).toBe(Buffer.from("a\r\nb\r\nc\r\n").toString("hex"));
  });

  it("refuse to change a part of what is no UTF-8, and leave it as it is", async () => {
    const gbk = "6c696d6974203d2031300a2320d3e0b6ee0a";
    await plantHex("/g.txt", gbk);
    const answers = [
      await edit("/g.txt", "limit = 10", "limit = 20"),
      await call("write", at("write", "/g.txt", { content: "x\n", append: true })),
    ];
    for (const answer of answers) expect(answer.artifact.code).toBe("file_not_text");
    expect(await hexOf("/g.txt")).toBe(gbk);
  });

  it("hide a byte-order mark, and write it back exactly once", async () => {
    await plantHex("/b.cfg", "efbbbf72617465203d20350a756e6974203d206b670a");
    expect((await call("read", at("read", "/b.cfg"))).text.split("\n")[0]?.trimStart()).toMatch(
      dialect === "deerflow" ? /^rate = 5$/ : /^1 {2}rate = 5$/,
    );
    await edit("/b.cfg", "rate = 5\nunit = kg", "rate = 7\nunit = kg");
    expect(await hexOf("/b.cfg")).toBe("efbbbf72617465203d20370a756e6974203d206b670a");
    for (const mark of ["", "\uFEFF"]) {
      await call("write", at("write", "/b.cfg", { content: `${mark}rate = 9\n` }));
      expect(await hexOf("/b.cfg")).toBe("efbbbf72617465203d20390a");
    }
  });

  it.each([false, true])("insert dollar signs literally (replace all: %s)", async (all) => {
    await plant("/d.js", 'say("x");\n');
    await edit("/d.js", 'say("x");', 'say("$& $$ $1 $` $\'");', all);
    expect(await hexOf("/d.js")).toBe("7361792822242620242420243120246020242722293b0a");
  });

  it("lose none of many changes of one file in one turn", async () => {
    const letters = [..."abcdefgh"];
    await plant("/f", letters.join("\n"));
    const answers = await Promise.all([
      ...letters.map((letter) => edit("/f", letter, letter.toUpperCase())),
      call("write", at("write", "/f", { content: "\nend", append: true })),
    ]);
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set(["success"]));
    expect(await hexOf("/f")).toBe(Buffer.from("A\nB\nC\nD\nE\nF\nG\nH\nend").toString("hex"));
  });

  it("delete files and folders, say what went, and never the root", async () => {
    await plant("/d/a", "1");
    await plant("/d/b", "2");
    expect((await call("delete", at("delete", "/d/a"))).text).toBe("Deleted the file /d/a.");
    expect((await call("delete", at("delete", "/d"))).text).toBe("Deleted the folder /d, which had 1 entry.");
    expect(await files.stat("/d")).toBeUndefined();
    await plant("/kept", "x");
    for (const root of ["/", "//", "/."]) {
      expect(await call("delete", at("delete", root))).toMatchObject({ artifact: { code: "path_denied" } });
    }
    expect(await files.stat("/kept")).toBeDefined();
  });

  it("replace what may be written and not read, but neither add to it nor change a part of it", async () => {
    await plant("/secret", "old");
    const options = { files: withoutReading() };
    const append = at("write", "/secret", { content: "more", append: true });
    expect((await call("write", append, options)).artifact.code).toBe("path_forbidden");
    expect((await call("edit", at("edit", "/secret"), options)).artifact.code).toBe("path_forbidden");
    expect((await call("write", at("write", "/secret"), options)).text).toBe("Wrote /secret (1 byte).");
    expect(await hexOf("/secret")).toBe("78");
  });

  it("answer what nobody foresaw without its message, and log it; an interrupt passes", async () => {
    const broken = (error: unknown): FileBackend => {
      const fail = async () => {
        throw error;
      };
      return { id: "broken", list: fail, stat: fail, read: fail, write: fail, remove: fail };
    };
    const logger = { ...silentLogger, warn: vi.fn() };
    for (const kind of KINDS) {
      const answer = await call(kind, at(kind, "/x"), {
        files: broken(new Error(`ENOENT at ${host}/x`)),
        logger,
      });
      expect(answer.status).toBe("error");
      expect(answer.text).toMatch(/failed inside.*(Try once more|go on without)/);
    }
    expect(logger.warn).toHaveBeenCalledTimes(KINDS.length);
    const stateless = await call("read", at("read", "/x"), {
      files: broken(new DeerflowError("graph_state_missing")),
    });
    expect(stateless.text).toContain("no graph is running here");
    await expect(
      call("read", at("read", "/x"), { files: broken(new GraphInterrupt([])) }),
    ).rejects.toBeInstanceOf(GraphInterrupt);
  });

  /** Reads on as the notices say, and puts the text together. */
  async function readThrough(path: string): Promise<{ text: string; sizes: readonly number[] }> {
    let text = "";
    const sizes: number[] = [];
    let next: Record<string, number> = {};
    for (let turn = 0; turn < 50; turn += 1) {
      const answer = await call("read", at("read", path, next));
      sizes.push(answer.text.length);
      const notice = /\n?\[[^\n]*Go on (?:in it )?with ([^\n]*)\.\]$/.exec(answer.text);
      const page = notice === null ? answer.text : answer.text.slice(0, notice.index);
      text += dialect === "deerflow" ? page : unnumbered(page);
      if (notice === null) return { text, sizes };
      next = Object.fromEntries(
        [...(notice[1] ?? "").matchAll(/(\w+)=(\d+)/g)].map(([, name, value]) => [name, Number(value)]),
      );
      const isNewLine = next["line_offset"] === undefined;
      if (isNewLine) text += "\n";
    }
    throw new Error("The notices never come to an end.");
  }
  const unnumbered = (page: string) =>
    page
      .split("\n")
      .map((row) => /^ *(\d+)(\.\d+)? {2}(.*)$/.exec(row))
      .map((row, index) => `${index > 0 && row?.[2] === undefined ? "\n" : ""}${row?.[3]}`)
      .join("");

  it.each([
    ["five lines of 40,000 characters", [..."abcde"].map((letter) => letter.repeat(40_000)).join("\n")],
    ["one line of 200,000", Array.from({ length: 40_000 }, (_, index) => String(10_000 + index)).join("")],
    ["a line of characters that take two units each", "𝒳𝒴".repeat(40_000)],
    [
      "short and long lines",
      Array.from({ length: 60 }, (_, index) => `${index}`.repeat(index * 100)).join("\n"),
    ],
  ])("read %s through to the end by following the notices", async (_, content) => {
    await plant("/long", content);
    const { text, sizes } = await readThrough("/long");
    expect(text.length).toBe(content.length);
    expect(text === content).toBe(true);
    expect(Math.max(...sizes)).toBeLessThan(50_300);
    if (dialect === "deepagents") expect(Math.max(...sizes)).toBeLessThan(50_000);
  });
});
