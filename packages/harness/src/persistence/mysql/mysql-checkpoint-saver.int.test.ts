import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compiledFolder, compileRooms } from "../../testing/compile-rooms.js";
import { testDatabases } from "../../testing/test-databases.js";
import { MySqlCheckpointSaver } from "./mysql-checkpoint-saver.js";

const FOLDER = compiledFolder("mysql-saver");
const server = (await testDatabases()).find(({ backend }) => backend === "mysql");

describe.skipIf(server === undefined)("the checkpoint saver of MySQL", () => {
  let url = "";
  beforeAll(async () => {
    const location = await server?.open();
    if (location?.backend !== "mysql") throw new Error("not a place on MySQL");
    url = location.url;
    compileRooms(["base", "context", "persistence"], FOLDER);
  });
  afterAll(async () => {
    rmSync(FOLDER, { recursive: true, force: true });
    await server?.drop();
  });

  it("keeps a checkpoint over a restart, in a database that it makes", async () => {
    const config = { configurable: { thread_id: "one 🦌", checkpoint_ns: "" } };
    const messages = [new HumanMessage({ id: "1", content: "a🦌\0" })];
    const checkpoint = {
      ...emptyCheckpoint(),
      channel_values: { messages },
      channel_versions: { messages: 1 },
    };
    const first = MySqlCheckpointSaver.fromConnString(url);
    await first.setup();
    await first.put(config, checkpoint, { source: "input", step: -1, parents: {} }, { messages: 1 });
    await first.close();
    const second = MySqlCheckpointSaver.fromConnString(url);
    const tuple = await second.getTuple(config);
    expect(tuple?.checkpoint.channel_values["messages"]).toMatchObject([{ id: "1", content: "a🦌\0" }]);
    await second.close();
  });

  it("says at once that an address is not valid, and never shows it", () => {
    expect(() => MySqlCheckpointSaver.fromConnString("mysql://me:se-cret@host")).toThrow(
      expect.objectContaining({
        code: "database_address_invalid",
        message: expect.not.stringContaining("se-cret"),
      }),
    );
  });

  it("lets a program end that has not closed it", () => {
    const module = JSON.stringify(join(FOLDER, "persistence/mysql/mysql-checkpoint-saver.js"));
    const program = `
      const { MySqlCheckpointSaver } = await import(${module});
      const saver = MySqlCheckpointSaver.fromConnString(${JSON.stringify(url)});
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
