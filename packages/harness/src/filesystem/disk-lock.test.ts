import { chmod, mkdir, mkdtemp, readdir, readlink, rm, symlink } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../base/hash.js";
import { processIdentity } from "../base/process-identity.js";
import { DiskLock } from "./disk-lock.js";

/** No kernel gives out this number. */
const DEAD = `${hostname()}/999999999/1`;
const TOKEN = "00000000deadbeef";
const KEY = "1:2/name";

describe("DiskLock", () => {
  let folder: string;
  let lock: string;
  let now: number;
  const pauses: (() => Promise<void>)[] = [];
  /** As another process of this user has it. */
  const open = () =>
    new DiskLock({ folders: [folder], now: () => now, pause: async () => void (await pauses.shift()?.()) });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "deerflow-lock-"));
    lock = join(folder, sha256(KEY).slice(0, 32));
    now = Date.now();
    pauses.length = 0;
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("lets the holders of one name in one after the other, whichever process they are of", async () => {
    const steps: string[] = [];
    const work = (name: string) => async () => {
      steps.push(`${name} in`);
      await readdir(folder);
      steps.push(`${name} out`);
    };
    const [one, two] = [open(), open()];
    await Promise.all([
      one.hold(KEY, "/f", work("a")),
      two.hold(KEY, "/f", work("b")),
      one.hold(KEY, "/f", work("c")),
      two.hold(KEY, "/f", work("d")),
    ]);
    const turns = steps.filter((_, index) => index % 2 === 0).map((step) => step[0]);
    expect(steps).toEqual(turns.flatMap((name) => [`${name} in`, `${name} out`]));
    expect([...turns].sort()).toEqual(["a", "b", "c", "d"]);
  });

  it("keeps nobody from another name, and leaves nothing behind", async () => {
    const inside = await open().hold(KEY, "/f", () => open().hold("1:2/other", "/g", () => readdir(folder)));
    expect(inside).toHaveLength(2);
    expect(await readdir(folder)).toEqual([]);
  });

  it("is let go when the work fails", async () => {
    await expect(open().hold(KEY, "/f", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await readdir(folder)).toEqual([]);
  });

  it("takes over from a dead holder, and tells what that one called itself", async () => {
    await symlink(`${DEAD}/${TOKEN}`, lock);
    const held = await open().hold(KEY, "/f", async (holding) => holding);
    expect(held.abandoned).toEqual([TOKEN]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("takes over also where evictors of the dead holder died themselves", async () => {
    await symlink(`${DEAD}/${TOKEN}`, lock);
    await symlink(`${DEAD}/1111111111111111`, `${lock}.${TOKEN}`);
    await symlink(`${DEAD}/2222222222222222`, `${lock}.${TOKEN}.1111111111111111`);
    expect((await open().hold(KEY, "/f", async (holding) => holding)).abandoned).toEqual([TOKEN]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("leaves a dead holder to the living one that removes its lock already", async () => {
    await symlink(`${DEAD}/${TOKEN}`, lock);
    await symlink(`${processIdentity()}/3333333333333333`, `${lock}.${TOKEN}`);
    let seen: string | undefined;
    pauses.push(async () => {
      seen = await readlink(lock);
      await rm(lock);
      await rm(`${lock}.${TOKEN}`);
    });
    expect((await open().hold(KEY, "/f", async (holding) => holding)).abandoned).toEqual([]);
    expect(seen).toBe(`${DEAD}/${TOKEN}`);
  });

  it("waits for a living holder, and says so when that one never lets go", async () => {
    await symlink(`${processIdentity()}/${TOKEN}`, lock);
    pauses.push(
      async () => {},
      async () => void (now += 11_000),
    );
    const waiting = open().hold(KEY, "/f", () => Promise.resolve());
    await expect(waiting).rejects.toMatchObject({ code: "file_busy", details: { path: "/f" } });
    expect(pauses).toEqual([]);
    expect(await readlink(lock)).toBe(`${processIdentity()}/${TOKEN}`);
  });

  it("trusts a holder of another machine for a minute", async () => {
    await symlink(`elsewhere/1/1/${TOKEN}`, lock);
    pauses.push(
      async () => void (now += 5000),
      async () => void (now += 56_000),
    );
    const busy = open().hold(KEY, "/f", () => Promise.resolve());
    await expect(busy).rejects.toMatchObject({ code: "file_busy" });
    await expect(open().hold(KEY, "/f", async ({ abandoned }) => abandoned)).resolves.toEqual([TOKEN]);
  });

  it("tells a holder that was away for minutes that it holds no longer, and lets it break nothing", async () => {
    const late = open();
    const other = `${processIdentity()}/4444444444444444`;
    const answers = await late.hold(KEY, "/f", async ({ isHeld }) => {
      const before = await isHeld();
      now += 61_000;
      const still = await isHeld();
      await rm(lock);
      await symlink(other, lock);
      return [before, still, await isHeld()];
    });
    expect(answers).toEqual([true, true, false]);
    expect(await readlink(lock)).toBe(other);
  });

  it("makes its folder anew when it was cleared away", async () => {
    const one = open();
    await one.hold(KEY, "/f", () => Promise.resolve());
    await rm(folder, { recursive: true });
    expect(await one.hold(KEY, "/f", () => readdir(folder))).toHaveLength(1);
  });

  it("uses no folder that others can write to, and no link", async () => {
    const shared = join(folder, "shared");
    await mkdir(shared);
    await chmod(shared, 0o777);
    await symlink(folder, join(folder, "link"));
    const own = join(folder, "own");
    const locks = new DiskLock({ folders: [shared, join(folder, "link"), own] });
    expect(await locks.hold(KEY, "/f", () => readdir(own))).toHaveLength(1);
  });

  it("goes on within this process where there is no folder for locks", async () => {
    const locks = new DiskLock({ folders: [] });
    await expect(locks.hold(KEY, "/f", ({ isHeld }) => isHeld())).resolves.toBe(true);
  });
});
