import { describe, expect, it } from "vitest";
import { sandboxHealth } from "./sandbox-health.js";

const REFUSED = { provider: "bubblewrap", available: false, reason: "bwrap is missing." };
const WORKING = { provider: "docker", available: true, reason: "It answers.", limits: "Two processors." };

describe("what clients are told of the sandbox", () => {
  it("is the provider that runs commands, with its limits", () => {
    const provider = { name: "docker" } as Parameters<typeof sandboxHealth>[0]["provider"] & object;
    expect(sandboxHealth({ provider, health: [REFUSED, WORKING] })).toEqual(WORKING);
  });

  it("is every reason why none does", () => {
    const other = { provider: "docker", available: false, reason: "No engine answers." };
    expect(sandboxHealth({ health: [REFUSED, other] })).toEqual({
      provider: "none",
      available: false,
      reason: "bwrap is missing. No engine answers.",
    });
  });
});
