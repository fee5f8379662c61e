import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { Kysely } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { mariadbIsHere, type OwnMariadb, startOwnMariadb } from "../../testing/own-mariadb.js";
import { SELF_SIGNED } from "../../testing/self-signed.js";
import type { SqlDatabase, SqlSession } from "../sql/contract.js";
import type { Sleep } from "../sql/retries.js";
import { openMysql } from "./open-mysql.js";

const MIB = 1024 * 1024;
const PROBE = "CREATE TABLE IF NOT EXISTS probe (id BIGINT PRIMARY KEY, data LONGBLOB)";
const works = mariadbIsHere();

/** What anyone could see of an error: message, stack, details and causes. */
const shownOf = (error: unknown): string => inspect(error, { depth: 10, showHidden: true });

const failureOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => new Error("nothing failed"),
    (error: unknown) => error,
  );

const insert = (session: SqlSession, id: number) =>
  session.run("INSERT INTO probe (id) VALUES (?) ON DUPLICATE KEY UPDATE id = id", [id]);
const idsIn = async (database: SqlDatabase) =>
  (await database.read((session) => session.all("SELECT id FROM probe ORDER BY id"))).map(({ id }) => id);

describe.skipIf(!works)("a database on a MySQL server that fails", () => {
  let server: OwnMariadb;
  let database: SqlDatabase;
  let pauses: number[];
  /** What happens while a try is waited for. */
  let whilePausing: (tries: number) => Promise<void>;

  const sleep: Sleep = async (pause) => {
    pauses.push(pause);
    await whilePausing(pauses.length);
  };
  const open = (login?: string) => openMysql({ backend: "mysql", url: server.url("deer", login) }, { sleep });
  /** Numbers of the connections that `deer` has from here. */
  const connectionIds = async () =>
    (await server.query("SELECT id FROM information_schema.processlist WHERE db = 'deer'")).map(
      ({ id }) => id,
    );

  beforeAll(async () => {
    server = await startOwnMariadb();
    await server.query("CREATE USER writer@'%' IDENTIFIED BY 'se-cret'");
    await server.query("GRANT ALL ON deer.* TO writer@'%'");
    await server.query("CREATE USER guest@'%' IDENTIFIED BY 'se-cret'");
  });
  beforeEach(async () => {
    pauses = [];
    whilePausing = async () => undefined;
    database = await open();
    await database.write((session) => session.run(PROBE));
  });
  afterEach(async () => {
    await server.start();
    await database.close();
    await server.query("DROP DATABASE deer");
  });
  afterAll(() => server?.remove());

  describe("when it is opened", () => {
    it.each([
      ["a wrong password", "writer:se-cret-2", "deer", /^Access denied for user 'writer'/],
      ["an unknown user", "nobody:se-cret", "deer", /^Access denied for user 'nobody'/],
      ["a database that is not the user's", "guest:se-cret", "deer", /^Access denied for user 'guest'/],
      ["a database that the user may not make", "writer:se-cret", "deer2", /^Access denied for .* 'deer2'/],
    ])("says %s, and never the password", async (_name, login, name, reason) => {
      const error = await failureOf(openMysql({ backend: "mysql", url: server.url(name, login) }));
      const path = `mysql://${login.split(":")[0]}@127.0.0.1:${server.port}/${name}`;
      const details = { path, reason: expect.stringMatching(reason) };
      expect(error).toMatchObject({ code: "database_login_failed", details });
      expect(shownOf(error)).not.toContain("se-cret");
    });

    it("says that it may not make a database that it would be let into", async () => {
      await server.query("CREATE USER hopeful@'%' IDENTIFIED BY 'se-cret'");
      await server.query("GRANT SELECT ON hoped.* TO hopeful@'%'");
      const error = await failureOf(
        openMysql({ backend: "mysql", url: server.url("hoped", "hopeful:se-cret") }),
      );
      const reason = /^there is no such database, and this user may not make it: Access denied/;
      expect(error).toMatchObject({
        code: "database_login_failed",
        details: { reason: expect.stringMatching(reason) },
      });
      expect(shownOf(error)).not.toContain("se-cret");
    });

    it("says what a user may not do who may only read", async () => {
      await server.query("CREATE USER reader@'%' IDENTIFIED BY 'se-cret'");
      await server.query("GRANT SELECT ON deer.* TO reader@'%'");
      const reading = await open("reader:se-cret");
      expect(await idsIn(reading)).toEqual([]);
      await expect(reading.write((session) => insert(session, 1))).rejects.toMatchObject({
        code: "database_forbidden",
      });
      await reading.close();
    });

    it("says at once that nothing answers", async () => {
      const url = "mysql://writer:se-cret@127.0.0.1:9/deer";
      const error = await failureOf(openMysql({ backend: "mysql", url }, { sleep }));
      expect(error).toMatchObject({
        code: "database_unreachable",
        details: { path: "mysql://writer@127.0.0.1:9/deer", reason: "connect ECONNREFUSED 127.0.0.1:9" },
      });
      expect(shownOf(error)).not.toContain("se-cret");
      expect(pauses).toEqual([]);
    });

    it("is encrypted where that is asked for, or not opened", async () => {
      const folder = mkdtempSync(join(tmpdir(), "deerflow-mariadb-tls-"));
      const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
      writeFileSync(cert, SELF_SIGNED.cert);
      writeFileSync(key, SELF_SIGNED.key);
      if (process.getuid?.() === 0) execFileSync("chown", ["-R", "mysql", folder]);
      const openWith = (parameters: string) =>
        openMysql({ backend: "mysql", url: `${server.url("deer", "writer:se-cret")}?${parameters}` });
      const refused = { code: "database_unreachable" };
      await expect(openWith("ssl-mode=required")).rejects.toMatchObject(refused);
      await server.stop();
      await server.start([`--ssl-cert=${cert}`, `--ssl-key=${key}`]);
      for (const parameters of ["ssl-mode=required", `ssl-ca=${cert}`]) {
        const encrypted = await openWith(parameters);
        const status = await encrypted.read((session) => session.all("SHOW STATUS LIKE 'Ssl_version'"));
        expect(status[0]?.["Value"]).toMatch(/^TLS/);
        await encrypted.close();
      }
      // Nobody known has signed it; and it is another host's.
      await expect(openWith("ssl-mode=verify_ca")).rejects.toMatchObject(refused);
      await expect(openWith(`ssl-ca=${cert}&ssl-mode=verify_identity`)).rejects.toMatchObject(refused);
      await server.stop();
      rmSync(folder, { recursive: true });
    });
  });

  describe("when connections end", () => {
    it("takes others, unseen, for those that the server closed because they rested", async () => {
      await server.query("SET GLOBAL wait_timeout = 1");
      const resting = await open();
      await Promise.all([1, 2, 3].map(() => resting.read((session) => session.all("SELECT SLEEP(0.05)"))));
      const others = await database.read((session) => session.all("SELECT CONNECTION_ID() AS id"));
      await server.query("SET GLOBAL wait_timeout = 28800");
      await expect.poll(connectionIds).toEqual(others.map(({ id }) => id));
      await Promise.all([resting.write((session) => insert(session, 1)), idsIn(resting), idsIn(resting)]);
      const kysely = new Kysely<{ probe: { id: number } }>({ dialect: resting.dialect });
      await kysely.insertInto("probe").values({ id: 2 }).execute();
      expect(await idsIn(resting)).toEqual([1, 2]);
      expect(pauses).toEqual([]);
      await resting.close();
    });

    it("looks first at a connection that rested for long, where its end was not noticed", async () => {
      const before = await database.read((session) => session.all("SELECT CONNECTION_ID() AS id"));
      const now = performance.now();
      const clock = vi.spyOn(performance, "now").mockImplementation(() => now + 60_000);
      const pings = () =>
        database.read((session) => session.all("SHOW SESSION STATUS LIKE 'Com_admin_commands'"));
      expect(Number((await pings())[0]?.["Value"])).toBe(1);
      clock.mockRestore();
      expect(await database.read((session) => session.all("SELECT CONNECTION_ID() AS id"))).toEqual(before);
    });

    it("runs work again whose connection was killed, and it is done once", async () => {
      let tries = 0;
      await database.write(async (session) => {
        tries += 1;
        await insert(session, tries);
        if (tries > 1) return;
        const [row] = await session.all("SELECT CONNECTION_ID() AS id");
        await server.query(`KILL CONNECTION ${Number(row?.["id"])}`);
        await insert(session, 99);
      });
      expect(await idsIn(database)).toEqual([2]);
      expect(pauses).toHaveLength(1);
    });

    it("reads again after a connection was killed, also through the query builder", async () => {
      await database.write((session) => insert(session, 1));
      for (const id of await connectionIds()) await server.query(`KILL CONNECTION ${Number(id)}`);
      expect(await idsIn(database)).toEqual([1]);
      const kysely = new Kysely<{ probe: { id: number } }>({ dialect: database.dialect });
      for (const id of await connectionIds()) await server.query(`KILL CONNECTION ${Number(id)}`);
      expect(await kysely.selectFrom("probe").select("id").execute()).toEqual([{ id: 1 }]);
    });

    it("loses its rows to others while it is frozen amid a write, and does the write again", async () => {
      await database.write((session) => insert(session, 1));
      let tries = 0;
      await database.write(async (session) => {
        tries += 1;
        await session.run("SET SESSION idle_transaction_timeout = 1");
        await session.run("UPDATE probe SET data = ? WHERE id = ?", [new Uint8Array([tries]), 1]);
        if (tries > 1) return;
        // No statement comes while it is frozen; another one gets the row.
        const other = await open();
        await other.write((theirs) => theirs.run("UPDATE probe SET data = '' WHERE id = ?", [1]));
        await other.close();
      });
      expect(tries).toBe(2);
      const rows = await database.read((session) => session.all("SELECT data FROM probe"));
      expect(rows).toEqual([{ data: new Uint8Array([2]) }]);
    });

    it("does not make a change twice through the query builder: it says that the connection broke", async () => {
      const kysely = new Kysely<{ probe: { id: number } }>({ dialect: database.dialect });
      const broken = kysely.transaction().execute(async (transaction) => {
        await transaction.insertInto("probe").values({ id: 1 }).execute();
        for (const id of await connectionIds()) await server.query(`KILL CONNECTION ${Number(id)}`);
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
      const kysely = new Kysely<{ probe: { id: number } }>({ dialect: database.dialect });
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
    const writing = await open("writer:se-cret");
    await writing.write((session) => insert(session, 1));
    await server.query("SET GLOBAL read_only = ON");
    const refused = writing.write((session) => insert(session, 2));
    await expect(refused).rejects.toMatchObject({ code: "database_read_only" });
    expect(await idsIn(writing)).toEqual([1]);
    const reading = await open("writer:se-cret");
    expect(await idsIn(reading)).toEqual([1]);
    await reading.close();
    await server.query("SET GLOBAL read_only = OFF");
    await writing.write((session) => insert(session, 3));
    expect(await idsIn(writing)).toEqual([1, 3]);
    expect(pauses).toEqual([]);
    await writing.close();
  });
});

/** A disk of its own for a server, so that it can be filled. */
function mountSmallDisk(megabytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), "deerflow-small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "none", folder], { stdio: "ignore" });
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
}

function removeDisk(folder: string): void {
  execFileSync("umount", [folder]);
  rmSync(folder, { recursive: true });
}

function canMount(): boolean {
  try {
    removeDisk(mountSmallDisk(1));
    return true;
  } catch {
    process.stderr.write("The tests on a full disk of MariaDB are skipped: no disk can be mounted.\n");
    return false;
  }
}

describe.skipIf(!works || !canMount())("a database on a MySQL server whose disk is full", () => {
  let server: OwnMariadb;
  let database: SqlDatabase;
  let folder: string;
  let ballast: string;

  beforeAll(async () => {
    folder = mountSmallDisk(96);
    ballast = join(folder, "ballast");
    server = await startOwnMariadb({ folder });
  });
  beforeEach(async () => {
    await server.start();
    database = await openMysql(
      { backend: "mysql", url: server.url("deer") },
      { sleep: async () => undefined },
    );
    await database.write((session) => session.run(PROBE));
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - 16 * MIB));
  });
  afterEach(async () => {
    await database.close();
    await server.query("DROP DATABASE deer");
  });
  afterAll(async () => {
    await server?.remove();
    removeDisk(folder);
  });

  /** Stores rows of a size, ten at a time, until that fails. */
  async function fill(bytes: number): Promise<{ kept: number; error: unknown }> {
    for (let kept = 0; ; kept += 10) {
      const ten = database.write(async (session) => {
        for (let id = kept + 1; id <= kept + 10; id += 1) {
          await session.run("INSERT INTO probe VALUES (?, ?)", [id, new Uint8Array(bytes).fill(id % 256)]);
        }
      });
      const error = await ten.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error !== undefined) return { kept, error };
    }
  }
  const countWhole = async (bytes: number) => {
    const sql = "SELECT COUNT(*) AS count FROM probe WHERE data = REPEAT(CHAR(id % 256), ?)";
    return (await database.read((session) => session.all(sql, [bytes])))[0]?.["count"];
  };

  it("says so, undoes the write, keeps what was there, and goes on when there is room", async () => {
    const { kept, error } = await fill(4_000);
    expect(error).toMatchObject({ code: "database_full", details: { reason: "The table 'probe' is full" } });
    expect(kept).toBeGreaterThan(100);
    expect(await countWhole(4_000)).toBe(kept);
    rmSync(ballast);
    await database.write((session) => insert(session, 0));
    expect(await idsIn(database)).toHaveLength(kept + 1);
  });

  it("has lost nothing where the server gave itself up over a large row", async () => {
    // MariaDB 10.11 ends its own process when it has no room to undo a row that lies on pages of its own.
    const { kept, error } = await fill(MIB / 2);
    expect(error).toMatchObject({ code: expect.stringMatching(/^database_(full|unreachable)$/) });
    rmSync(ballast);
    await server.kill();
    await server.start();
    expect(await countWhole(MIB / 2)).toBe(kept);
    expect(await idsIn(database)).toHaveLength(kept);
    await database.write((session) => insert(session, 0));
  });
});
