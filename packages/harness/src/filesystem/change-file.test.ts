import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import type { FileBackend } from "./contract.js";
import { changeFile } from "./change-file.js";
import { FilesystemBackend } from "./filesystem-backend.js";

/** One file; before each of the first `overtakes` writes, somebody else writes an "x" to its end. */
function contested(overtakes: number) {
  let text = "";
  let left = overtakes;
  const no = async () => undefined as never;
  const files: FileBackend = {
    id: `contested-${overtakes}`,
    list: no,
    stat: no,
    remove: no,
    read: async () => ({ bytes: Buffer.from(text), version: sha256(text) }),
    write: async (path, content, options) => {
      if (left > 0) {
        left -= 1;
        text += "x";
      }
      if (options?.expectedVersion !== sha256(text)) throw new DeerflowError("file_changed", { path });
      text = Buffer.from(content).toString();
      return sha256(text);
    },
  };
  const append = (letter: string) =>
    changeFile(files, "/f", (content) => ({
      bytes: Buffer.concat([content?.bytes ?? Buffer.of(), Buffer.from(letter)]),
      told: letter,
    }));
  return { append, text: () => text };
}

describe("changeFile", () => {
  it("makes the change again from what another writer left", async () => {
    const file = contested(2);
    expect(await file.append("a")).toEqual({ version: sha256("xxa"), told: "a" });
    expect(file.text()).toBe("xxa");
  });

  it("gives up, rather than overwrite, when it is always overtaken", async () => {
    const file = contested(100);
    await expect(file.append("a")).rejects.toMatchObject({ code: "file_changed" });
    expect(file.text()).not.toContain("a");
  });

  it("says of what cannot be read whole that it cannot be changed in parts", async () => {
    const host = mkdtempSync(join(tmpdir(), "deerflow-change-"));
    try {
      const files = new FilesystemBackend({ rootDir: host, maxReadBytes: 3 });
      await files.write("/f", Buffer.from("four"));
      const change = changeFile(files, "/f", () => ({ bytes: Buffer.from("x"), told: undefined }));
      await expect(change).rejects.toMatchObject({
        code: "file_too_large_to_edit",
        message: "/f has 4 bytes, which is too large to be changed in parts; that is possible up to 3 bytes.",
      });
    } finally {
      rmSync(host, { recursive: true });
    }
  });

  it("lets any number of changes of one file take turns", async () => {
    const file = contested(0);
    await Promise.all(Array.from({ length: 100 }, () => file.append("a")));
    expect(file.text()).toBe("a".repeat(100));
  });
});
