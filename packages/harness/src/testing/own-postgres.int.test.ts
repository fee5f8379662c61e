import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OwnPostgres, postgresIsHere, startOwnPostgres } from "./own-postgres.js";

describe.skipIf(!postgresIsHere())("a PostgreSQL of a suite's own", () => {
  let server: OwnPostgres;
  beforeAll(async () => {
    server = await startOwnPostgres();
  });
  afterAll(() => server?.remove());

  it("keeps what was committed when it is stopped, and when it is killed", async () => {
    await server.query("CREATE TABLE numbers (number INTEGER)");
    await server.stop();
    await expect(server.query("SELECT 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await server.start();
    await server.query("INSERT INTO numbers VALUES (7)");
    await server.kill();
    await expect(server.query("SELECT 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await server.start(["default_transaction_read_only=on"]);
    expect(await server.query("SELECT number FROM numbers")).toEqual([{ number: 7 }]);
    await expect(server.query("INSERT INTO numbers VALUES (8)")).rejects.toMatchObject({ code: "25006" });
  });
});
