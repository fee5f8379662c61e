import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CompositeBackend } from "../filesystem/composite-backend.js";
import { FilesystemBackend } from "../filesystem/filesystem-backend.js";
import { LocalShellBackend } from "../filesystem/local-shell-backend.js";
import { StateBackend } from "../filesystem/state-backend.js";
import { mapLine, shellPathMap } from "./shell-path-map.js";

const work = join(tmpdir(), "work");
const notes = join(tmpdir(), "notes");

const linesOf = (map: string | undefined): string[] =>
  (map ?? "").split("\n").filter((line) => line.startsWith("- "));

describe("shellPathMap", () => {
  it("says where each route lies for a command, longest route first and the rest last", () => {
    const files = new CompositeBackend(new LocalShellBackend({ rootDir: work }), {
      "/memories/": new StateBackend(),
      "/memories/notes/": new FilesystemBackend({ rootDir: notes }),
    });
    expect(linesOf(shellPathMap(files))).toEqual([
      `- /memories/notes/ is ${notes}/ in a command: /memories/notes/notes.md is ${notes}/notes.md.`,
      "- /memories/ cannot be reached from the shell: only the file tools can open /memories/notes.md.",
      `- / is ${work}/ in a command: /notes.md is ${work}/notes.md.`,
    ]);
  });

  it("knows that a folder outside of virtual mode is the disk itself", () => {
    const files = new CompositeBackend(new LocalShellBackend({ rootDir: work, virtualMode: false }), {
      "/disk/": new FilesystemBackend({ rootDir: notes, virtualMode: false }),
    });
    expect(linesOf(shellPathMap(files))).toEqual([
      "- /disk/ is / in a command: /disk/notes.md is /notes.md.",
    ]);
  });

  it.each([
    ["one backend", new LocalShellBackend({ rootDir: work })],
    [
      "no shell",
      new CompositeBackend(new FilesystemBackend({ rootDir: work }), { "/m/": new StateBackend() }),
    ],
    ["no routes", new CompositeBackend(new LocalShellBackend({ rootDir: work }), {})],
  ])("says nothing with %s", (_what, files) => {
    expect(shellPathMap(files)).toBeUndefined();
  });

  it("puts a folder with dollar signs in as it is", () => {
    const files = new CompositeBackend(new LocalShellBackend({ rootDir: join(tmpdir(), "$&$'") }), {
      "/m/": new StateBackend(),
    });
    expect(shellPathMap(files)).toContain("/$&$'/notes.md");
  });
});

describe("mapLine", () => {
  it("ends both sides with a slash, also where one was given", () => {
    expect(mapLine({ root: "/m/", hostFolder: "/" })).toBe(
      "- /m/ is / in a command: /m/notes.md is /notes.md.",
    );
  });
});
