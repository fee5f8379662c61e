import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compiledFolder, compileRooms } from "../../testing/compile-rooms.js";
import { testDatabases } from "../../testing/test-databases.js";
import { PostgresCheckpointSaver } from "./postgres-checkpoint-saver.js";

const FOLDER = compiledFolder("postgres-saver");
const server = (await testDatabases()).find(({ backend }) => backend === "postgres");

describe.skipIf(server === undefined)("the checkpoint saver of PostgreSQL", () => {
  let url = "";
  let options: { schema: string };
  beforeAll(async () => {
    const location = await server?.open();
    if (location?.backend !== "postgres") throw new Error("not a place on PostgreSQL");
    url = location.url;
    options = { schema: location.schema ?? "" };
    compileRooms(["base", "context", "persistence"], FOLDER);
  });
  afterAll(async () => {
    rmSync(FOLDER, { recursive: true, force: true });
    await server?.drop();
  });

  it("keeps a checkpoint over a restart, in a schema that it makes", async () => {
    const config = { configurable: { thread_id: "one 🦌", checkpoint_ns: "" } };
    const messages = [new HumanMessage({ id: "1", content: "a🦌\0" })];
    const checkpoint = {
      ...emptyCheckpoint(),
      channel_values: { messages },
      channel_versions: { messages: 1 },
    };
    const first = PostgresCheckpointSaver.fromConnString(url, options);
    await first.setup();
    await first.put(config, checkpoint, { source: "input", step: -1, parents: {} }, { messages: 1 });
    await first.close();
    const second = PostgresCheckpointSaver.fromConnString(url, options);
    const tuple = await second.getTuple(config);
    expect(tuple?.checkpoint.channel_values["messages"]).toMatchObject([{ id: "1", content: "a🦌\0" }]);
    await second.close();
  });

  it("says at once that an address is not valid, and never shows it", () => {
    expect(() => PostgresCheckpointSaver.fromConnString("postgres://me:se-cret@host?ssl=maybe")).toThrow(
      expect.objectContaining({
        code: "database_address_invalid",
        message: expect.not.stringContaining("se-cret"),
      }),
    );
  });

  it("lets a program end that has not closed it", () => {
    const module = JSON.stringify(join(FOLDER, "persistence/postgres/postgres-checkpoint-saver.js"));
    const program = `
      const { PostgresCheckpointSaver } = await import(${module});
      const saver = PostgresCheckpointSaver.fromConnString(${JSON.stringify(url)}, ${JSON.stringify(options)});
      await saver.setup();
      console.log("done");`;
    const ended = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: FOLDER,
      encoding: "utf8",
      timeout: 30_000,
    });
    expect(ended).toMatchObject({ status: 0, stdout: "done\n", stderr: "" });
  });
});
