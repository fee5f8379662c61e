import { expect, it } from "vitest";
import { MirrorBudget } from "./mirror-caps.js";
import { mountOf } from "./mirror-host.js";
import { inBatches, parseListing } from "./mirror-remote.js";

const MOUNTS = [
  { virtualPath: "/mnt/work", hostPath: "/h/w", mode: "read-write" },
  { virtualPath: "/mnt/work/inner", hostPath: "/h/i", mode: "read-only" },
] as const;

const listing = (...records: readonly string[]) =>
  parseListing(Buffer.from(records.map((record) => `${record}\0`).join("")), MOUNTS);

it("reads files and folders out of a listing", () => {
  const { token, side, passedOver } = listing(
    "tok",
    "d 0 1/2 /mnt/work/a b",
    "f 3 1/2 /mnt/work/a b/\n",
    "END",
  );
  expect({ token, seen: side.seen, passedOver }).toEqual({ token: "tok", seen: "whole", passedOver: [] });
  expect([...side.tree]).toEqual([
    ["/mnt/work/a b", { kind: "folder" }],
    ["/mnt/work/a b/\n", { kind: "file", size: 3, stamp: "3 1/2" }],
  ]);
});

it("knows a listing that was cut", () => {
  expect(listing("tok", "f 3 1/2 /mnt/work/a").side.seen).toBe("cut");
  expect(parseListing(Buffer.from("tok\0f 3 1/2 /mnt/work/wh"), MOUNTS).side).toMatchObject({
    seen: "cut",
    tree: new Map(),
  });
  expect(parseListing(Buffer.from(""), MOUNTS).side.seen).toBe("cut");
});

it.each([
  "/etc/passwd",
  "/mnt/work/../../etc/passwd",
  "/mnt/work/..",
  "/mnt/work/./a",
  "/mnt/work//a",
  "/mnt/work/",
  "/mnt/worker/a",
  "mnt/work/a",
  "/mnt/work/\uFFFD",
  `/mnt/work/${"x".repeat(256)}`,
  `/mnt/work/${"x/".repeat(1600)}x`,
])("passes over the hostile name %j", (path) => {
  expect(mountOf(MOUNTS, path)).toBeUndefined();
  const { side, passedOver } = listing("tok", `f 1 1/2 ${path}`, "END");
  expect([[...side.tree], passedOver]).toEqual([[], [path]]);
});

it("passes over links, special files and records that are none", () => {
  const { side, passedOver } = listing(
    "tok",
    "l 1 1/2 /mnt/work/link",
    "p 0 1/2 /mnt/work/pipe",
    "nonsense",
    "END",
  );
  expect([...side.tree]).toEqual([]);
  expect(passedOver).toHaveLength(3);
});

it("gives a path to the innermost mount", () => {
  expect(mountOf(MOUNTS, "/mnt/work/inner/a")?.mode).toBe("read-only");
  expect(mountOf(MOUNTS, "/mnt/work/innermost")?.mode).toBe("read-write");
});

it("splits long lists of paths into commands of bounded length", () => {
  const paths = Array.from({ length: 100 }, (_, index) => `/mnt/work/${String(index).padStart(2000, "x")}`);
  const batches = [...inBatches(paths)];
  expect(batches.flat()).toEqual(paths);
  expect(Math.max(...batches.map((batch) => batch.join("").length))).toBeLessThan(60_000);
});

it("takes files out of a budget until one of its caps is reached", () => {
  const budget = new MirrorBudget({ fileBytes: 10, totalBytes: 15, files: 3, seconds: 1, entries: 9 }, 0);
  expect(budget.refuse(11, 0)).toContain("they are over");
  expect(budget.refuse(10, 0)).toBeUndefined();
  expect(budget.refuse(10, 0)).toContain("changed at once");
  expect(budget.refuse(5, 0)).toBeUndefined();
  expect(budget.refuse(0, 1001)).toContain("1 seconds");
  expect(budget.refuse(0, 0)).toBeUndefined();
  expect(budget.refuse(0, 0)).toContain("more than 3 files");
});
