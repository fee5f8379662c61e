import { spawn } from "node:child_process";
import { closeSync, readFileSync, readlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { OutputPipes, PIPES_FOLDER } from "./output-pipes.js";

describe.skipIf(process.platform !== "linux")("a pipe for output", () => {
  it("can be opened anew by the program that has it, ends with its last writer, and has no name on the disk", async () => {
    const pipes = new OutputPipes();
    const { reader, writer } = await pipes.take();
    expect(readlinkSync(`/proc/self/fd/${reader}`)).toMatch(/ \(deleted\)$/);
    expect(readlinkSync(`/proc/self/fd/${reader}`)).toContain(PIPES_FOLDER);
    const child = spawn("sh", ["-c", "echo a; echo b > /dev/stdout"], {
      stdio: ["ignore", writer, "ignore"],
    });
    await new Promise((resolve) => child.once("exit", resolve));
    closeSync(writer);
    expect(readFileSync(reader, "utf8")).toBe("a\nb\n");
    closeSync(reader);
    pipes.close();
  });

  it("is another for everybody who takes one, however many at once", async () => {
    const pipes = new OutputPipes();
    const taken = await Promise.all(Array.from({ length: 40 }, () => pipes.take()));
    const ends = taken.flatMap(({ reader, writer }) => [reader, writer]);
    expect(new Set(ends).size).toBe(80);
    expect(new Set(taken.map(({ reader }) => readlinkSync(`/proc/self/fd/${reader}`))).size).toBe(40);
    ends.forEach((end) => closeSync(end));
    pipes.close();
  });
});
