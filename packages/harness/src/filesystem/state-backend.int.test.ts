/** Files in the state, through the checkpoints of a database and of the memory. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BaseCheckpointSaver,
  MemorySaver,
  Send,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KeyedLock } from "../base/keyed-lock.js";
import { SqliteCheckpointSaver } from "../persistence/sqlite/sqlite-checkpoint-saver.js";
import { fileBackendSuite } from "../testing/file-backend-suite.js";
import { changeFile } from "./change-file.js";
import type { FileBackend } from "./contract.js";
import { filesChannel } from "./files-channel.js";
import { StateBackend } from "./state-backend.js";

const config = { configurable: { thread_id: "t" } };
const schema = () => new StateSchema({ files: filesChannel });

/** Each call is a run of its own on one thread, so that what it sees went through the checkpoints. */
function eachCallARun(checkpointer: BaseCheckpointSaver): FileBackend {
  const [files, turns] = [new StateBackend(), new KeyedLock()];
  const call = <T>(work: () => Promise<T>): Promise<T> =>
    turns.hold("thread", async () => {
      let done: { readonly value: T } | undefined;
      const graph = new StateGraph(schema())
        .addNode("work", async () => {
          done = { value: await work() };
          return {};
        })
        .addEdge(START, "work")
        .compile({ checkpointer });
      await graph.invoke({}, config);
      if (done === undefined) throw new Error("the node did not run");
      return done.value;
    });
  return {
    id: "one run a call",
    list: (path, notes) => call(() => files.list(path, notes)),
    stat: (path) => call(() => files.stat(path)),
    read: (path) => call(() => files.read(path)),
    write: (path, content, options) => call(() => files.write(path, content, options)),
    remove: (path) => call(() => files.remove(path)),
  };
}

fileBackendSuite("StateBackend over many runs in memory", async () => ({
  files: eachCallARun(new MemorySaver()),
  root: "/",
}));

fileBackendSuite("StateBackend over many runs in SQLite", async () => {
  const saver = SqliteCheckpointSaver.fromPath(":memory:");
  return { files: eachCallARun(saver), root: "/", close: () => saver.close() };
});

describe("StateBackend with a database", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "deerflow-state-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** So many tasks side by side, each of which replaces its own letter of one file; those in `broken` break off. */
  const edit = async (letters: string, broken: ReadonlySet<string>, isFirst: boolean) => {
    const saver = SqliteCheckpointSaver.fromPath(join(folder, "threads.db"));
    const files = new StateBackend();
    const graph = new StateGraph(schema())
      .addNode("begin", async () => {
        await files.write("/f", Buffer.from(letters));
        return {};
      })
      .addNode("edit", async ({ letter }: { letter: string }) => {
        if (broken.has(letter)) throw new Error("broken");
        await changeFile(files, "/f", (content) => ({
          bytes: Buffer.from(
            Buffer.from(content?.bytes ?? [])
              .toString()
              .replace(letter, () => letter.toUpperCase()),
          ),
          told: undefined,
        }));
        return {};
      })
      .addEdge(START, "begin")
      .addConditionalEdges("begin", () => [...letters].map((letter) => new Send("edit", { letter })), [
        "edit",
      ])
      .compile({ checkpointer: saver });
    try {
      return await graph.invoke(isFirst ? {} : null, config);
    } finally {
      await saver.close();
    }
  };

  it("keeps every edit of a step that broke off twice and went on from the file of the database", async () => {
    await expect(edit("abcdef", new Set("bdf"), true)).rejects.toThrow();
    await expect(edit("abcdef", new Set("d"), false)).rejects.toThrow();
    const { files } = await edit("abcdef", new Set(), false);
    expect(files["/f"]).toMatchObject({ content: "ABCDEF", revision: 7 });
  });
});
