/**
 * What a mirror has to do so that the folders of a thread are the same on the host and in a remote sandbox. Pure.
 *
 * The rule: a change on one side goes to the other. What changed on both sides stays as it is on the host, and the
 * sandbox's version comes beside it under another name. What one side removed and the other changed stays. Where a
 * file on one side is a folder on the other and both changed, nothing is touched.
 */

/** What lies at a path. The stamp of a file differs whenever its content might. */
export type Entry =
  | { readonly kind: "folder" }
  | { readonly kind: "file"; readonly size: number; readonly stamp: string };

/** By virtual path. The mounted folders themselves are not in it. */
export type Tree = ReadonlyMap<string, Entry>;

/** One side, as it was found. */
export interface Side {
  readonly tree: Tree;
  /**
   * What a missing path means: `whole`: it was removed; `cut`: perhaps it was not looked at; `fresh`: the side lost
   * what it had, all of it.
   */
  readonly seen: "whole" | "cut" | "fresh";
}

/** A path that was the same on both sides once. */
export type Known =
  | { readonly kind: "folder" }
  | {
      readonly kind: "file";
      readonly hostStamp: string;
      readonly remoteStamp: string;
      /** sha-256 in hex. */
      readonly hash: string;
    };

export type Action =
  | "upload"
  | "download"
  | "conflict"
  | "clash"
  | "remove-host"
  | "remove-remote"
  | "make-host"
  | "make-remote"
  | "record"
  | "forget";

export interface Step {
  readonly action: Action;
  readonly path: string;
}

export interface SyncState {
  readonly before: ReadonlyMap<string, Known>;
  readonly host: Side;
  readonly remote: Side;
  /** Whether what the sandbox does to a path counts; in a read-only mount it does not. */
  isWritable(path: string): boolean;
}

/** Steps in an order in which they can be done: removals from the inside out, then folders from the outside in, then files. */
export function planSync(state: SyncState): readonly Step[] {
  const paths = new Set([...state.before.keys(), ...state.host.tree.keys(), ...state.remote.tree.keys()]);
  const steps = [...paths].flatMap((path) => actionsFor(state, path).map((action) => ({ action, path })));
  return steps.toSorted(
    (a, b) => RANK[a.action] - RANK[b.action] || (RANK[a.action] === 0 ? compare(b, a) : compare(a, b)),
  );
}

const compare = (a: Step, b: Step): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

const RANK: Readonly<Record<Action, number>> = {
  "remove-host": 0,
  "remove-remote": 0,
  "make-host": 1,
  "make-remote": 1,
  upload: 2,
  conflict: 2,
  clash: 2,
  download: 3,
  record: 4,
  forget: 4,
};

type Change = "same" | "changed" | "missing";

function changeOf(
  known: Known | undefined,
  now: Entry | undefined,
  stampName: "hostStamp" | "remoteStamp",
): Change {
  if (now === undefined) return "missing";
  if (known?.kind !== now.kind) return "changed";
  return known.kind === "file" && now.kind === "file" && known[stampName] !== now.stamp ? "changed" : "same";
}

function actionsFor({ before, host, remote, isWritable }: SyncState, path: string): readonly Action[] {
  const known = before.get(path);
  const here = host.tree.get(path);
  const there = remote.tree.get(path);
  const hostChange = changeOf(known, here, "hostStamp");
  const remoteChange = changeOf(known, there, "remoteStamp");
  if (hostChange === "same" && remoteChange === "same") return [];
  if (here === undefined && there === undefined) return known === undefined ? [] : ["forget"];
  if (!isWritable(path)) return fromHost(here, there, host.seen);
  if (here === undefined) return withoutHost(host.seen, remoteChange, there);
  if (there === undefined) return withoutRemote(remote.seen, hostChange, here);
  if (here.kind !== there.kind) return ofTwoKinds(hostChange, remoteChange, here, there);
  if (here.kind === "folder") return ["record"];
  if (hostChange === "changed" && remoteChange === "changed") return ["conflict"];
  return [hostChange === "changed" ? "upload" : "download"];
}

/** In a read-only mount the sandbox's side is made what the host's is. */
function fromHost(here: Entry | undefined, there: Entry | undefined, seen: Side["seen"]): readonly Action[] {
  if (here === undefined) return seen === "whole" ? ["remove-remote"] : [];
  if (here.kind === "folder" && there?.kind === "folder") return ["record"];
  return [
    ...(there !== undefined && there.kind !== here.kind ? (["remove-remote"] as const) : []),
    sent(here),
  ];
}

const sent = (here: Entry): Action => (here.kind === "folder" ? "make-remote" : "upload");
const brought = (there: Entry): Action => (there.kind === "folder" ? "make-host" : "download");

function withoutHost(seen: Side["seen"], remoteChange: Change, there: Entry | undefined): readonly Action[] {
  if (there === undefined) return [];
  if (remoteChange === "changed") return [brought(there)];
  return seen === "whole" ? ["remove-remote"] : [];
}

function withoutRemote(seen: Side["seen"], hostChange: Change, here: Entry): readonly Action[] {
  if (hostChange === "changed" || seen === "fresh") return [sent(here)];
  return seen === "whole" ? ["remove-host"] : [];
}

function ofTwoKinds(hostChange: Change, remoteChange: Change, here: Entry, there: Entry): readonly Action[] {
  if (hostChange === "changed" && remoteChange === "changed") return ["clash"];
  return hostChange === "changed" ? ["remove-remote", sent(here)] : ["remove-host", brought(there)];
}
