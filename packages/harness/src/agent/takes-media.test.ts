import { describe, expect, it } from "vitest";
import type { ModelInfo } from "../models/contract.js";
import { takesMedia } from "./takes-media.js";

const model = (supportsVision: boolean): ModelInfo => ({
  name: "m",
  displayName: "M",
  model: "m-1",
  provider: "openai",
  source: "config",
  reason: "configured",
  supportsThinking: false,
  supportsReasoningEffort: false,
  supportsVision,
});

describe("takesMedia", () => {
  it.each([
    ["configured for images", model(true), undefined, true],
    ["configured for images against its profile", model(true), false, true],
    ["known by its profile", model(false), true, true],
    ["known to be blind", model(false), false, false],
    ["of which nothing is known", model(false), undefined, false],
    ["that is not in the catalogue", undefined, undefined, false],
  ] as const)("for images and a model %s", (_what, info, byProfile, taken) => {
    expect(takesMedia(info)("image", byProfile)).toBe(taken);
  });

  it("leaves every other kind to the profile", () => {
    expect(takesMedia(model(true))("pdf", undefined)).toBeUndefined();
  });
});
