import { describe, expect, it } from "vitest";
import { parseAgentRunContext } from "./run-context.js";

describe("parseAgentRunContext", () => {
  it("reads the keys that DeerFlow clients send and ignores the others", () => {
    expect(
      parseAgentRunContext({
        model_name: "m",
        mode: "pro",
        thinking_enabled: true,
        reasoning_effort: "high",
        is_plan_mode: false,
        thread_id: "t",
      }),
    ).toEqual({
      modelName: "m",
      thinking: true,
      reasoningEffort: "high",
      planMode: false,
      nonInteractive: false,
    });
  });

  it("counts a value of the wrong type as absent", () => {
    expect(
      parseAgentRunContext({ model_name: 7, thinking_enabled: "yes", reasoning_effort: "extreme" }),
    ).toEqual({
      planMode: true,
      nonInteractive: false,
    });
  });
});
