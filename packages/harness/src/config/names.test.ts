import { describe, expect, it } from "vitest";
import { RESERVED_NAMES } from "./known-sections.js";
import { editDistance, nearestName } from "./nearest-name.js";
import { redactConfig } from "./redact-config.js";
import { RESTART_REQUIRED } from "./restart-required.js";
import { knownKeysAt } from "./schema-walk.js";
import { configSchema } from "./schema.js";

describe("nearestName", () => {
  it("counts insertions, removals, replacements and swaps", () => {
    expect(editDistance("kitten", "sitting")).toBe(3);
    expect(editDistance("memroy", "memory")).toBe(1);
    expect(editDistance("", "abc")).toBe(3);
  });

  it("finds what was meant and nothing far-fetched", () => {
    expect(nearestName("Sandbx", ["database", "sandbox"])).toBe("sandbox");
    expect(nearestName("sandbox", ["models", "title"])).toBeUndefined();
    expect(nearestName("x", [])).toBeUndefined();
  });
});

describe("the tables of names", () => {
  it("reserve no name that has behaviour", () => {
    const clash = RESERVED_NAMES.filter(({ path }) => {
      const [section = "", key] = path.split(".");
      return key === undefined
        ? knownKeysAt(configSchema, []).includes(section)
        : knownKeysAt(configSchema, [section]).includes(key);
    });
    expect(clash).toEqual([]);
  });

  it("have no row twice", () => {
    expect(new Set(RESERVED_NAMES.map((row) => row.path)).size).toBe(RESERVED_NAMES.length);
    expect(new Set(RESTART_REQUIRED.map((row) => row.setting)).size).toBe(RESTART_REQUIRED.length);
  });
});

describe("redactConfig", () => {
  it.each([
    ["mysql://anna:p@ss/w0rd@host/db", "mysql://anna:***@host/db"],
    ["postgres://host/db?user=anna&password=geheim&ssl=1", "postgres://host/db?user=anna&password=***&ssl=1"],
    ["postgres://anna@host/db", "postgres://anna@host/db"],
    ["a text: with no@address?key=1", "a text: with no@address?key=1"],
  ])("hides the password of %s", (address, shown) => {
    expect(redactConfig({ url: address })).toEqual({ url: shown });
  });

  it("hides secrets at every depth and leaves the rest", () => {
    const config = {
      models: [
        {
          name: "m",
          api_key: "sk-1",
          max_tokens: 10,
          default_headers: { "x-a": "b" },
          when: { auth_token: "t" },
        },
      ],
      database: { url: "postgres://anna:geheim@host/db", path: "a.db" },
      title: { model_name: null },
    };
    expect(redactConfig(config)).toEqual({
      models: [
        { name: "m", api_key: "***", max_tokens: 10, default_headers: "***", when: { auth_token: "***" } },
      ],
      database: { url: "postgres://anna:***@host/db", path: "a.db" },
      title: { model_name: null },
    });
  });
});
