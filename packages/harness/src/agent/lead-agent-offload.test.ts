import { describe, expect, it } from "vitest";
import { parseConfig } from "../config/parse-config.js";
import { OFFLOAD_RULES } from "../middleware/offload-rules.js";
import { offloadServices } from "./lead-agent-offload.js";

const servicesFor = (section: object) => offloadServices(parseConfig({ tool_output: section }).config);

describe("offloadServices", () => {
  it("gives the middleware its own defaults where the configuration says nothing", () => {
    const { toolOutput, longMessages } = servicesFor({});
    const { synopsis: _always, ...rules } = OFFLOAD_RULES.deerflow;
    expect(toolOutput).toEqual({
      ...rules,
      folder: "/mnt/user-data/outputs/.tool-results",
      retention: { maxFiles: 2000, maxBytes: 524_288_000 },
    });
    expect(longMessages.limitCharacters).toBe(200_000);
  });

  it("takes the first length that is too long, of one tool too, and 0 for never", () => {
    const { toolOutput, longMessages } = servicesFor({
      externalize_min_chars: 500,
      tool_overrides: { web_fetch: 20_000, quiet: 0, tiny: 1 },
      storage_subdir: "results",
      message_max_chars: 0,
    });
    expect(toolOutput).toMatchObject({
      folder: "/mnt/user-data/outputs/results",
      limitCharacters: 499,
      limitsByTool: { web_fetch: 19_999, quiet: 0, tiny: 1 },
    });
    expect([
      servicesFor({ externalize_min_chars: 0 }).toolOutput.limitCharacters,
      longMessages.limitCharacters,
    ]).toEqual([0, 0]);
  });

  it.each(["..", ".", "a/b", "", "a\\b", "a\nb"])("refuses the folder %j", (storage_subdir) => {
    expect(() => servicesFor({ storage_subdir })).toThrow(/storage_subdir/);
  });
});
