import { describe, expect, it } from "vitest";
import { databaseStatus } from "./database-status.js";

const PLACES = [{ part: "database", backend: "sqlite", place: "/b.db", id: "sqlite:/b.db" }] as const;

describe("what clients are told of the databases", () => {
  it("is where they are", () => {
    expect(databaseStatus({ places: PLACES, lastSwitch: undefined })).toEqual({ databases: PLACES });
  });

  it("is how far a switch is, and what is in its way", () => {
    const lastSwitch = {
      phase: "draining",
      current: "/b.db",
      from: "/a.db",
      to: "/b.db",
      copy: true,
      runsOnOld: 1,
      threadsOnOld: 2,
      threadsLeft: 0,
      startedAt: 0,
      problem: "t: it is another thread",
    } as const;
    expect(databaseStatus({ places: PLACES, lastSwitch }).switch).toEqual({
      phase: "draining",
      current: "/b.db",
      from: "/a.db",
      to: "/b.db",
      copy: true,
      runs_on_old: 1,
      threads_on_old: 2,
      threads_left: 0,
      started_at: "1970-01-01T00:00:00.000Z",
      problem: "t: it is another thread",
    });
  });
});
