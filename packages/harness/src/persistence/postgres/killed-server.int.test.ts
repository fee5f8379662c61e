import { describe } from "vitest";
import { killedServerSuite } from "../../testing/durable-run/killed-server-suite.js";
import { postgresIsHere, startOwnPostgres } from "../../testing/own-postgres.js";

describe.runIf(postgresIsHere())("on a server of its own", () => {
  killedServerSuite({
    name: "PostgreSQL",
    open: () => startOwnPostgres(),
    locate: (server) => ({ backend: "postgres", url: server.url() }),
  });
});
