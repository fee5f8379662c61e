import { describe, expect, it } from "vitest";
import type { Attachment } from "./attachment.js";
import { uploadRefusals } from "./upload-refusal.js";

const MB = 1024 * 1024;
const LIMITS = { max_files: 3, max_file_size: 50 * MB, max_total_size: 100 * MB };
const file = (name: string, size: number) => ({ name, size });
const attached = (name: string, size: number, error?: string): Attachment => ({
  key: name,
  name,
  size,
  progress: 1,
  ...(error === undefined ? {} : { error }),
});

describe("uploadRefusals", () => {
  it("refuses a file that is too big, and goes on with the others", () => {
    expect(
      uploadRefusals(
        [],
        [file("big.csv", 56 * MB), file("a.csv", 50 * MB), file("b.csv", 50 * MB + 1)],
        LIMITS,
      ),
    ).toEqual([
      { key: "fileTooBig", values: { name: "big.csv", size: "56 MB", limit: "50 MB" } },
      undefined,
      { key: "fileTooBig", values: { name: "b.csv", size: "> 50 MB", limit: "50 MB" } },
    ]);
  });

  it("counts what is attached already, but not what was refused", () => {
    const list = [attached("a", 1), attached("b", 60 * MB, "too big")];
    expect(uploadRefusals(list, [file("c", 1), file("d", 1), file("e", 1)], LIMITS)).toEqual([
      undefined,
      undefined,
      { key: "tooManyFiles", values: { name: "e", limit: "3" } },
    ]);
  });

  it("refuses what is too much together", () => {
    const list = [attached("a", 40 * MB), attached("b", 40 * MB)];
    expect(uploadRefusals(list, [file("c", 30 * MB), file("d", 20 * MB)], LIMITS)).toEqual([
      { key: "filesTooBig", values: { name: "c", size: "110 MB", limit: "100 MB" } },
      undefined,
    ]);
  });

  it("leaves it to the gateway while the limits are not known", () => {
    expect(uploadRefusals([], [file("a", 900 * MB)], undefined)).toEqual([undefined]);
  });
});
