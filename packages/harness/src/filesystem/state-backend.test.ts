import { MemorySaver, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { fileBackendSuite } from "../testing/file-backend-suite.js";
import { type FileData, fileDataOf } from "./file-data.js";
import { filesChannel } from "./files-channel.js";
import { StateBackend } from "./state-backend.js";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const code = (code: string) => expect.objectContaining({ code });
const schema = () => new StateSchema({ files: filesChannel });
const file = (text: string): FileData => fileDataOf(bytes(text), { now: 0 });

/** A graph of one node that does `work` in each run. */
function graphOf(work: () => Promise<void>, checkpointer?: MemorySaver) {
  return new StateGraph(schema())
    .addNode("work", async () => {
      await work();
      return {};
    })
    .addEdge(START, "work")
    .compile(checkpointer === undefined ? {} : { checkpointer });
}

const inside = async (work: () => Promise<void>, files: Readonly<Record<string, FileData>> = {}) =>
  (await graphOf(work).invoke({ files })).files;

fileBackendSuite("StateBackend within one step", async () => ({
  files: new StateBackend(),
  root: "/",
  run: async (test) => {
    await inside(test);
  },
}));

describe("StateBackend", () => {
  const files = new StateBackend();

  it("says so where no graph runs, instead of crashing", async () => {
    const missing = code("graph_state_missing");
    await expect(files.list("/")).rejects.toEqual(missing);
    await expect(files.stat("/a")).rejects.toEqual(missing);
    await expect(files.read("/a")).rejects.toEqual(missing);
    await expect(files.write("/a", bytes("x"))).rejects.toEqual(missing);
    await expect(files.remove("/a")).rejects.toEqual(missing);
    expect(files.id).toBe("state");
  });

  it("says so where the state has no files, instead of losing what is written", async () => {
    const graph = new StateGraph(new StateSchema({ note: filesChannel }))
      .addNode("work", async () => {
        await files.write("/a", bytes("x"));
        return {};
      })
      .addEdge(START, "work")
      .compile();
    await expect(graph.invoke({})).rejects.toEqual(code("graph_field_missing"));
  });

  it("leaves the files that it does not write as they are", async () => {
    const before = { "/a": file("a"), "/b": file("b") };
    const after = await inside(async () => {
      await files.write("/b", bytes("new"));
    }, before);
    expect(after).toMatchObject({ "/a": before["/a"], "/b": { content: "new" } });
    expect(Object.keys(after)).toEqual(["/a", "/b"]);
  });

  it("counts changes, and keeps when a file was created", async () => {
    const clock = { now: () => Date.UTC(2026, 0, 1) };
    const dated = new StateBackend({ clock });
    const after = await inside(
      async () => {
        await dated.write("/a", bytes("1"));
        await dated.write("/a", bytes("2"));
      },
      { "/a": { ...file("0"), revision: 7 } },
    );
    expect(after["/a"]).toEqual({
      content: "2",
      encoding: "utf-8",
      created_at: "1970-01-01T00:00:00.000Z",
      modified_at: "2026-01-01T00:00:00.000Z",
      revision: 9,
    });
  });

  it("stores what is no text as base64", async () => {
    const after = await inside(async () => {
      await files.write("/a", Uint8Array.from([255, 0]));
    });
    expect(after["/a"]).toMatchObject({ encoding: "base64", content: "/wA=" });
  });

  it("reads what older versions and deepagents stored", async () => {
    const given = {
      "/lines": { content: ["one", "two"] },
      "/bytes": { content: { 0: 104, 1: 105 }, mimeType: "image/png" },
      // The cast stands for a checkpoint that somebody else wrote.
    } as unknown as Record<string, FileData>;
    const seen: unknown[] = [];
    await inside(async () => {
      for (const path of ["/lines", "/bytes"]) {
        seen.push(Buffer.from((await files.read(path))?.bytes ?? []).toString());
      }
      seen.push((await files.list("/")).map(({ path, size }) => [path, size]));
    }, given);
    expect(seen).toEqual([
      "one\ntwo",
      "hi",
      [
        ["/bytes", 2],
        ["/lines", 7],
      ],
    ]);
  });

  it("lists an entry that is no file, says so when it is read, and lets it be replaced or removed", async () => {
    const broken = { content: 5 } as unknown as FileData;
    const after = await inside(
      async () => {
        expect(await files.list("/")).toMatchObject([{ path: "/one" }, { path: "/two" }]);
        await expect(files.read("/one")).rejects.toEqual(code("stored_file_invalid"));
        await files.write("/one", bytes("mended"));
        expect(await files.remove("/two")).toBe(true);
      },
      { "/one": broken, "/two": broken },
    );
    expect(after).toMatchObject({ "/one": { content: "mended" } });
    expect(Object.keys(after)).toEqual(["/one"]);
  });

  it("names the thread in its id, or the step where there is no thread", async () => {
    const ids: string[] = [];
    const look = async () => {
      ids.push(files.id);
    };
    const graph = graphOf(look, new MemorySaver());
    for (const thread_id of ["one", "one", "two"]) await graph.invoke({}, { configurable: { thread_id } });
    await graphOf(look).invoke({});
    await graphOf(look).invoke({});
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(4);
    expect(ids[0]).toContain("one");
  });

  it("keeps two threads of one graph apart", async () => {
    const seen: number[] = [];
    const graph = graphOf(async () => {
      seen.push((await files.list("/")).length);
      await files.write("/a", bytes("x"), { expectedVersion: null });
    }, new MemorySaver());
    await Promise.all(
      ["one", "two", "three"].map((thread_id) => graph.invoke({}, { configurable: { thread_id } })),
    );
    expect(seen).toEqual([0, 0, 0]);
  });

  it("forgets what a node wrote when the node is tried again", async () => {
    let tries = 0;
    const graph = new StateGraph(schema())
      .addNode(
        "work",
        async () => {
          tries += 1;
          await files.write("/a", bytes(`try ${tries}`), { expectedVersion: null });
          if (tries === 1) throw new Error("try again");
          return {};
        },
        { retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false, logWarning: false } },
      )
      .addEdge(START, "work")
      .compile();
    expect(await graph.invoke({})).toMatchObject({ files: { "/a": { content: "try 2", revision: 1 } } });
  });
});
