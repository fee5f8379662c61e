import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { exampleConfig } from "./example-config.js";
import { parseConfig } from "./parse-config.js";
import { configSchema } from "./schema.js";

/** The file as it is after somebody removed the first comment sign of every line that holds a setting. */
const opened = (text: string): string => text.replaceAll(/^# (?=\s*(?:- )?[a-z_]+:|\s*# )/gm, "");

describe("exampleConfig", () => {
  it("changes nothing as it is written", () => {
    const { config, warnings } = parseConfig(parse(exampleConfig()));
    expect(warnings).toEqual([]);
    expect({ ...config, config_version: 0 }).toEqual(parseConfig({}).config);
  });

  it("is valid when every setting is opened, and shows the defaults", () => {
    const raw = parse(opened(exampleConfig()));
    expect(Object.keys(raw)).toEqual(Object.keys(configSchema.shape));
    const { models, ...config } = parseConfig(raw, { OPENAI_API_KEY: "k" }).config;
    const { models: none, ...defaults } = parseConfig({ config_version: 1 }).config;
    expect(none).toEqual([]);
    expect(config).toEqual(defaults);
    expect(models).toMatchObject([{ name: "my-model", use: "openai", model: "gpt-5.4", api_key: "k" }]);
  });
});
