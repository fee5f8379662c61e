import { describe, expect, it, vi } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import { silentLogger } from "../base/logger.js";
import type { ByteReadable, FileBackend, LinkFollowing } from "../filesystem/contract.js";
import { deniedSandbox, inspect, nameIn, realPathOf } from "./read-before-write-inspection.js";

const denied = new DeerflowError("sandbox_unauthorized", { reason: "another user's" });
const logger = () => ({ ...silentLogger, warn: vi.fn() });

/** Files of which only what a test gives is there. */
const filesOf = (part: Partial<FileBackend & ByteReadable & LinkFollowing>): FileBackend =>
  // The cast is sound: a test calls only the verbs that it gives.
  ({ id: "files", ...part }) as FileBackend;

/** Text as a backend gives it that knows nothing but strings. */
const stringFiles = (text: string, size: number | undefined) =>
  filesOf({
    read: async () => ({ bytes: Buffer.from(text), version: sha256(text) }),
    stat: async (path) => (size === undefined ? undefined : { path, kind: "file", size, modifiedAt: 0 }),
  });

async function* pieces(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe("inspect", () => {
  it("gives the version of the whole content, as a read gives it", async () => {
    const text = "1\n2\n3\n";
    const files = stringFiles(text, text.length);
    expect(await inspect(files, "/f", { logger: silentLogger })).toEqual({
      inspected: true,
      version: sha256(text),
    });
  });

  it("finds no version where no file is", async () => {
    const missing = { inspected: true, version: undefined };
    expect(await inspect(filesOf({ read: async () => undefined }), "/f", { logger: silentLogger })).toEqual(
      missing,
    );
    expect(
      await inspect(filesOf({ openBytes: async () => undefined }), "/f", { logger: silentLogger }),
    ).toEqual(missing);
  });

  it("takes a large file piece by piece and never whole", async () => {
    const read = vi.fn();
    const files = filesOf({ openBytes: async () => pieces(["ab", "", "cd"]), read });
    expect(await inspect(files, "/f", { logger: silentLogger })).toEqual({
      inspected: true,
      version: sha256("abcd"),
    });
    expect(read).not.toHaveBeenCalled();
  });

  it("does not inspect, and logs, what fails", async () => {
    const log = logger();
    const files = filesOf({ read: () => Promise.reject(new Error("connection lost")) });
    expect(await inspect(files, "/f", { logger: log })).toEqual({ inspected: false });
    expect(log.warn).toHaveBeenCalledWith(expect.stringContaining("lets the call through"), {
      path: "/f",
      reason: "connection lost",
    });
  });

  it.each([undefined, 7])(
    "takes the text of an error for no content, though a file of size %s is there",
    async (size) => {
      const log = logger();
      expect(await inspect(stringFiles("Error: file not found", size), "/f", { logger: log })).toEqual({
        inspected: false,
      });
      expect(log.warn).toHaveBeenCalledOnce();
    },
  );

  it("takes a file that begins like an error for a file", async () => {
    const text = "Error: disk full\n";
    const files = stringFiles(text, text.length);
    expect(await inspect(files, "/f", { logger: silentLogger })).toEqual({
      inspected: true,
      version: sha256(text),
    });
    const bytes = filesOf({ openBytes: async () => pieces([text]) });
    expect(await inspect(bytes, "/f", { logger: silentLogger })).toEqual({
      inspected: true,
      version: sha256(text),
    });
  });

  it("never lets a sandbox pass that may not be used", async () => {
    const log = logger();
    const inner = new DeerflowError("sandbox_failed", { provider: "p", reason: "r" }, denied);
    for (const error of [denied, inner, new Error("wrapped", { cause: inner })]) {
      await expect(
        inspect(filesOf({ read: () => Promise.reject(error) }), "/f", { logger: log }),
      ).rejects.toBe(error);
      const files = filesOf({ judgedBy: () => files, realPath: () => Promise.reject(error) });
      await expect(realPathOf(files, "/f")).rejects.toBe(error);
    }
    expect(log.warn).not.toHaveBeenCalled();
  });
});

describe("realPathOf", () => {
  it("is where links lead, and the path itself where there are none or looking fails", async () => {
    const judgedBy = () => filesOf({});
    expect(await realPathOf(filesOf({ judgedBy, realPath: async () => "/real" }), "/link")).toBe("/real");
    expect(await realPathOf(filesOf({}), "/f")).toBe("/f");
    const broken = filesOf({ judgedBy, realPath: () => Promise.reject(new Error("loop")) });
    expect(await realPathOf(broken, "/f")).toBe("/f");
  });
});

describe("nameIn", () => {
  it("is one for all cases and compositions only where the files fold case", () => {
    expect(nameIn(filesOf({}))("/É")).toBe("/É");
    const folding = nameIn(filesOf({ foldsCase: true }));
    expect(folding("/E\u0301.TXT")).toBe(folding("/é.txt"));
  });
});

describe("deniedSandbox", () => {
  it("finds the refusal in what caused an error, also in a circle of causes", () => {
    expect(deniedSandbox(new Error("a", { cause: new Error("b", { cause: denied }) }))).toBe(denied);
    const circle = new Error("round");
    circle.cause = circle;
    expect(deniedSandbox(circle)).toBeUndefined();
    expect(deniedSandbox("sandbox_unauthorized")).toBeUndefined();
  });
});
