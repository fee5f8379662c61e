import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { Kysely } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type OwnPostgres, postgresIsHere, startOwnPostgres } from "../../testing/own-postgres.js";
import type { SqlDatabase, SqlSession } from "../sql/contract.js";
import type { Sleep } from "../sql/retries.js";
import { openPostgres } from "./open-postgres.js";

interface ProbeSchema {
  probe: { id: number };
}

const PROBE = "CREATE TABLE IF NOT EXISTS probe (id BIGINT PRIMARY KEY, data BYTEA)";
const works = postgresIsHere();

/** What anyone could see of an error: message, stack, details and causes. */
const shownOf = (error: unknown): string => inspect(error, { depth: 10, showHidden: true });

const failureOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => new Error("nothing failed"),
    (error: unknown) => error,
  );

const insert = (session: SqlSession, id: number) =>
  session.run("INSERT INTO probe (id) VALUES (?) ON CONFLICT DO NOTHING", [id]);
const idsIn = async (database: SqlDatabase) =>
  (await database.read((session) => session.all("SELECT id FROM probe ORDER BY id"))).map(({ id }) => id);

describe.skipIf(!works)("a database on a PostgreSQL server that fails", () => {
  let server: OwnPostgres;
  let database: SqlDatabase;
  let pauses: number[];
  /** What happens while a try is waited for. */
  let whilePausing: (tries: number) => Promise<void>;

  const sleep: Sleep = async (pause) => {
    pauses.push(pause);
    await whilePausing(pauses.length);
  };
  const open = (login = "writer:se-cret", schema = "deer") =>
    openPostgres({ backend: "postgres", url: server.url("deer", login), schema }, { sleep });
  const endConnections = () =>
    server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'deer'");

  beforeAll(async () => {
    server = await startOwnPostgres();
    await server.query("CREATE ROLE writer LOGIN PASSWORD 'se-cret'");
    await server.query("CREATE ROLE guest LOGIN PASSWORD 'se-cret'");
    await server.query("CREATE ROLE closed PASSWORD 'se-cret'");
  });
  beforeEach(async () => {
    pauses = [];
    whilePausing = async () => undefined;
    await server.query("CREATE DATABASE deer OWNER writer");
    database = await open();
    await database.write((session) => session.run(PROBE));
  });
  afterEach(async () => {
    await server.start();
    await database.close();
    await server.query("DROP DATABASE deer WITH (FORCE)");
  });
  afterAll(() => server?.remove());

  describe("when it is opened", () => {
    it.each([
      ["a wrong password", "writer:se-cret-2", "deer", 'password authentication failed for user "writer"'],
      ["an unknown user", "nobody:se-cret", "deer", 'password authentication failed for user "nobody"'],
      ["no password", "writer", "deer", /^SASL: .*password must be a string/],
      ["a user who may not log in", "closed:se-cret", "deer", 'role "closed" is not permitted to log in'],
      ["an unknown database", "writer:se-cret", "deer2", 'database "deer2" does not exist'],
    ])("says %s, and never the password", async (_name, login, name, reason) => {
      const url = server.url(name, login);
      const error = await failureOf(openPostgres({ backend: "postgres", url }));
      expect(error).toMatchObject({
        code: "database_login_failed",
        details: {
          path: `postgres://${login.split(":")[0]}@127.0.0.1:${server.port}/${name}`,
          reason: expect.stringMatching(reason),
        },
      });
      expect(shownOf(error)).not.toContain("se-cret");
    });

    it.each([
      ["make a schema", "fawn", /^permission denied for database deer/],
      ["use a schema", "deer", /^permission denied for schema deer/],
    ])("says that the user may not %s", async (_name, schema, reason) => {
      expect(await failureOf(open("guest:se-cret", schema))).toMatchObject({
        code: "database_forbidden",
        details: { reason: expect.stringMatching(reason) },
      });
    });

    it("says at once that nothing answers", async () => {
      const url = "postgres://writer:se-cret@127.0.0.1:9/deer";
      const error = await failureOf(openPostgres({ backend: "postgres", url }, { sleep }));
      expect(error).toMatchObject({
        code: "database_unreachable",
        details: { path: "postgres://writer@127.0.0.1:9/deer", reason: "connect ECONNREFUSED 127.0.0.1:9" },
      });
      expect(shownOf(error)).not.toContain("se-cret");
      expect(pauses).toEqual([]);
    });

    it("says that it cannot be encrypted where that is asked for", async () => {
      const url = `${server.url("deer", "writer:se-cret")}?sslmode=require`;
      const error = await failureOf(openPostgres({ backend: "postgres", url }));
      expect(error).toMatchObject({
        code: "database_unreachable",
        details: { reason: "The server does not support SSL connections" },
      });
      expect(shownOf(error)).not.toContain("se-cret");
    });

    it("uses a schema that its user may use but not make", async () => {
      await server.query("CREATE SCHEMA granted", "deer");
      await server.query("GRANT USAGE, CREATE ON SCHEMA granted TO guest", "deer");
      const granted = await open("guest:se-cret", "granted");
      expect(await granted.size()).toBeGreaterThan(0);
      await granted.close();
    });
  });

  describe("when connections end", () => {
    it("takes others, unseen, for those that ended while they rested", async () => {
      await Promise.all(
        [1, 2, 3].map(() => database.read((session) => session.all("SELECT pg_sleep(0.05)::text"))),
      );
      await endConnections();
      const count = "SELECT count(*)::integer AS count FROM pg_stat_activity WHERE datname = 'deer'";
      await expect.poll(() => server.query(count)).toEqual([{ count: 0 }]);
      await database.write((session) => insert(session, 1));
      const kysely = new Kysely<ProbeSchema>({ dialect: database.dialect });
      await kysely.insertInto("probe").values({ id: 2 }).execute();
      expect(await idsIn(database)).toEqual([1, 2]);
    });

    it("runs work again whose connection was ended, and it is done once", async () => {
      let tries = 0;
      await database.write(async (session) => {
        tries += 1;
        await insert(session, tries);
        if (tries > 1) return;
        await endConnections();
        await insert(session, 99);
      });
      expect(await idsIn(database)).toEqual([2]);
      expect(pauses).toHaveLength(1);
    });

    it("reads again, and begins a transaction again of which nothing was done", async () => {
      await database.write((session) => insert(session, 1));
      let tries = 0;
      const found = await database.read(async (session) => {
        tries += 1;
        if (tries === 1) await endConnections();
        return session.all("SELECT id FROM probe");
      });
      expect(found).toEqual([{ id: 1 }]);
      const kysely = new Kysely<ProbeSchema>({ dialect: database.dialect });
      await server.kill();
      whilePausing = () => server.start();
      await kysely.transaction().execute(async (transaction) => {
        await transaction.insertInto("probe").values({ id: 2 }).execute();
        await transaction.insertInto("probe").values({ id: 3 }).execute();
      });
      expect(await idsIn(database)).toEqual([1, 2, 3]);
    });

    it("does not make a change twice through the query builder: it says that the connection broke", async () => {
      const kysely = new Kysely<ProbeSchema>({ dialect: database.dialect });
      const broken = kysely.transaction().execute(async (transaction) => {
        await transaction.insertInto("probe").values({ id: 1 }).execute();
        await endConnections();
        await transaction.insertInto("probe").values({ id: 2 }).execute();
      });
      await expect(broken).rejects.toMatchObject({ code: "database_unreachable" });
      expect(await idsIn(database)).toEqual([]);
    });
  });

  describe("when it is gone", () => {
    it("goes on when it comes back in the middle of a write", async () => {
      whilePausing = async (tries) => {
        if (tries === 3) await server.start();
      };
      let tries = 0;
      await database.write(async (session) => {
        tries += 1;
        await insert(session, 1);
        if (tries === 1) await server.kill();
        await insert(session, 2);
      });
      expect(await idsIn(database)).toEqual([1, 2]);
      expect(pauses).toHaveLength(3);
    });

    it("gives up after a while, and works again when it is back", async () => {
      await database.write((session) => insert(session, 1));
      await server.stop();
      for (const attempt of [() => idsIn(database), () => database.write((session) => insert(session, 2))]) {
        pauses = [];
        await expect(attempt()).rejects.toMatchObject({
          code: "database_unreachable",
          details: { reason: `connect ECONNREFUSED 127.0.0.1:${server.port}` },
        });
        expect(pauses).toHaveLength(9);
      }
      const kysely = new Kysely<ProbeSchema>({ dialect: database.dialect });
      await expect(kysely.insertInto("probe").values({ id: 3 }).execute()).rejects.toMatchObject({
        code: "database_unreachable",
      });
      await server.start();
      await database.write((session) => insert(session, 4));
      expect(await idsIn(database)).toEqual([1, 4]);
    });

    it("keeps what was committed and nothing else when it is killed under many writers", async () => {
      const done: number[] = [];
      const writers = Array.from({ length: 20 }, async (_, writer) => {
        for (let step = 0; ; step += 1) {
          const id = writer * 1_000_000 + step;
          const outcome = await failureOf(
            database.write((session) => insert(session, id)).then(() => done.push(id)),
          );
          if (!String(outcome).includes("nothing failed")) return;
        }
      });
      await expect.poll(() => done.length).toBeGreaterThan(60);
      await server.kill();
      await Promise.all(writers);
      await server.start();
      const kept = await idsIn(database);
      expect(done.filter((id) => !kept.includes(id))).toEqual([]);
      expect(kept.length).toBeLessThanOrEqual(done.length + 20);
    });
  });

  it("says that it is read-only, reads on, is opened as well, and writes again afterwards", async () => {
    await database.write((session) => insert(session, 1));
    await server.stop();
    await server.start(["default_transaction_read_only=on"]);
    const refused = database.write((session) => insert(session, 2));
    await expect(refused).rejects.toMatchObject({ code: "database_read_only" });
    expect(await idsIn(database)).toEqual([1]);
    const reading = await open();
    expect(await idsIn(reading)).toEqual([1]);
    await reading.close();
    await expect(open("writer:se-cret", "new")).rejects.toMatchObject({ code: "database_read_only" });
    await server.stop();
    await server.start();
    await database.write((session) => insert(session, 3));
    expect(await idsIn(database)).toEqual([1, 3]);
  });

  it("says that the disk is full, undoes the write, keeps what was there, and goes on when there is room", async (context) => {
    const disk = smallDisk(server);
    if (disk === undefined) return context.skip();
    try {
      await server.query(`CREATE TABLESPACE small OWNER writer LOCATION '${disk}'`);
      await server.query("ALTER DATABASE deer SET default_tablespace = small");
      const full = await open("writer:se-cret", "full");
      await full.write((session) => session.run(PROBE));
      const store = (id: number) =>
        full.write(async (session) => {
          await insert(session, -id);
          // Random, because the server would store anything else in less.
          await session.run("INSERT INTO probe VALUES (?, ?)", [id, randomBytes(200_000)]);
        });
      let kept = 0;
      const filling = async () => {
        for (;;) {
          await store(kept + 1);
          kept += 1;
        }
      };
      await expect(filling()).rejects.toMatchObject({
        code: "database_full",
        details: { reason: expect.stringContaining("No space left on device") },
      });
      expect(kept).toBeGreaterThan(5);
      expect(await idsIn(full)).toHaveLength(kept * 2);
      execFileSync("mount", ["-o", "remount,size=64m", disk]);
      await store(kept + 1);
      expect(await idsIn(full)).toHaveLength((kept + 1) * 2);
      await full.close();
      await server.query("DROP DATABASE deer WITH (FORCE)");
      await server.query("DROP TABLESPACE small");
      await server.query("CREATE DATABASE deer OWNER writer");
    } finally {
      await server.stop();
      execFileSync("umount", [disk]);
      rmSync(disk, { recursive: true });
    }
  });
});

/** A disk for a part of the server's tables, so that it can be filled; undefined where none can be made. */
function smallDisk({ folder }: OwnPostgres): string | undefined {
  const disk = join(folder, "small-disk");
  mkdirSync(disk);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "none", disk], { stdio: "ignore" });
    execFileSync("chown", ["--reference", folder, disk]);
    return disk;
  } catch {
    process.stderr.write("The test on a full disk of PostgreSQL is skipped: no disk can be mounted.\n");
    rmSync(disk, { recursive: true });
    return undefined;
  }
}
