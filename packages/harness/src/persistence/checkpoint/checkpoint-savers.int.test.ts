import { afterAll, describe } from "vitest";
import { checkpointSaverSuite } from "../../testing/checkpoint-saver-suite.js";
import { checkpointStorageSuite } from "../../testing/checkpoint-storage-suite.js";
import { testDatabases } from "../../testing/test-databases.js";
import { openDatabase } from "../sql/open-database.js";

describe.each(await testDatabases())("checkpoints on $name", ({ name, open, drop }) => {
  const openFresh = async () => openDatabase(await open());
  afterAll(drop);
  checkpointSaverSuite(name, openFresh);
  checkpointStorageSuite(name, openFresh);
});
