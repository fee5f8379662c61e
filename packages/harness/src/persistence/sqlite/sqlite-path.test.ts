import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { sqlitePlace } from "./sqlite-path.js";

describe("the place of an SQLite database", () => {
  it.each([
    ["/var/lib/flow.db", "/var/lib/flow.db"],
    ["data/flow.db", resolve("data/flow.db")],
    [":memory:", ":memory:"],
    ["file:/var/lib/flow.db", "/var/lib/flow.db"],
    ["file:///var/lib/flow.db", "/var/lib/flow.db"],
    ["file://localhost/var/lib/flow.db", "/var/lib/flow.db"],
    ["FILE:flow.db", resolve("flow.db")],
    ["file:a%20b%23c.db", resolve("a b#c.db")],
    ["file::memory:", ":memory:"],
    ["file::memory:?cache=shared", ":memory:"],
    ["file:flow.db?mode=memory", ":memory:"],
    ["file:flow.db?mode=rwc&cache=private", resolve("flow.db")],
    ["a#b?mode=ro.db", resolve("a#b?mode=ro.db")],
  ])("%s is %s", (place, path) => {
    expect(sqlitePlace(place)).toEqual({ path, create: true });
  });

  it("may ask that the file is there", () => {
    expect(sqlitePlace("file:/flow.db?mode=rw")).toEqual({ path: "/flow.db", create: false });
  });

  it.each([
    ["file:/flow.db?mode=ro", "it is written to"],
    ["file:/flow.db?immutable=1", "immutable=1 is not among mode=rwc"],
    ["file:/flow.db?vfs=unix-none", "vfs=unix-none"],
    ["file:/flow.db?mode=RW", "mode=RW"],
    ["file:/flow.db?constructor=call", "constructor=call"],
    ["file://server/flow.db", "the host server"],
    ["file:/flow.db#1", "%23"],
    ["file:/100%.db", "%25"],
    ["file:", "no file"],
    ["file:/a%00b.db", "zero byte"],
  ])("%s is refused: %s", (place, reason) => {
    expect(() => sqlitePlace(place)).toThrow(
      expect.objectContaining({ code: "database_path_invalid", sentence: expect.stringContaining(reason) }),
    );
  });
});
