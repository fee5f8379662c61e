import { describe, expect, it } from "vitest";
import { parseConfig } from "../config/parse-config.js";
import { databaseFolders, databaseLocations, keepsThreads, lostOnRestart } from "./database-location.js";

const locations = (raw: unknown, configPath: string | undefined = "/etc/flow/config.yaml") =>
  databaseLocations(parseConfig(raw).config, databaseFolders("/home/flow", "/work", configPath));

const DEFAULT = { backend: "sqlite", path: "/home/flow/data/deerflow.db" };

describe("the places of an installation's databases", () => {
  it("are one SQLite file under the home where nothing is configured", () => {
    expect(locations({})).toEqual({ database: DEFAULT });
    expect(locations({ database: {} })).toEqual({ database: DEFAULT });
  });

  it("count from the folder of the configuration file, or from the working directory without one", () => {
    const raw = { database: { path: "data/a.db" }, checkpointer: { backend: "sqlite", path: "../c.db" } };
    expect(locations(raw)).toEqual({
      database: { backend: "sqlite", path: "/etc/flow/data/a.db" },
      checkpointer: { backend: "sqlite", path: "/etc/c.db" },
    });
    expect(locations(raw, "../config.yaml").database).toEqual({ backend: "sqlite", path: "/data/a.db" });
    const without = databaseLocations(parseConfig(raw).config, databaseFolders("/h", "/work", undefined));
    expect(without.database).toEqual({ backend: "sqlite", path: "/work/data/a.db" });
  });

  it.each([":memory:", "file:a.db", "file:///var/a.db?mode=rw", "/var/a.db"])("leave %s as it is", (path) => {
    expect(locations({ database: { path } }).database).toEqual({ backend: "sqlite", path });
  });

  it("are servers by their address", () => {
    const raw = {
      database: { url: "mysql://u:p@h/d" },
      store: { url: "postgres://u:p@h/d", schema: "flow", backend: "postgres" },
    };
    expect(locations(raw)).toEqual({
      database: { backend: "mysql", url: "mysql://u:p@h/d" },
      store: { backend: "postgres", url: "postgres://u:p@h/d", schema: "flow" },
    });
  });

  it("are one where an override names the same place", () => {
    const raw = { database: { path: "a.db" }, checkpointer: { type: "sqlite", connection_string: "./a.db" } };
    expect(locations(raw)).toEqual({ database: { backend: "sqlite", path: "/etc/flow/a.db" } });
    expect(locations({ database: { backend: "memory" }, store: { backend: "memory" } })).toEqual({
      database: { backend: "memory" },
    });
  });
});

describe("what a restart loses", () => {
  it("is nothing where everything has a file or a server", () => {
    expect(lostOnRestart(locations({}))).toBeUndefined();
    expect(lostOnRestart(locations({ database: { url: "mysql://h/d" } }))).toBeUndefined();
  });

  it.each([[{ backend: "memory" }], [{ path: ":memory:" }], [{ path: "file:a?mode=memory" }]])(
    "is everything with %j",
    (database) => {
      expect(lostOnRestart(locations({ database }))).toContain(
        "threads, runs and their history, the state of conversations and stored items",
      );
    },
  );

  it("is a thread to go on with where the database or its checkpoints live in memory", () => {
    expect(keepsThreads(locations({ database: { path: ":memory:" } }))).toBe(false);
    expect(keepsThreads(locations({ checkpointer: { backend: "memory" } }))).toBe(false);
    expect(keepsThreads(locations({ store: { backend: "memory" } }))).toBe(true);
  });

  it("is named where only a part lives in memory", () => {
    const sentence = lostOnRestart(locations({ store: { backend: "memory" } }));
    expect(sentence).toMatch(/^In memory only, by configuration: stored items\./);
  });
});
