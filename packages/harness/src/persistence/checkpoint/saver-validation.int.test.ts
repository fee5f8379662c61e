/** LangGraph's own validation of checkpoint savers: 726 cases for each of ours. */
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { afterAll, describe } from "vitest";
import { testDatabases } from "../../testing/test-databases.js";
import { openDatabase } from "../sql/open-database.js";
import { DatabaseCheckpointSaver } from "./database-checkpoint-saver.js";

const NAMES = {
  SQLite: "SqliteCheckpointSaver",
  memory: "SqliteCheckpointSaver in memory",
  PostgreSQL: "PostgresCheckpointSaver",
  MySQL: "MySqlCheckpointSaver",
};

describe.each(await testDatabases())("$name", ({ name, open, drop }) => {
  afterAll(drop);
  const initializer = {
    checkpointerName: NAMES[name],
    createCheckpointer: async () => {
      const location = await open();
      return new DatabaseCheckpointSaver({ name, open: () => openDatabase(location) }, { scope: "local" });
    },
    destroyCheckpointer: (saver: DatabaseCheckpointSaver) => saver.close(),
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
});
