import { describe } from "vitest";
import { killedServerSuite } from "../../testing/durable-run/killed-server-suite.js";
import { mariadbIsHere, startOwnMariadb } from "../../testing/own-mariadb.js";

describe.runIf(mariadbIsHere())("on a server of its own", () => {
  killedServerSuite({
    name: "MariaDB",
    open: () => startOwnMariadb(),
    locate: (server) => ({ backend: "mysql", url: server.url("deerflow") }),
  });
});
