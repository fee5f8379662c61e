import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../limits.js";
import { limitNotices, limitsSentence } from "./limit-sentences.js";

it("says what is used and why nothing better is, in one sentence", () => {
  expect(limitsSentence("cgroup v1", [{ tier: "cgroup v2", reason: "this system has none" }])).toBe(
    "Control groups (cgroup v1) keep each command's memory, processes and processors in bounds; cgroup v2 is not used because this system has none.",
  );
});

it("tells a model which limit its command met", () => {
  expect(
    limitNotices(["memory", "processes"], { ...DEFAULT_LIMITS, memoryMebibytes: 64, processes: 9 }),
  ).toEqual([
    "The system ended a part of it because it used more than 64 MiB of memory.",
    "It could not have more than 9 processes and threads at once.",
  ]);
});
