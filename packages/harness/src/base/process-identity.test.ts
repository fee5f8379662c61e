import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { isProcessAlive, processIdentity } from "./process-identity.js";

describe("process identity", () => {
  it("finds this process alive", () => {
    expect(isProcessAlive(processIdentity())).toBe(true);
  });

  it("finds a process dead that has ended", () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    expect(isProcessAlive(processIdentity(pid))).toBe(false);
  });

  it.skipIf(process.platform !== "linux")("tells a process from an earlier one of the same number", () => {
    expect(isProcessAlive(`${hostname()}/${process.pid}/1`)).toBe(false);
  });

  it.each(["", "x", `${hostname()}//`, `${hostname()}/-1/`, `elsewhere/${process.pid}/`])(
    "takes %j for dead",
    (identity) => {
      expect(isProcessAlive(identity)).toBe(false);
    },
  );
});
