import { describe, expect, it } from "vitest";
import { keptOutputs } from "../testing/kept-outputs.js";
import { SpilledOutput } from "./spilled-output.js";

function spilled(kept: ReturnType<typeof keptOutputs>) {
  const failures: unknown[] = [];
  return { output: new SpilledOutput(kept.files, "bash", (error) => failures.push(error)), failures };
}

describe("SpilledOutput", () => {
  it("writes everything in order, a NUL shown and no letter torn", async () => {
    const kept = keptOutputs();
    const { output } = spilled(kept);
    const text = `${"x".repeat(64 * 1024 - 1)}😀\0${"é".repeat(100_000)}`;
    await output.add("first ");
    await output.add(text);
    expect(await output.commit()).toEqual({ path: "/kept/bash-1", leftOut: 0 });
    expect(kept.texts.get("/kept/bash-1")).toBe(`first ${text.replace("\0", "␀")}`);
  });

  it("asks for patience only while much waits for the disk", async () => {
    const { output } = spilled(keptOutputs({ maxBytes: 10_000_000 }));
    expect(output.add("x".repeat(100_000))).toBeUndefined();
    const wait = output.add("x".repeat(400_000));
    expect(wait).toBeInstanceOf(Promise);
    await wait;
    expect(output.add("x")).toBeUndefined();
    await output.abort();
  });

  it("keeps the beginning and the end of what is too long, and counts what is between", async () => {
    const kept = keptOutputs({ maxBytes: 60_000 });
    const { output } = spilled(kept);
    const numbers = Array.from({ length: 40_000 }, (_, index) => `${index}\n`);
    for (const number of numbers) await output.add(number);
    const { leftOut = 0 } = (await output.commit()) ?? {};
    const text = kept.texts.get("/kept/bash-1") ?? "";
    expect(text).toMatch(/^0\n1\n2\n[^]*\n39998\n39999\n$/);
    expect(Buffer.byteLength(text)).toBeLessThan(60_100);
    const mark = `\n[… ${leftOut} characters left out …]\n`;
    expect(text).toContain(mark);
    expect(text.length - mark.length + leftOut).toBe(numbers.join("").length);
  });

  it.each(["open", "write", "commit"] as const)(
    "tells once that it fails to %s, and goes on",
    async (failsAt) => {
      const kept = keptOutputs({ failsAt });
      const { output, failures } = spilled(kept);
      await output.add("a");
      await output.add("b");
      expect(await output.commit()).toBeUndefined();
      expect([failures.length, kept.texts.size, kept.aborted]).toEqual([1, 0, failsAt === "open" ? 0 : 1]);
    },
  );

  it("leaves nothing when it is given up", async () => {
    const kept = keptOutputs();
    const { output, failures } = spilled(kept);
    await output.add("a");
    await output.abort();
    await output.add("b");
    expect([kept.texts.size, kept.aborted, failures]).toEqual([0, 1, []]);
  });
});
