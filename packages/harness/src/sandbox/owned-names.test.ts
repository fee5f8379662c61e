import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { isAbandoned, ownedPrefix } from "./owned-names.js";

it("tells what a living process owns from what a dead one left, and leaves other names alone", () => {
  const { pid } = spawnSync("true");
  expect(isAbandoned(`${ownedPrefix()}a`)).toBe(false);
  expect(isAbandoned(`deerflow.${pid}.123.a`)).toBe(true);
  // The number is this process's, the start is not.
  expect(isAbandoned(`deerflow.${process.pid}.1.a`)).toBe(process.platform === "linux");
  expect(isAbandoned("deerflow-notes")).toBe(false);
  expect(isAbandoned("deerflow.x.1.a")).toBe(false);
});
