import { describe, expect, it } from "vitest";
import { isAllowedHost, isAllowedOrigin } from "./browser-guard.js";

describe("the hosts that the server answers to", () => {
  it.each(["localhost", "localhost:2026", "127.0.0.1:1", "[::1]:2026", "LOCALHOST:2026"])(
    "include %s",
    (host) => {
      expect(isAllowedHost(host, {})).toBe(true);
    },
  );

  it.each(["evil.example", "evil.example:2026", "127.0.0.1.evil.example", "localhost.evil", "", "a b"])(
    "do not include %j",
    (host) => {
      expect(isAllowedHost(host, {})).toBe(false);
    },
  );

  it("include what the configuration names", () => {
    expect(isAllowedHost("flow.example:443", { hosts: ["flow.example"] })).toBe(true);
    expect(isAllowedHost("anything", { hosts: ["*"] })).toBe(true);
  });
});

describe("the origins whose pages may use the server", () => {
  const host = "flow.example:2026";
  it.each([
    ["http://flow.example:2026", {}, true],
    ["http://localhost:3000", {}, true],
    ["http://[::1]:3000", {}, true],
    ["https://evil.example", {}, false],
    ["null", {}, false],
    ["http://localhost.evil.example", {}, false],
    ["https://ui.example", { origins: ["https://ui.example"] }, true],
    ["https://ui.example.evil", { origins: ["https://ui.example"] }, false],
  ])("for %s with %j: %s", (origin, rules, allowed) => {
    expect(isAllowedOrigin(origin, host, rules)).toBe(allowed);
  });
});
