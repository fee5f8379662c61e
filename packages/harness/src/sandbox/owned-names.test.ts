import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { isAbandoned, ownedFolder, ownedPrefix, sweepAbandoned } from "./owned-names.js";

it("tells what a living process owns from what a dead one left, and leaves other names alone", () => {
  const { pid } = spawnSync("true");
  expect(isAbandoned(`${ownedPrefix()}a`)).toBe(false);
  expect(isAbandoned(`deerflow.${pid}.123.a`)).toBe(true);
  // The number is this process's, the start is not.
  expect(isAbandoned(`deerflow.${process.pid}.1.a`)).toBe(process.platform === "linux");
  expect(isAbandoned("deerflow-notes")).toBe(false);
  expect(isAbandoned("deerflow.x.1.a")).toBe(false);
});

it("takes away what dead processes left, and nothing of the living or of others", () => {
  const folder = mkdtempSync(join(tmpdir(), "deerflow-names-"));
  const { pid } = spawnSync("true");
  const mine = ownedFolder("proxy-", folder);
  const [left, given, filled] = ["a", "b", "c"].map((end) => join(folder, `deerflow.${pid}.1.proxy-${end}`));
  const others = [`deerflow.${pid}.1.other-a`, "proxy-a"];
  for (const path of [left, given, filled]) {
    mkdirSync(path ?? "");
    writeFileSync(join(path ?? "", "socket"), "");
  }
  for (const name of others) mkdirSync(join(folder, name));
  writeFileSync(join(filled ?? "", "more"), "");
  const isRoot = process.getuid?.() === 0;
  for (const path of [given, filled]) if (isRoot) chownSync(path ?? "", 65_534, 65_534);
  sweepAbandoned("proxy-", folder, ["socket"]);
  const kept = [basename(mine), ...(isRoot ? [basename(filled ?? "")] : []), ...others];
  expect(readdirSync(folder).toSorted()).toEqual(kept.toSorted());
  rmSync(folder, { recursive: true });
});
