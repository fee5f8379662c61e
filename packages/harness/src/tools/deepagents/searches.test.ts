import type { ToolMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph";
import { beforeEach, describe, expect, it } from "vitest";
import { StoreBackend } from "../../filesystem/store-backend.js";
import type { Sandbox } from "../../sandbox/contract.js";
import { fullTextOf } from "../define-tool.js";
import { createFileTools, type FileToolsOptions } from "../file-tools.js";

let files: StoreBackend;
const put = (path: string, text = "") => files.write(path, Buffer.from(text));
beforeEach(async () => {
  files = new StoreBackend({ namespace: ["files"], store: new InMemoryStore() });
  await put("/src/a.ts", "one\ntwo\ntwo again\n");
  await put("/src/deep/b.ts", "two\n");
  await put("/src/.hidden.ts", "x\n");
  await put("/.github/ci.yml", "name: two\n");
  await put("/z.md", "");
});

async function call(
  name: string,
  args: Record<string, unknown>,
  options: Partial<FileToolsOptions> = {},
): Promise<ToolMessage> {
  const tools = createFileTools({ files, dialect: "deepagents", ...options });
  return tools.find((tool) => tool.name === name)?.invoke({ type: "tool_call", id: "c", name, args });
}
const textOf = async (...args: Parameters<typeof call>) => (await call(...args)).text;

describe("ls", () => {
  it("gives one sorted path a line, folders with a final slash", async () => {
    expect(await textOf("ls", { path: "/" })).toBe("/.github/\n/src/\n/z.md");
    expect(await textOf("ls", { path: "/src/" })).toBe("/src/.hidden.ts\n/src/a.ts\n/src/deep/");
  });

  it("is cut at an entry, says how many are left out, and keeps the whole in this process", async () => {
    const answer = await call("ls", { path: "/src" }, { limits: { maxListCharacters: 20 } });
    expect(answer.text).toBe("/src/.hidden.ts\n[2 more are not shown. Find them by name with glob.]");
    const almost = await textOf(
      "ls",
      { path: "/src" },
      { limits: { maxListCharacters: 30 }, kinds: ["list"] },
    );
    expect(almost).toBe("/src/.hidden.ts\n/src/a.ts\n[1 more is not shown.]");
    expect(fullTextOf(answer)).toBe("/src/.hidden.ts\n/src/a.ts\n/src/deep/");
    const alone = await textOf(
      "ls",
      { path: "/src" },
      { limits: { maxListCharacters: 20 }, kinds: ["list"] },
    );
    expect(alone).not.toContain("glob");
  });
});

describe("grep in one named file", () => {
  it.each([
    [
      "with a NUL",
      Buffer.from("two\0"),
      "No matches for two under /f.\n[The file is binary, or text in another encoding than UTF-8, and was not searched.]",
    ],
    [
      "in GBK",
      Buffer.from("d6d0b9fa0a", "hex"),
      "No matches for two under /f.\n[The file is not UTF-8 text: what is in another encoding was not found.]",
    ],
    [
      "cut off in a character",
      Buffer.from("two\n\u00e9").subarray(0, 5),
      "/f:\n  1: two\n[The file is not UTF-8 text: what is in another encoding was not found.]",
    ],
    ["in UTF-8, with the stand-in for other bytes", Buffer.from("\ufffd\n"), "No matches for two under /f."],
  ])("says of a file %s what could not be found", async (_what, bytes, text) => {
    await files.write("/f", bytes);
    expect(await textOf("grep", { pattern: "two", path: "/f", output_mode: "content" })).toBe(text);
  });

  it("says nothing of such files in a folder", async () => {
    await files.write("/bin/f", Buffer.from("two\0"));
    expect(await textOf("grep", { pattern: "two", path: "/bin" })).toBe("No matches for two under /bin.");
  });
});

describe("glob", () => {
  it.each([
    ["*.ts", undefined, "/src/.hidden.ts\n/src/a.ts\n/src/deep/b.ts"],
    ["**/*.ts", "/src", "/src/a.ts\n/src/deep/b.ts"],
    ["ci.yml", undefined, "/.github/ci.yml"],
    ["/src/deep/*.ts", undefined, "/src/deep/b.ts"],
    ["/src/a.ts", undefined, "/src/a.ts"],
    ["*.py", "/src", "No files under /src match *.py."],
  ])("finds %s under %s", async (pattern, path, text) => {
    expect(await textOf("glob", { pattern, path })).toBe(text);
  });

  it("takes the root from an absolute pattern", async () => {
    expect((await call("glob", { pattern: "/src/**/*.ts", path: null })).artifact.path).toBe("/src");
    expect(await call("glob", { pattern: "/gone/*.ts" })).toMatchObject({
      artifact: { code: "path_not_found" },
    });
    expect(await call("glob", { pattern: "/src/../*.ts" })).toMatchObject({ status: "error" });
  });

  it("says that there are more, at its number and at its size", async () => {
    const more = "\n[There are more; the first 1 are shown. Narrow the search to see others.]";
    const byCount = { limits: { defaultGlobResults: 1 } };
    expect(await textOf("glob", { pattern: "*.ts" }, byCount)).toBe(`/src/.hidden.ts${more}`);
    const bySize = await call("glob", { pattern: "*.ts" }, { limits: { maxSearchCharacters: 25 } });
    expect(bySize.text).toBe(`/src/.hidden.ts${more}`);
    expect(fullTextOf(bySize)).toBe("/src/.hidden.ts\n/src/a.ts\n/src/deep/b.ts");
  });
});

describe("grep", () => {
  it.each([
    [{}, "/.github/ci.yml\n/src/a.ts\n/src/deep/b.ts"],
    [{ output_mode: "count" }, "/.github/ci.yml: 1\n/src/a.ts: 2\n/src/deep/b.ts: 1"],
    [
      { output_mode: "content", path: "/src" },
      "/src/a.ts:\n  2: two\n  3: two again\n/src/deep/b.ts:\n  1: two",
    ],
    [{ glob: "*.yml" }, "/.github/ci.yml"],
    [{ pattern: "TWO" }, "No matches for TWO under /."],
    [{ max_count: 4 }, "/.github/ci.yml\n/src/a.ts\n/src/deep/b.ts"],
  ])("shows %j", async (args, text) => {
    expect(await textOf("grep", { pattern: "two", ...args })).toBe(text);
  });

  it("stops at its number of lines, and says so only when there are more", async () => {
    const args = { pattern: "two", output_mode: "content", max_count: 1 };
    expect(await textOf("grep", args)).toBe(
      "/.github/ci.yml:\n  1: name: two\n[There are more. Narrow the search to see others.]",
    );
    for (const max_count of [0, -1]) {
      expect(await call("grep", { pattern: "two", max_count })).toMatchObject({
        status: "error",
        artifact: { code: "arguments_invalid" },
      });
    }
  });

  it("is literal, and says so when a pattern looks like something else and finds nothing", async () => {
    await put("/regex.txt", "a.*b\n");
    expect(await textOf("grep", { pattern: "a.*b" })).toBe("/regex.txt");
    for (const pattern of ["one|two", "t.*o", "o.+e", "\\d"]) {
      const text = await textOf("grep", { pattern });
      expect(text).toContain("taken literally");
      expect(text).not.toContain("execute");
    }
    expect(await textOf("grep", { pattern: "one|two" }, { shell: {} as Sandbox })).toContain("execute");
    expect(await textOf("grep", { pattern: "missing" })).not.toContain("literally");
  });

  it("refuses modes that it has not", async () => {
    expect(await call("grep", { pattern: "two", output_mode: "lines" })).toMatchObject({ status: "error" });
  });
});
