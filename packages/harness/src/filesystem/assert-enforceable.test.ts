import { describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import type { FilesystemPermission } from "../policy/file-permission.js";
import { MemoryFiles } from "../testing/memory-files.js";
import { scriptedSandbox } from "../testing/scripted-sandbox.js";
import { assertEnforceable } from "./assert-enforceable.js";
import { CompositeBackend } from "./composite-backend.js";
import type { FileBackend, Shell } from "./contract.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";
import { withShell } from "./with-shell.js";

const shellThat = (reachesHost: boolean): Shell => ({
  sandbox: scriptedSandbox(() => Promise.reject(new Error("nothing is run here"))),
  workingDirectory: "/home",
  reachesHost,
});
const HOST = shellThat(true);
const ISOLATED = shellThat(false);
/** A sandbox that keeps rules, and itself under rules. */
const KEPT = { ...scriptedSandbox(), id: "kept" };
const keepingShell = (reachesHost: boolean): Shell => ({
  ...shellThat(reachesHost),
  sandbox: { ...scriptedSandbox(), keeping: () => KEPT },
});
const KEEPING = keepingShell(false);

const disk = () => new MountedDiskBackend({ mounts: [], foldsCase: false });
const memory = () => new MemoryFiles();
const routed = (routes: Readonly<Record<string, FileBackend>>) => new CompositeBackend(disk(), routes);
const deny = (...paths: readonly string[]): FilesystemPermission => ({
  operations: ["read"],
  paths,
  mode: "deny",
});

function refusal(files: FileBackend, shell: Shell | undefined, ...rules: readonly FilesystemPermission[]) {
  try {
    assertEnforceable(files, shell, rules);
    return undefined;
  } catch (error) {
    if (DeerflowError.is(error)) return error;
    throw error;
  }
}

interface Row {
  readonly what: string;
  readonly files: () => FileBackend;
  readonly shell: Shell | undefined;
  readonly rules: readonly FilesystemPermission[];
  readonly isRefused: boolean;
}

const memories = () => routed({ "/memories/": memory() });
const diskRoute = () => routed({ "/memories/": disk() });
const nested = () => routed({ "/a/": new CompositeBackend(disk(), { "/b/": memory() }) });

const ROWS: readonly Row[] = [
  { what: "no shell", files: disk, shell: undefined, rules: [deny("/**")], isRefused: false },
  { what: "no rule", files: disk, shell: HOST, rules: [], isRefused: false },
  {
    what: "a rule that only allows",
    files: disk,
    shell: HOST,
    rules: [{ operations: ["read"], paths: ["/**"] }],
    isRefused: false,
  },
  { what: "a deny on plain files", files: disk, shell: ISOLATED, rules: [deny("/x/**")], isRefused: true },
  {
    what: "an interrupt on plain files",
    files: disk,
    shell: HOST,
    rules: [{ operations: ["write"], paths: ["/x"], mode: "interrupt" }],
    isRefused: true,
  },
  {
    what: "a route in memory",
    files: memories,
    shell: HOST,
    rules: [deny("/memories/**")],
    isRefused: false,
  },
  { what: "the route itself", files: memories, shell: HOST, rules: [deny("/memories")], isRefused: false },
  {
    what: "a longer name than the route",
    files: memories,
    shell: HOST,
    rules: [deny("/memories*")],
    isRefused: true,
  },
  {
    what: "a name beside the route",
    files: memories,
    shell: HOST,
    rules: [deny("/memoriesx/**")],
    isRefused: true,
  },
  { what: "more than the route", files: memories, shell: HOST, rules: [deny("/**")], isRefused: true },
  {
    what: "not canonical, in the route",
    files: memories,
    shell: HOST,
    rules: [deny("//./memories//x")],
    isRefused: false,
  },
  {
    what: "one path outside of the route",
    files: memories,
    shell: HOST,
    rules: [deny("/memories/**", "/x")],
    isRefused: true,
  },
  {
    what: "one choice outside of the route",
    files: memories,
    shell: HOST,
    rules: [deny("/{memories,x}/**")],
    isRefused: true,
  },
  {
    what: "all choices in the route",
    files: memories,
    shell: HOST,
    rules: [deny("/memories/{a,b}/**")],
    isRefused: false,
  },
  { what: "a home folder", files: memories, shell: HOST, rules: [deny("~/**")], isRefused: true },
  {
    what: "a route on this disk and the host's shell",
    files: diskRoute,
    shell: HOST,
    rules: [deny("/memories/**")],
    isRefused: true,
  },
  {
    what: "a route on this disk and an isolated shell",
    files: diskRoute,
    shell: ISOLATED,
    rules: [deny("/memories/**")],
    isRefused: false,
  },
  {
    what: "a route to the files of the very shell",
    files: () => routed({ "/work/": withShell(memory(), ISOLATED) }),
    shell: ISOLATED,
    rules: [deny("/work/**")],
    isRefused: true,
  },
  { what: "a route in a route", files: nested, shell: HOST, rules: [deny("/a/b/**")], isRefused: false },
  {
    what: "the disk beside a route in a route",
    files: nested,
    shell: HOST,
    rules: [deny("/a/c/**")],
    isRefused: true,
  },
  {
    what: "a deny on plain files and a sandbox that keeps it",
    files: disk,
    shell: KEEPING,
    rules: [deny("/x/**")],
    isRefused: false,
  },
  {
    what: "everything, beside a route in memory, and a sandbox that keeps it",
    files: memories,
    shell: KEEPING,
    rules: [deny("/**")],
    isRefused: false,
  },
  {
    what: "a route to the files of the very shell, which has them elsewhere, and a sandbox that keeps rules",
    files: () => routed({ "/work/": withShell(memory(), KEEPING) }),
    shell: KEEPING,
    rules: [deny("/work/**")],
    isRefused: true,
  },
  {
    what: "everything above such a route",
    files: () => routed({ "/work/": withShell(memory(), KEEPING) }),
    shell: KEEPING,
    rules: [deny("/**/key")],
    isRefused: true,
  },
  {
    what: "a route of the default",
    files: () => new CompositeBackend(memories(), { "/other/": memory() }),
    shell: HOST,
    rules: [deny("/memories/**")],
    isRefused: false,
  },
];

describe("rules beside a shell", () => {
  it.each(ROWS)("for $what are refused: $isRefused", ({ files, shell, rules, isRefused }) => {
    expect(refusal(files(), shell, ...rules)?.code).toBe(isRefused ? "permissions_unenforceable" : undefined);
  });

  it("are named in the refusal, without those that hold", () => {
    const error = refusal(memories(), HOST, deny("/memories/**"), deny("/a", "/b"), {
      operations: ["read", "write"],
      paths: ["/c"],
      mode: "interrupt",
    });
    expect(error?.details["rules"]).toBe("deny read of /a, /b; interrupt read and write of /c");
    expect(error?.sentence).toContain("Leave the shell tool out");
  });

  it("are handed to the sandbox that keeps them, in whose place the kept one is given", () => {
    const shell = assertEnforceable(disk(), KEEPING, [deny("~/x")]);
    expect(shell).toEqual({ ...KEEPING, sandbox: KEPT });
    const allow: FilesystemPermission = { operations: ["read"], paths: ["/**"] };
    expect(assertEnforceable(disk(), KEEPING, [allow])).toBe(KEEPING);
    expect(assertEnforceable(memories(), KEEPING, [deny("/memories/x")])).toBe(KEEPING);
    expect(assertEnforceable(disk(), undefined, [deny("/x")])).toBeUndefined();
  });

  it("are refused when the sandbox cannot keep one of them", () => {
    const refusing = () => {
      throw new DeerflowError("permissions_unenforceable", { rules: "deny read of /etc", hint: "Not /etc." });
    };
    const shell = { ...KEEPING, sandbox: { ...scriptedSandbox(), keeping: refusing } };
    expect(refusal(disk(), shell, deny("/etc"))?.sentence).toContain("/etc");
  });

  it("take the home folder that is given", () => {
    expect(() => assertEnforceable(memories(), HOST, [deny("~/**")], "/memories/mine")).not.toThrow();
  });

  it("are refused when they are no rules at all", () => {
    expect(refusal(disk(), HOST, deny("x"))?.code).toBe("permissions_invalid");
  });
});
