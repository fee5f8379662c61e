import { describe, expect, it } from "vitest";
import { type LiveOutputs, withLiveOutput } from "./live-output.js";

const event = (text: string, more: object = {}) => ({
  type: "tool_output",
  tool_call_id: "c1",
  tool: "bash",
  text,
  ...more,
});
const told = (...events: readonly unknown[]): LiveOutputs => events.reduce<LiveOutputs>(withLiveOutput, {});

describe("withLiveOutput", () => {
  it("puts the pieces of each call together", () => {
    expect(told(event("a"), event("x", { tool_call_id: "c2" }), event("b\n"))).toEqual({
      c1: { text: "ab\n", isCut: false },
      c2: { text: "x", isCut: false },
    });
  });

  it("keeps the end of a long one, and that the rest is not told", () => {
    const { c1 } = told(event("x".repeat(9000)), event("END"), event("[more]", { truncated: true }));
    expect(c1?.text).toHaveLength(8000);
    expect(c1?.text.endsWith("xEND")).toBe(true);
    expect(c1?.isCut).toBe(true);
  });

  it("leaves out what only a terminal understands", () => {
    const text = "\u001b[1;32mok\u001b[0m 10%\r20%\r\n\u001b]0;title\u0007done";
    expect(told(event(text))["c1"]?.text).toBe("ok 10%\n20%\ndone");
  });

  it.each([null, "text", {}, { type: "llm_retry" }, { type: "tool_output", tool_call_id: 1, text: "a" }])(
    "leaves %j alone",
    (other) => {
      const before = told(event("a"));
      expect(withLiveOutput(before, other)).toBe(before);
    },
  );

  it("takes a name that every object has for the name of a call", () => {
    expect(told(event("a", { tool_call_id: "constructor" }))).toEqual({
      constructor: { text: "a", isCut: false },
    });
  });
});
