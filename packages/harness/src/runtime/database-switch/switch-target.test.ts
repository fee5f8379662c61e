import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { locationName } from "./location-name.js";
import { readSwitchTarget } from "./switch-target.js";

const FOLDERS = { home: "/home/flow", config: "/etc/flow" };
const read = (to: string, schema?: string) => readSwitchTarget({ to, schema }, FOLDERS);

describe("where the database shall be switched to", () => {
  it.each([
    ["a.db", { backend: "sqlite", path: "/etc/flow/a.db" }],
    ["/var/a.db", { backend: "sqlite", path: "/var/a.db" }],
    ["file:/var/a.db?mode=rw", { backend: "sqlite", path: "file:/var/a.db?mode=rw" }],
    ["mysql://h/d", { backend: "mysql", url: "mysql://h/d" }],
    ["postgresql://h/d", { backend: "postgres", url: "postgresql://h/d" }],
  ])("%s", (to, location) => {
    expect(read(to)).toEqual(location);
  });

  it("may be a schema", () => {
    expect(read("postgres://h/d", "flow")).toMatchObject({ schema: "flow" });
  });

  it.each([
    ["redis://u:geheim@h/d", /must begin with postgres/],
    ["mysql://u:geheim@h", /names no database/],
    ["postgres://u:ge#heim@h/d", /no address/],
  ])("is refused without showing the address: %s", (to, reason) => {
    expect(() => read(to)).toThrow(
      expect.objectContaining({ code: "database_switch_invalid", message: expect.stringMatching(reason) }),
    );
    expect(() => read(to)).not.toThrow(/heim/);
  });
});

describe("the name of a place", () => {
  it("is one for all names of a file", () => {
    const folder = mkdtempSync(join(tmpdir(), "deerflow-name-"));
    try {
      writeFileSync(join(folder, "a.db"), "");
      symlinkSync(join(folder, "a.db"), join(folder, "b.db"));
      const names = ["a.db", "b.db"].map((name) =>
        locationName({ backend: "sqlite", path: join(folder, name) }),
      );
      expect(new Set([...names, locationName({ backend: "sqlite", path: `file:${folder}/a.db` })]).size).toBe(
        1,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ["postgres://anna:pw@host/flow", "postgresql://bert@host:5432/flow?sslmode=require", true],
    ["postgres://anna@host", "postgres://host/anna", true],
    ["postgres://host/flow", "postgres://host/other", false],
    ["postgres://host/flow", "postgres://host:5433/flow", false],
  ])("of %s and %s is the same: %s", (left, right, same) => {
    const name = (url: string) => locationName({ backend: "postgres", url });
    expect(name(left) === name(right)).toBe(same);
    expect(name(left)).not.toContain("pw");
  });

  it("tells schemas and servers of another kind apart", () => {
    const url = "postgres://h/d";
    expect(locationName({ backend: "postgres", url, schema: "a" })).not.toBe(
      locationName({ backend: "postgres", url }),
    );
    expect(locationName({ backend: "mysql", url: "mariadb://h/d" })).toBe("mysql://h:3306/d");
  });
});
