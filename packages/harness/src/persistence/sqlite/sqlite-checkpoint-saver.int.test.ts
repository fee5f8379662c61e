import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { SqliteCheckpointSaver } from "./sqlite-checkpoint-saver.js";

const initializer = {
  checkpointerName: "SqliteCheckpointSaver",
  createCheckpointer: () => SqliteCheckpointSaver.fromPath(":memory:"),
  destroyCheckpointer: (saver: SqliteCheckpointSaver) => saver.close(),
};

validate(initializer);
deltaChannelHistoryTests(initializer);
