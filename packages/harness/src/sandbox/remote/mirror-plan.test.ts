import { assert, boolean, constant, constantFrom, oneof, option, property, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { type Action, type Entry, type Known, planSync, type Side, type SyncState } from "./mirror-plan.js";

const FILE = (stamp: string): Entry => ({ kind: "file", size: 1, stamp });
const FOLDER: Entry = { kind: "folder" };
const KNOWN: Known = { kind: "file", hostStamp: "h", remoteStamp: "r", hash: "x" };

interface Case {
  readonly before?: Known;
  readonly host?: Entry;
  readonly remote?: Entry;
  readonly hostSeen?: Side["seen"];
  readonly remoteSeen?: Side["seen"];
  readonly writable?: boolean;
}

const side = (entry: Entry | undefined, seen: Side["seen"] = "whole"): Side => ({
  tree: new Map(entry === undefined ? [] : [["/m/a", entry]]),
  seen,
});

function actions({ before, host, remote, hostSeen, remoteSeen, writable = true }: Case): readonly Action[] {
  return planSync({
    before: new Map(before === undefined ? [] : [["/m/a", before]]),
    host: side(host, hostSeen),
    remote: side(remote, remoteSeen),
    isWritable: () => writable,
  }).map(({ action }) => action);
}

describe("a file", () => {
  it.each<[string, Case, readonly Action[]]>([
    ["is left alone when it is as it was", { before: KNOWN, host: FILE("h"), remote: FILE("r") }, []],
    ["is sent when it is new", { host: FILE("h") }, ["upload"]],
    ["is sent when the host changed it", { before: KNOWN, host: FILE("h2"), remote: FILE("r") }, ["upload"]],
    ["is brought when it is new in the sandbox", { remote: FILE("r") }, ["download"]],
    [
      "is brought when a command changed it",
      { before: KNOWN, host: FILE("h"), remote: FILE("r2") },
      ["download"],
    ],
    ["goes when a command removed it", { before: KNOWN, host: FILE("h") }, ["remove-host"]],
    ["goes when the host removed it", { before: KNOWN, remote: FILE("r") }, ["remove-remote"]],
    ["is forgotten when both removed it", { before: KNOWN }, ["forget"]],
    [
      "is a conflict when both changed it",
      { before: KNOWN, host: FILE("h2"), remote: FILE("r2") },
      ["conflict"],
    ],
    ["is a conflict when both made it", { host: FILE("h"), remote: FILE("r") }, ["conflict"]],
    ["stays when a command removed what the host changed", { before: KNOWN, host: FILE("h2") }, ["upload"]],
    [
      "stays when the host removed what a command changed",
      { before: KNOWN, remote: FILE("r2") },
      ["download"],
    ],
    [
      "becomes a folder when a command made one of it",
      { before: KNOWN, host: FILE("h"), remote: FOLDER },
      ["remove-host", "make-host"],
    ],
    [
      "is not touched when it became a folder on one side and changed on the other",
      { before: KNOWN, host: FILE("h2"), remote: FOLDER },
      ["clash"],
    ],
    ["stays when the sandbox was not seen whole", { before: KNOWN, host: FILE("h"), remoteSeen: "cut" }, []],
    [
      "stays in the sandbox when the host was not seen whole",
      { before: KNOWN, remote: FILE("r"), hostSeen: "cut" },
      [],
    ],
    [
      "is sent again to a sandbox that lost it",
      { before: KNOWN, host: FILE("h"), remoteSeen: "fresh" },
      ["upload"],
    ],
  ])("%s", (_name, state, expected) => expect(actions(state)).toEqual(expected));
});

describe("in a read-only mount the host's version is sent whatever the sandbox did, and a file", () => {
  it.each<[string, Case, readonly Action[]]>([
    ["that a command changed", { before: KNOWN, host: FILE("h"), remote: FILE("r2") }, ["upload"]],
    ["that a command removed", { before: KNOWN, host: FILE("h") }, ["upload"]],
    ["that a command made goes", { remote: FILE("r") }, ["remove-remote"]],
    ["that became a folder", { before: KNOWN, host: FILE("h"), remote: FOLDER }, ["remove-remote", "upload"]],
  ])("%s", (_name, state, expected) => expect(actions({ ...state, writable: false })).toEqual(expected));
});

it("removes from the inside out, and makes from the outside in", () => {
  const known = (paths: readonly string[]) => new Map(paths.map((path) => [path, FOLDER as Known]));
  const tree = (paths: readonly string[]) => new Map(paths.map((path) => [path, FOLDER]));
  const steps = planSync({
    before: known(["/m/a", "/m/a/b"]),
    host: { tree: tree(["/m/a", "/m/a/b"]), seen: "whole" },
    remote: { tree: tree(["/m/c/d", "/m/c"]), seen: "whole" },
    isWritable: () => true,
  });
  expect(steps.map(({ action, path }) => `${action} ${path}`)).toEqual([
    "remove-host /m/a/b",
    "remove-host /m/a",
    "make-host /m/c",
    "make-host /m/c/d",
  ]);
});

const entries = option(
  oneof(
    constant(FOLDER),
    constantFrom("s", "t").map((stamp) => FILE(stamp)),
  ),
  { nil: undefined },
);
const knowns = option(
  oneof(
    constant<Known>({ kind: "folder" }),
    constantFrom("s", "t").map(
      (stamp): Known => ({ kind: "file", hostStamp: stamp, remoteStamp: stamp, hash: "" }),
    ),
  ),
  { nil: undefined },
);
const seens = constantFrom("whole" as const, "cut" as const, "fresh" as const);

it("never removes what changed, never removes for what was not seen, and never lets a read-only mount reach the host", () => {
  assert(
    property(knowns, entries, entries, tuple(seens, seens, boolean()), (before, host, remote, rest) => {
      const [hostSeen, remoteSeen, writable] = rest;
      const state: SyncState = {
        before: new Map(before === undefined ? [] : [["/m/a", before]]),
        host: side(host, hostSeen),
        remote: side(remote, remoteSeen),
        isWritable: () => writable,
      };
      const done = planSync(state).map(({ action }) => action);
      const isKnown = before?.kind === "file" && host?.kind === "file" && before.hostStamp === host.stamp;
      const isSame = isKnown || (before?.kind === "folder" && host?.kind === "folder");
      if (done.includes("remove-host")) {
        expect(isSame).toBe(true);
        expect(remote !== undefined || remoteSeen === "whole").toBe(true);
      }
      if (!writable) {
        expect(done.filter((action) => /host|download|conflict/.test(action))).toEqual([]);
      }
    }),
  );
});
