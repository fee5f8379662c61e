import { afterAll, describe } from "vitest";
import { killedClientSuite } from "../../testing/durable-run/killed-client-suite.js";
import { testDatabases } from "../../testing/test-databases.js";

const databases = (await testDatabases()).filter(({ backend }) => backend === "postgres");

describe.each(databases)("on $name", ({ name, open, drop }) => {
  afterAll(drop);
  killedClientSuite(name, open);
});
