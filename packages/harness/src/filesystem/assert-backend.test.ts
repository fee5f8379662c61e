import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { assertBackend } from "./assert-backend.js";
import { CompositeBackend } from "./composite-backend.js";
import { FilesystemBackend } from "./filesystem-backend.js";
import { LocalShellBackend } from "./local-shell-backend.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";
import { fromSandboxBackendProtocolV2 } from "./protocol/from-sandbox-protocol.js";
import { toSandboxBackendProtocolV2 } from "./protocol/to-sandbox-protocol.js";
import { SandboxBackend } from "./sandbox-backend.js";
import { StateBackend } from "./state-backend.js";
import { StoreBackend } from "./store-backend.js";

/** Plain JavaScript may leave out and give anything. */
const given = <T>(value: unknown): T => value as T;
const backend = new StateBackend();
const sandbox = { id: "s", execute: () => Promise.reject(new Error("not called")) };

function refusal(build: () => unknown): readonly [code: string, option: unknown, reason: unknown] {
  try {
    build();
  } catch (error) {
    if (DeerflowError.is(error)) return [error.code, error.details["option"], error.details["reason"]];
    throw error;
  }
  throw new Error("it was accepted");
}

describe("what plain JavaScript gives in place of a backend's options", () => {
  it.each<readonly [what: string, build: () => unknown, option: string, reason: string]>([
    [
      "FilesystemBackend without options",
      () => new FilesystemBackend(given(undefined)),
      "rootDir",
      "missing",
    ],
    ["FilesystemBackend({})", () => new FilesystemBackend(given({})), "rootDir", "missing"],
    ["a root of 7", () => new FilesystemBackend(given({ rootDir: 7 })), "rootDir", "not a path"],
    ["LocalShellBackend({})", () => new LocalShellBackend(given({})), "rootDir", "missing"],
    ["StoreBackend without options", () => new StoreBackend(given(undefined)), "namespace", "missing"],
    ["a composite of nothing", () => new CompositeBackend(given(undefined), {}), "defaultBackend", "missing"],
    [
      "a composite without routes",
      () => new CompositeBackend(backend, given(undefined)),
      "routes",
      "must be an object",
    ],
    [
      "a route to what is no backend",
      () => new CompositeBackend(backend, given({ "/a/": { read() {} } })),
      'routes["/a/"]',
      "it has no list",
    ],
    [
      "a route to a class",
      () => new CompositeBackend(backend, given({ "/a/": StateBackend })),
      'routes["/a/"]',
      "function",
    ],
    ["SandboxBackend({})", () => new SandboxBackend(given({})), "sandbox", "missing"],
    ["a sandbox without execute", () => new SandboxBackend(given({ sandbox: {} })), "sandbox", "no execute"],
    [
      "a sandbox without a working directory",
      () => new SandboxBackend(given({ sandbox })),
      "workingDirectory",
      "absolute path",
    ],
    ["no backend for the protocol", () => toSandboxBackendProtocolV2(given(undefined)), "files", "missing"],
    ["no provider", () => fromSandboxBackendProtocolV2(given(undefined)), "provider", "missing"],
    ["our backend as a provider", () => fromSandboxBackendProtocolV2(given(backend)), "provider", "no ls"],
  ])("is refused by name: %s", (_what, build, option, reason) => {
    expect(refusal(build)).toEqual(["filesystem_options_invalid", option, expect.stringContaining(reason)]);
  });

  it("is told how a provider of deepagents becomes a backend", () => {
    const build = () => assertBackend("backend", { ls() {}, uploadFiles() {} });
    expect(refusal(build)[2]).toContain("wrap it in fromSandboxBackendProtocolV2");
  });
});

describe("a root that is there and is no folder", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "deerflow-root-"));
    writeFileSync(join(folder, "file"), "text");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is refused", () => {
    const build = () => new FilesystemBackend({ rootDir: join(folder, "file") });
    expect(refusal(build)).toEqual(["filesystem_options_invalid", "rootDir", "it is there and is no folder"]);
  });

  it("is named when it becomes one later, or is the folder of a mount, and never called a changed file", async () => {
    const root = join(folder, "later");
    const files = new FilesystemBackend({ rootDir: root });
    writeFileSync(root, "text");
    await expect(files.write("/a.txt", Buffer.from("x"), { expectedVersion: null })).rejects.toMatchObject({
      code: "not_a_directory",
      message: "/ is a file, not a folder.",
    });
    const mounts = [
      { virtualPath: "/mnt/data", hostPath: join(folder, "file"), mode: "read-write" as const },
    ];
    await expect(
      new MountedDiskBackend({ mounts }).write("/mnt/data/a/b.txt", Buffer.from("x")),
    ).rejects.toMatchObject({
      code: "not_a_directory",
      message: "/mnt/data is a file, not a folder.",
    });
  });

  it("is taken where nothing is yet", () => {
    expect(() => new FilesystemBackend({ rootDir: join(folder, "new", "folder") })).not.toThrow();
  });
});
