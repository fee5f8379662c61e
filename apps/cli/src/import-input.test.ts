import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importInput } from "./import-input.js";

const limits = { maxFiles: 3, maxTotalBytes: 100 };
const folder = () => mkdtempSync(join(tmpdir(), "deerflow-input-"));

describe("importInput", () => {
  it("copies a file and names it as an upload", async () => {
    const [from, uploads] = [folder(), folder()];
    writeFileSync(join(from, "a.csv"), "a,b\n");
    expect(await importInput(join(from, "a.csv"), uploads, limits)).toEqual([
      { filename: "a.csv", size: 4, path: "/mnt/user-data/uploads/a.csv", status: "uploaded" },
    ]);
    expect(readFileSync(join(uploads, "a.csv"), "utf8")).toBe("a,b\n");
  });

  it("copies a folder without links and package folders", async () => {
    const [from, uploads] = [join(folder(), "notes"), folder()];
    mkdirSync(join(from, "node_modules"), { recursive: true });
    mkdirSync(join(from, "sub"));
    writeFileSync(join(from, "node_modules/x.js"), "x");
    writeFileSync(join(from, "sub/b.md"), "# b");
    symlinkSync("/etc/passwd", join(from, "link"));
    expect(await importInput(from, uploads, limits)).toMatchObject([{ filename: "notes", size: 3 }]);
    expect([readdirSync(join(uploads, "notes")), readdirSync(join(uploads, "notes/sub"))]).toEqual([
      ["sub"],
      ["b.md"],
    ]);
  });

  it("follows a link that is the input itself, and refuses what is no file", async () => {
    const [from, uploads] = [folder(), folder()];
    writeFileSync(join(from, "real.csv"), "a\n");
    symlinkSync(join(from, "real.csv"), join(from, "link.csv"));
    expect(await importInput(join(from, "link.csv"), uploads, limits)).toMatchObject([
      { filename: "link.csv", size: 2 },
    ]);
    await expect(importInput("/dev/null", uploads, limits)).rejects.toMatchObject({ code: "input_missing" });
  });

  it("refuses what is missing or too large, and copies nothing", async () => {
    const [from, uploads] = [folder(), folder()];
    writeFileSync(join(from, "big"), "x".repeat(101));
    await expect(importInput(join(from, "big"), uploads, limits)).rejects.toMatchObject({
      code: "input_too_large",
    });
    await expect(importInput(join(from, "none"), uploads, limits)).rejects.toMatchObject({
      code: "input_missing",
    });
    expect(readdirSync(uploads)).toEqual([]);
  });
});
