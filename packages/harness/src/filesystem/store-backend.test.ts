import {
  InMemoryStore,
  type LangGraphRunnableConfig,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { HumanMessage } from "@langchain/core/messages";
import { createAgent, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fileBackendSuite } from "../testing/file-backend-suite.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { changeFile } from "./change-file.js";
import { StoreBackend, type StoreNamespace } from "./store-backend.js";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const code = (code: string) => expect.objectContaining({ code });
const NAMESPACE = ["user@example.com", "files"];

fileBackendSuite("StoreBackend", async () => ({
  files: new StoreBackend({ namespace: NAMESPACE, store: new InMemoryStore() }),
  root: "/",
}));

const userOf = (config: LangGraphRunnableConfig): string[] => [
  String(config.configurable?.["user"]),
  "files",
];

/** Runs `work` in a graph that has this store. */
const inside = (store: InMemoryStore | undefined, work: () => Promise<void>, user = "ann") =>
  new StateGraph(new StateSchema({ note: z.string().optional() }))
    .addNode("work", async () => {
      await work();
      return {};
    })
    .addEdge(START, "work")
    .compile(store === undefined ? {} : { store })
    .invoke({ note: "go" }, { configurable: { user } });

describe("StoreBackend", () => {
  it("stores one item a file, under its path, with its times", async () => {
    const store = new InMemoryStore();
    const clock = { now: () => Date.UTC(2026, 0, 1) };
    await new StoreBackend({ namespace: ["files"], store, clock }).write("/a/b", bytes("text"));
    expect((await store.get(["files"], "/a/b"))?.value).toEqual({
      content: "text",
      encoding: "utf-8",
      created_at: "2026-01-01T00:00:00.000Z",
      modified_at: "2026-01-01T00:00:00.000Z",
    });
  });

  it("reads what older versions and deepagents stored", async () => {
    const store = new InMemoryStore();
    await store.put(["files"], "/lines", { content: ["one", "two"] });
    await store.put(["files"], "/bytes", { content: { 0: 104, 1: 105 }, mimeType: "image/png" });
    await store.put(["files"], "/odd", { content: 5 });
    const files = new StoreBackend({ namespace: ["files"], store });
    const textAt = async (path: string) => Buffer.from((await files.read(path))?.bytes ?? []).toString();
    expect(await textAt("/lines")).toBe("one\ntwo");
    expect(await textAt("/bytes")).toBe("hi");
    await expect(files.read("/odd")).rejects.toEqual(code("stored_file_invalid"));
    expect(await files.list("/")).toMatchObject([{ path: "/bytes" }, { path: "/lines" }, { path: "/odd" }]);
  });

  it("finds what lies beyond the first page, and asks for no page twice", async () => {
    const store = new InMemoryStore();
    for (let index = 0; index < 250; index += 1) {
      await store.put(["files"], `/many/${index}`, { content: "x" });
    }
    const offsets: (number | undefined)[] = [];
    const search = store.search.bind(store);
    store.search = (prefix, options) => {
      offsets.push(options?.offset);
      expect(options?.limit).toBe(100);
      return search(prefix, options);
    };
    const files = new StoreBackend({ namespace: ["files"], store });
    expect(await files.list("/many")).toHaveLength(250);
    expect(offsets).toEqual([0, 100, 200]);
    expect(await files.remove("/many")).toBe(true);
    expect(await files.list("/")).toEqual([]);
  });

  it("keeps namespaces apart, also one below another and ones that look alike", async () => {
    const store = new InMemoryStore();
    const namespaces = [["a"], ["a", "b"], ["a.b"], ["a:b"], ["ab"], ["A"]];
    const backends = namespaces.map((namespace) => new StoreBackend({ namespace, store }));
    for (const [index, files] of backends.entries()) await files.write("/f", bytes(`${index}`));
    for (const [index, files] of backends.entries()) {
      expect(Buffer.from((await files.read("/f"))?.bytes ?? []).toString()).toBe(`${index}`);
      expect(await files.list("/")).toHaveLength(1);
    }
    await backends[0]?.remove("/f");
    expect(await backends[1]?.list("/")).toHaveLength(1);
    expect(new Set(backends.map((files) => files.id)).size).toBe(namespaces.length);
  });

  it.each<readonly [string, unknown]>([
    ["no label", []],
    ["an empty label", ["a", ""]],
    ["a label with a space", ["a b"]],
    ["a label with a slash", ["a/b"]],
    ["a label with a line break at its end", ["a\n"]],
    ["a wildcard", ["*"]],
    ["a label that is no text", ["a", 5]],
    ["text instead of a list", "files"],
    ["nothing", undefined],
    ["LangGraph's own first label", ["langgraph", "a"]],
  ])("refuses a namespace with %s, when it is built or asked for it", async (_, given) => {
    const refusal = code("filesystem_options_invalid");
    // The casts stand for callers without types.
    const namespace = given as StoreNamespace;
    const build = () => new StoreBackend({ namespace, store: new InMemoryStore() });
    expect(build).toThrow(refusal);
    const late = new StoreBackend({ namespace: () => given as string[], store: new InMemoryStore() });
    await expect(late.list("/")).rejects.toEqual(refusal);
  });

  it("says so where there is no store", async () => {
    const files = new StoreBackend({ namespace: NAMESPACE });
    await expect(files.read("/a")).rejects.toEqual(code("store_missing"));
    await expect(inside(undefined, async () => void (await files.list("/")))).rejects.toEqual(
      code("store_missing"),
    );
  });

  it("takes the store and the namespace of the run, and keeps users apart", async () => {
    const store = new InMemoryStore();
    const files = new StoreBackend({ namespace: userOf });
    const seen: unknown[] = [];
    for (const user of ["ann", "bob", "ann"]) {
      await inside(
        store,
        async () => {
          seen.push([files.id, (await files.list("/")).length]);
          await files.write("/f", bytes(user));
        },
        user,
      );
    }
    expect(seen).toEqual([
      ["store:ann/files", 0],
      ["store:bob/files", 0],
      ["store:ann/files", 1],
    ]);
    expect(files.id).toBe("store");
  });

  it("loses neither of two edits of one file when two runs make them at once", async () => {
    const store = new InMemoryStore();
    const edit = (old: string, text: string) =>
      inside(store, async () => {
        await changeFile(new StoreBackend({ namespace: userOf }), "/f", (content) => ({
          bytes: bytes(
            Buffer.from(content?.bytes ?? [])
              .toString()
              .replace(old, () => text),
          ),
          told: undefined,
        }));
      });
    const files = new StoreBackend({ namespace: ["ann", "files"], store });
    await files.write("/f", bytes("one two"));
    await Promise.all([edit("one", "ONE"), edit("two", "TWO")]);
    expect(Buffer.from((await files.read("/f"))?.bytes ?? []).toString()).toBe("ONE TWO");
  });

  it("gives the tools of createAgent files that outlive the thread", async () => {
    const store = new InMemoryStore();
    const files = new StoreBackend({ namespace: ["files"] });
    const note = tool(async ({ text }) => files.write("/note", bytes(text)), {
      name: "note",
      description: "Notes.",
      schema: z.object({ text: z.string() }),
    });
    const model = new ScriptedModel([
      { calls: [{ name: "note", args: { text: "kept" } }] },
      { text: "done" },
    ]);
    await createAgent({ model, tools: [note], store }).invoke({ messages: [new HumanMessage("go")] });
    expect((await store.get(["files"], "/note"))?.value).toMatchObject({ content: "kept" });
  });
});
