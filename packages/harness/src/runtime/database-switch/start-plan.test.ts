import { describe, expect, it } from "vitest";
import { configLine, planStart } from "./start-plan.js";
import type { SwitchRecord } from "./switch-record.js";

const file = (name: string) => ({ backend: "sqlite", path: `/nowhere/${name}.db` }) as const;
const server = { backend: "postgres", url: "postgres://anna:geheim@host/flow" } as const;

const record = (more: Partial<SwitchRecord> = {}): SwitchRecord => ({
  version: 1,
  id: "1",
  phase: "done",
  configured: "sqlite:/nowhere/a.db",
  from: file("a"),
  to: server,
  copy: true,
  startedAt: 0,
  threads: [],
  ...more,
});

describe("the database that a start opens", () => {
  it("is the configured one where nothing was switched", () => {
    expect(planStart(file("a"), undefined)).toEqual({ open: file("a") });
  });

  it("is the one that was switched to, with a warning, while the configuration names the old one", () => {
    const plan = planStart(file("a"), record());
    expect(plan).toMatchObject({ open: server });
    expect(plan.warning).toContain(
      'Write it into config.yaml: database: {backend: postgres, url: "postgres://anna:***',
    );
    expect(plan.warning).not.toContain("geheim");
  });

  it("is the configured one when that is where it was switched to, whatever the password is now", () => {
    const now = { ...server, url: "postgres://anna:neu@host:5432/flow?sslmode=require" };
    expect(planStart(now, record())).toEqual({ open: now, forget: true });
  });

  it("is a third one that is configured, and the switch is forgotten", () => {
    const plan = planStart(file("c"), record());
    expect(plan).toMatchObject({ open: file("c"), forget: true });
    expect(plan.warning).toContain("/nowhere/c.db, which is used from now on");
  });

  it.each([
    ["the old one is configured", file("a")],
    ["the new one is configured", server],
  ])("is the old one with the new one beside it while threads are on both: %s", (_, configured) => {
    const unfinished = record({ phase: "draining" });
    expect(planStart(configured, unfinished)).toMatchObject({ open: file("a"), resume: unfinished });
  });

  it("is none while threads are on both and a third one is configured", () => {
    expect(() => planStart(file("c"), record({ phase: "draining" }))).toThrow(
      expect.objectContaining({ code: "database_switch_unfinished" }),
    );
  });
});

describe("the line for config.yaml", () => {
  it.each([
    [file("a"), 'database: {backend: sqlite, path: "/nowhere/a.db"}'],
    [
      { ...server, schema: "flow" },
      'database: {backend: postgres, url: "postgres://anna:***@host/flow", schema: flow}',
    ],
    [{ backend: "mysql", url: "mysql://h/d" } as const, 'database: {backend: mysql, url: "mysql://h/d"}'],
  ])("of %j holds no password", (location, line) => {
    expect(configLine(location)).toBe(line);
  });
});
