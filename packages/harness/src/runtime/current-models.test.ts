import { describe, expect, it } from "vitest";
import { silentLogger } from "../base/logger.js";
import { parseConfig } from "../config/parse-config.js";
import { currentModels } from "./current-models.js";

const configOf = (yaml: object) => parseConfig(yaml).config;
const naming = (name: string, use: string) => configOf({ models: [{ name, use, model: "m", api_key: "k" }] });

describe("the models of a running installation", () => {
  it("follow the configuration, but not a broken edit of it, which is logged once", async () => {
    let config = naming("first", "openai-compatible");
    const lines: string[] = [];
    const logger = { ...silentLogger, error: (line: string) => void lines.push(line) };
    const models = currentModels({ config: () => config, env: {}, logger, probeLocal: false });
    const names = async () => (await models()).models.map(({ name }) => name);
    expect(await names()).toContain("first");
    config = naming("second", "no-such-provider");
    expect(await names()).toContain("first");
    expect(await names()).toContain("first");
    expect(lines).toEqual([expect.stringMatching(/last good models.*second uses no-such-provider/)]);
    config = naming("third", "openai-compatible");
    expect(await names()).toContain("third");
  });

  it("fail with the reason when there never were any", async () => {
    const config = configOf({ demo_model: { enabled: false } });
    const models = currentModels({ config: () => config, env: {}, logger: silentLogger, probeLocal: false });
    await expect(models()).rejects.toMatchObject({ code: "model_none" });
  });
});
