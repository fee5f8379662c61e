import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { exampleConfig } from "./example-config.js";
import { parseConfig } from "./parse-config.js";
import { configSchema } from "./schema.js";

/** What the file says when every comment that holds a setting is opened. */
const opened = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !line.startsWith("#   ") || /^# {3,}[a-z_]+:/.test(line))
    .map((line) => line.replace(/^# (?=\s*[a-z_]+:)/, ""))
    .filter((line) => !line.startsWith("#"))
    .join("\n");

describe("exampleConfig", () => {
  it("changes nothing as it is written", () => {
    const { config, warnings } = parseConfig(parse(exampleConfig()));
    expect(warnings).toEqual([]);
    expect({ ...config, config_version: 0 }).toEqual(parseConfig({}).config);
  });

  it("names every section with its defaults", () => {
    const text = exampleConfig();
    for (const section of Object.keys(configSchema.shape)) expect(text).toContain(`${section}:`);
    const sandbox = text.slice(text.indexOf("# sandbox:"), text.indexOf("# database:"));
    expect(parse(opened(sandbox))).toEqual({ sandbox: parseConfig({}).config.sandbox });
  });
});
