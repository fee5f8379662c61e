import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mariadbIsHere, type OwnMariadb, startOwnMariadb } from "./own-mariadb.js";

describe.skipIf(!mariadbIsHere())("a MariaDB of a suite's own", () => {
  let server: OwnMariadb;
  beforeAll(async () => {
    server = await startOwnMariadb({ settings: ["--max-allowed-packet=1M"] });
  });
  afterAll(() => server?.remove());

  it("keeps what was committed when it is stopped, and when it is killed", async () => {
    await server.query("CREATE DATABASE kept");
    await server.query("CREATE TABLE kept.numbers (number INTEGER)");
    await server.stop();
    await expect(server.query("SELECT 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await server.start();
    await server.query("INSERT INTO kept.numbers VALUES (7)");
    await server.kill();
    await server.start(["--read-only"]);
    expect(await server.query("SELECT number, @@read_only AS closed FROM kept.numbers")).toEqual([
      { number: 7, closed: 1 },
    ]);
  });

  it("has the settings that it was made with at every start", async () => {
    expect(await server.query("SELECT @@max_allowed_packet AS bytes")).toEqual([{ bytes: 1024 * 1024 }]);
  });
});
