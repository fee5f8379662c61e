import { describe, expect, it } from "vitest";
import { LiveOutput, type LiveOutputEvent } from "./live-output.js";

/** Time stands still until `pass` is called. */
function heard(options: { maxCharacters?: number; fails?: boolean } = {}) {
  const events: LiveOutputEvent[] = [];
  const waiting = new Set<() => void>();
  const waits: number[] = [];
  const live = new LiveOutput({
    callId: "c",
    tool: "bash",
    send: (event) => {
      events.push(event);
      if (options.fails === true) throw new Error("The stream is closed.");
    },
    schedule(milliseconds, work) {
      waits.push(milliseconds);
      waiting.add(work);
      return () => waiting.delete(work);
    },
    ...(options.maxCharacters === undefined ? {} : { maxCharacters: options.maxCharacters }),
  });
  const pass = () => {
    const due = [...waiting];
    waiting.clear();
    for (const work of due) work();
  };
  return { live, pass, waits, waiting, events, texts: () => events.map(({ text }) => text) };
}

describe("LiveOutput", () => {
  it("tells the first piece at once, and what comes within a tenth of a second together", () => {
    const { live, pass, waits, events, texts } = heard();
    for (const piece of ["a", "b", "", "c"]) live.add(piece);
    expect(events).toEqual([{ type: "tool_output", tool_call_id: "c", tool: "bash", text: "a" }]);
    pass();
    expect(texts()).toEqual(["a", "bc"]);
    expect(waits).toEqual([100, 100]);
    pass();
    live.add("d");
    expect(texts()).toEqual(["a", "bc", "d"]);
  });

  it("tells what still waits at the end, and nothing after it", () => {
    const { live, pass, waiting, texts } = heard();
    live.add("a");
    live.add("b");
    live.close();
    live.add("c");
    pass();
    expect([texts(), waiting.size]).toEqual([["a", "b"], 0]);
  });

  it("says once that the rest is only in the result", () => {
    const { live, pass, events, waiting } = heard({ maxCharacters: 5 });
    for (const piece of ["abc", "defg", "h"]) live.add(piece);
    pass();
    live.close();
    expect(events.map(({ text, truncated }) => [text, truncated])).toEqual([
      ["abc", undefined],
      ["de", undefined],
      [expect.stringContaining("only in the result"), true],
    ]);
    expect(waiting.size).toBe(0);
  });

  it("tells a command that talks for long less often", () => {
    const { live, pass, waits } = heard();
    for (let count = 0; count < 110; count += 1) {
      live.add("x");
      pass();
    }
    expect([waits[0], waits.at(-1)]).toEqual([100, 500]);
  });

  it("goes on without a listener that fails, or that is none", () => {
    const { live, pass, events } = heard({ fails: true });
    for (const piece of ["a", "b"]) live.add(piece);
    pass();
    live.close();
    expect(events).toHaveLength(1);
    const none = new LiveOutput({ send: undefined, callId: "c", tool: "bash" });
    none.add("a");
    none.close();
  });
});
