import { END, MemorySaver, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../testing/path-spellings.js";
import type { FileData } from "./file-data.js";
import { filesChannel, type FilesState, type FilesUpdate, mergeFiles, newerFile } from "./files-channel.js";

const file = (content: string, revision?: number): FileData => ({
  content,
  encoding: "utf-8",
  created_at: "2026-01-01T00:00:00.000Z",
  modified_at: "2026-01-01T00:00:00.000Z",
  ...(revision === undefined ? {} : { revision }),
});

function randomUpdates(seed: number): readonly FilesUpdate[] {
  const random = seededRandom(seed);
  const next = (below: number) => Math.floor(random() * below);
  const paths = ["/a", "/b", "/__proto__", "__proto__", "constructor"];
  return Array.from({ length: 12 }, (_, index) =>
    Object.fromEntries(
      paths
        .filter(() => next(3) === 0)
        .map((path) => [path, next(4) === 0 ? null : file(`${index}`, next(2) === 0 ? undefined : next(6))]),
    ),
  );
}

describe("the reducer of the files", () => {
  it("merges by path: what an update does not name stays", () => {
    const files = { "/a": file("a"), "/b": file("b") };
    expect(mergeFiles(files, [{ "/b": file("new") }, { "/c": file("c") }])).toEqual({
      "/a": file("a"),
      "/b": file("new"),
      "/c": file("c"),
    });
    expect(files).toEqual({ "/a": file("a"), "/b": file("b") });
  });

  it("deletes with null, lets the later update win, and begins with nothing", () => {
    expect(mergeFiles({ "/a": file("a") }, [{ "/a": null }])).toEqual({});
    expect(mergeFiles({}, [{ "/a": null, "/b": file("b") }])).toEqual({ "/b": file("b") });
    expect(mergeFiles(undefined, [{ "/a": file("1") }, { "/a": file("2") }])).toEqual({ "/a": file("2") });
    expect(mergeFiles({}, [{ "/a": file("1") }, { "/a": null }])).toEqual({});
    expect(mergeFiles({ "/a": file("a") }, undefined)).toEqual({ "/a": file("a") });
  });

  it("keeps the newer of two counted versions, in whichever order they come", () => {
    const [second, third] = [{ "/a": file("2", 2) }, { "/a": file("3", 3) }];
    const before = { "/a": file("1", 1) };
    expect(mergeFiles(before, [second, third])).toEqual(third);
    expect(mergeFiles(before, [third, second])).toEqual(third);
  });

  it("lets an old copy of all files undo nothing, and an update without a count always win", () => {
    const copy = { "/a": file("a", 1), "/b": file("b", 1) };
    const changed = mergeFiles(copy, [{ "/a": file("A", 2) }, { ...copy, "/b": file("B", 2) }]);
    expect(changed).toEqual({ "/a": file("A", 2), "/b": file("B", 2) });
    expect(mergeFiles(changed, [{ "/a": file("restored") }])).toMatchObject({ "/a": file("restored", 3) });
    expect(newerFile(file("x"), file("y", 1))).toEqual(file("y", 1));
  });

  it("gives the same whether updates come one by one, in two parts or together", () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const updates = randomUpdates(seed);
      const start: FilesState = { "/a": file("start", 2) };
      const together = mergeFiles(start, updates);
      const oneByOne = updates.reduce<FilesState>((files, update) => mergeFiles(files, update), start);
      const cut = seed % updates.length;
      const inParts = mergeFiles(mergeFiles(start, updates.slice(0, cut)), updates.slice(cut));
      expect(oneByOne).toEqual(together);
      expect(inParts).toEqual(together);
    }
  });

  it("takes names of every object's own for paths like any other", () => {
    const update = JSON.parse('{"__proto__": {"content": "x"}, "constructor": {"content": "y"}}');
    const merged = mergeFiles({}, [update]);
    expect(Object.keys(merged)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(Reflect.get({}, "content")).toBeUndefined();
    expect(Object.keys(mergeFiles(merged, [{ ["__proto__"]: null }]))).toEqual(["constructor"]);
  });

  it("passes once over a large map, however many updates there are", () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`/f${index}`, file("x", 1)]));
    let reads = 0;
    const counted = new Proxy(many, {
      ownKeys: (target) => {
        reads += 1;
        return Reflect.ownKeys(target);
      },
    });
    const updates = Array.from({ length: 500 }, (_, index) => ({ [`/f${index}`]: file("y", 2) }));
    expect(Object.keys(mergeFiles(counted, updates))).toHaveLength(5000);
    expect(reads).toBe(1);
  });
});

describe("the channel of the files", () => {
  /** A thread with so many steps, each of which adds a file. */
  const saved = async (steps: number) => {
    const checkpointer = new MemorySaver();
    const graph = new StateGraph(new StateSchema({ files: filesChannel }))
      .addNode("write", (state) => ({ files: { [`/${Object.keys(state.files).length}`]: file("x") } }))
      .addEdge(START, "write")
      .addConditionalEdges("write", ({ files }) => (Object.keys(files).length < steps ? "write" : END))
      .compile({ checkpointer });
    const config = { configurable: { thread_id: "t" } };
    await graph.invoke({}, { ...config, recursionLimit: steps + 1 });
    let snapshots = 0;
    for await (const { checkpoint } of checkpointer.list(config)) {
      if ("files" in checkpoint.channel_values) snapshots += 1;
    }
    return { files: (await graph.getState(config)).values.files, snapshots };
  };

  it("stores what changed, and the whole map after every 50 changes only", async () => {
    const few = await saved(49);
    expect(Object.keys(few.files)).toHaveLength(49);
    expect(few.snapshots).toBe(0);
    const many = await saved(110);
    expect(Object.keys(many.files)).toHaveLength(110);
    expect(many.snapshots).toBe(2);
  });

  it("refuses input that is no map of files, and takes nulls", async () => {
    const graph = new StateGraph(new StateSchema({ files: filesChannel }))
      .addNode("nothing", () => ({}))
      .addEdge(START, "nothing")
      .compile();
    for (const files of ["text", 5, { "/a": "text" }, [file("x")]]) {
      await expect(graph.invoke({ files: files as unknown as FilesUpdate })).rejects.toThrow();
    }
    expect(await graph.invoke({ files: { "/a": file("a"), "/b": null } })).toEqual({
      files: { "/a": file("a") },
    });
  });
});
