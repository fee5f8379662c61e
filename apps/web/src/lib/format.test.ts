import { describe, expect, it } from "vitest";
import { baseName, formatAgo, formatDuration, formatSize } from "./format.js";

describe("format", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [15_300, "14.9 kB"],
    [512_000, "500 kB"],
    [52_428_800, "50 MB"],
    [2_500_000, "2.4 MB"],
  ])("writes %i bytes as %s", (bytes, text) => expect(formatSize(bytes)).toBe(text));

  it.each([
    [40, "40 ms"],
    [1_240, "1.2 s"],
    [95_000, "1 min 35 s"],
  ])("writes %i milliseconds as %s", (milliseconds, text) => expect(formatDuration(milliseconds)).toBe(text));

  it.each([
    ["2026-11-30T09:59:30Z", "now"],
    ["2026-11-30T09:55:00Z", "5 min. ago"],
    ["2026-11-30T07:00:00Z", "3 hr. ago"],
    ["2026-11-29T09:00:00Z", "yesterday"],
    ["2026-10-02T09:00:00Z", "Oct 2"],
    ["never", ""],
  ])("tells how long ago %s is", (iso, text) => {
    expect(formatAgo(iso, Date.parse("2026-11-30T10:00:00Z"), "en")).toBe(text);
  });

  it("finds the name of a file in its path", () =>
    expect(baseName("/mnt/user-data/outputs/report.md")).toBe("report.md"));
});
