import { DeerflowError } from "@deerflow/harness";
import { describe, expect, it } from "vitest";
import { databaseFinding, examineNode, sandboxFinding } from "./doctor.js";

const BUBBLEWRAP = {
  provider: "bubblewrap",
  available: true,
  reason: "Commands run isolated.",
  limits: "A control group keeps the limits.",
  network: "Commands reach no network.",
};

describe("doctor on the sandbox", () => {
  it("says what runs commands, what keeps the limits and what is reached of the network", () => {
    expect(sandboxFinding("bubblewrap", [BUBBLEWRAP])).toEqual({
      name: "sandbox",
      state: "ok",
      text: "bubblewrap: Commands run isolated. A control group keeps the limits. Commands reach no network.",
    });
  });

  it("says why there is no shell tool", () => {
    const missing = { provider: "bubblewrap", available: false, reason: "bwrap is not on the PATH." };
    expect(sandboxFinding(undefined, [missing])).toEqual({
      name: "sandbox",
      state: "warn",
      text: "no shell tool. bubblewrap: bwrap is not on the PATH.",
    });
  });

  it("warns where commands run on the host itself", () => {
    const local = { provider: "local", available: true, reason: "Commands run on the host." };
    expect(sandboxFinding("local", [local]).state).toBe("warn");
  });
});

describe("doctor on Node", () => {
  it.each([
    ["20.18.9", "fail"],
    ["20.19.0", "ok"],
    ["24.0.0", "ok"],
  ])("finds that %s is %s", (version, state) => {
    expect(examineNode(version).state).toBe(state);
  });
});

describe("doctor on the databases", () => {
  it("names the backend and the place of each", () => {
    expect(databaseFinding({ part: "database", backend: "sqlite", place: "/flow.db" })).toEqual({
      name: "database",
      state: "ok",
      text: "sqlite: /flow.db",
    });
  });

  it("warns of what lives in memory", () => {
    const place = "memory (lost when the program ends)";
    expect(databaseFinding({ part: "store", backend: "memory", place })).toEqual({
      name: "store",
      state: "warn",
      text: place,
    });
  });

  it("says what is wrong with one", () => {
    const problem = new DeerflowError("database_unreachable", { path: "mysql://h/d", reason: "refused" });
    expect(databaseFinding({ part: "checkpointer", backend: "mysql", problem })).toMatchObject({
      state: "fail",
      text: expect.stringContaining("mysql://h/d does not answer (refused)"),
    });
  });
});
