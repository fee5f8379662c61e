import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { type DiskSpace, DiskWatch, shortOf } from "./disk-watch.js";

const space = (own: Partial<DiskSpace> = {}): DiskSpace => ({
  bsize: 1024,
  bavail: 1024 * 1000,
  files: 1000,
  ffree: 500,
  ...own,
});
const MOUNTS = [{ virtualPath: "/w", hostPath: tmpdir(), mode: "read-write" }] as const;

describe("a disk", () => {
  it.each<[string, Partial<DiskSpace>, string | undefined]>([
    ["with room", {}, undefined],
    ["with just enough", { bavail: 1024 * 512 }, undefined],
    ["with too little", { bavail: 1024 * 512 - 1 }, "it has 511 MiB left, and 512 MiB must stay free"],
    ["without room for files", { ffree: 19 }, "it has room for 19 more files, and for 20 there must be"],
    ["that does not count files", { files: 0, ffree: 0 }, undefined],
  ])("%s", (_what, own, short) => {
    expect(shortOf(space(own), 512)).toBe(short);
  });
});

/** Looks when it is told to. */
function watched(look: () => Promise<DiskSpace>) {
  const tick: { now?: () => void; stopped: number } = { stopped: 0 };
  const watch = new DiskWatch({
    freeMebibytes: 512,
    look,
    every: (_milliseconds, call) => {
      tick.now = call;
      return () => {
        tick.stopped += 1;
      };
    },
  });
  return { watch, tick };
}

describe("the watch over disks", () => {
  it("lets no command begin on a full one, and names it as the command knows it", async () => {
    const { watch } = watched(async () => space({ bavail: 0 }));
    await expect(watch.check(MOUNTS)).rejects.toMatchObject({
      code: "disk_full",
      message:
        "No command can be run while the disk behind /w is almost full: it has 0 MiB left, and 512 MiB must stay free.",
    });
  });

  it("does not look at what is read-only, and lets pass what cannot be looked at", async () => {
    const { watch } = watched(() => Promise.reject(new Error("no such thing")));
    await watch.check(MOUNTS);
    const full = watched(async () => space({ bavail: 0 })).watch;
    await full.check([{ ...MOUNTS[0], mode: "read-only" }]);
  });

  it("tells once, and stops looking", async () => {
    let free = 1024 * 1000;
    let told = 0;
    const { watch, tick } = watched(async () => space({ bavail: free }));
    watch.watch(MOUNTS, () => {
      told += 1;
    });
    const look = async () => {
      tick.now?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    await look();
    expect([told, tick.stopped]).toEqual([0, 0]);
    free = 0;
    await look();
    await look();
    expect([told, tick.stopped >= 1]).toEqual([1, true]);
  });

  it("tells nothing after its end", async () => {
    let told = 0;
    const { watch, tick } = watched(async () => space({ bavail: 0 }));
    const stop = watch.watch(MOUNTS, () => {
      told += 1;
    });
    tick.now?.();
    stop();
    await new Promise((resolve) => setImmediate(resolve));
    expect([told, tick.stopped]).toEqual([0, 1]);
  });
});
