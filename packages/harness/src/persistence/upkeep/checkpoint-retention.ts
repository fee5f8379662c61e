/** Which checkpoints of a thread stay when it is pruned, and why. Decisions only. */
import type { CheckpointKey } from "../checkpoint/checkpoint-rows.js";
import type { CheckpointFacts } from "./checkpoint-facts.js";

export interface RetentionRules {
  /** How many of the newest stay in each namespace. Undefined: only their age decides. */
  readonly keepLast: number | undefined;
  /** Those made since then stay: milliseconds since 1970. Undefined: age does not matter. */
  readonly keepSince: number | undefined;
  readonly keepForkBases: boolean;
  readonly keepNewestInterrupt: boolean;
}

/** A stored checkpoint, and whether a task of it waits, or waited, for a person. */
export interface RetentionCandidate extends CheckpointFacts {
  readonly interrupted: boolean;
}

/** The checkpoints of one namespace that may stay. */
interface Line {
  readonly ns: string;
  /** Newest first. */
  readonly checkpoints: readonly RetentionCandidate[];
  /** Ids of the outermost graph's checkpoints that stay; empty while that graph itself is decided. */
  readonly keptOutside: readonly string[];
}

type Choice = (line: Line, rules: RetentionRules) => readonly RetentionCandidate[];

/** Why a checkpoint stays for its own sake; the first that holds is named. */
const REASONS = {
  newest: {
    because: "The next run goes on from it, with the writes of its unfinished tasks.",
    choose: ({ checkpoints }) => checkpoints.slice(0, 1),
  },
  last: {
    because: "It is one of the last that the caller wants to go back to.",
    choose: ({ checkpoints }, { keepLast }) => checkpoints.slice(0, keepLast ?? 0),
  },
  young: {
    because: "It is not old enough. One whose age is unknown is never old enough.",
    choose: ({ checkpoints }, { keepSince }) =>
      keepSince === undefined
        ? []
        : checkpoints.filter(({ createdAt }) => createdAt === undefined || createdAt >= keepSince),
  },
  interrupt: {
    because: "It is the newest that asked a person, who may still answer.",
    choose: ({ checkpoints }, { keepNewestInterrupt }) =>
      checkpoints.filter(({ interrupted }) => keepNewestInterrupt && interrupted).slice(0, 1),
  },
  fork: {
    because: "Branches part here, or one of them ends here: without its end a branch would be gone.",
    choose: (line, { keepForkBases }) => (keepForkBases ? forksAndEnds(line) : []),
  },
  replay: {
    because:
      "A subgraph that keeps its state goes on from it when the outer graph goes back to one that stays.",
    choose: replayed,
  },
} as const satisfies Record<string, { because: string; choose: Choice }>;

/** Why a checkpoint stays because another one does. */
const NEEDS = {
  history: "A channel of a checkpoint that stays is made of its writes.",
  sends: "The Sends of a checkpoint in an old format lie with its parent.",
  edit: "Subgraphs that keep their state find their place by the parent of an edited checkpoint.",
} as const;

/** A checkpoint of a subgraph whose outer checkpoint is not stored yet stays until that is known. */
type Reason = keyof typeof REASONS | keyof typeof NEEDS;

export interface Retention {
  readonly kept: ReadonlyMap<RetentionCandidate, Reason>;
  readonly removed: readonly RetentionCandidate[];
  /** Kept ones whose parent goes: the nearest ancestor that stays becomes the parent, or none. */
  readonly moved: readonly (CheckpointKey & { readonly parentId: string | undefined })[];
}

/**
 * Decides for all checkpoints of one thread. Deciding again over what stays removes nothing more, as long as the
 * rules and the time are the same.
 */
export function decideRetention(
  checkpoints: readonly RetentionCandidate[],
  rules: RetentionRules,
): Retention {
  const namespaces = groupedBy(checkpoints, ({ ns }) => ns);
  const thread = new Thread(checkpoints, [...namespaces.keys()].some(isStateful));
  // A subgraph's namespace is longer than those around it, so these are decided before.
  for (const ns of [...namespaces.keys()].sort((a, b) => a.length - b.length)) {
    const line: Line = {
      ns,
      checkpoints: (namespaces.get(ns) ?? []).filter((each) => thread.belongs(each)).sort(newestFirst),
      keptOutside: thread.keptIn(""),
    };
    // The keys of the table above.
    for (const reason of Object.keys(REASONS) as (keyof typeof REASONS)[]) {
      for (const each of REASONS[reason].choose(line, rules)) thread.keep(each, reason);
    }
  }
  return thread.retention();
}

/** A checkpoint that must stay, and the channels that are to be rebuilt from its ancestors. */
interface Kept {
  readonly checkpoint: RetentionCandidate;
  readonly reason: Reason;
  readonly missing: readonly string[];
}

/** The checkpoints of a thread while they are decided. */
class Thread {
  readonly #checkpoints: readonly RetentionCandidate[];
  readonly #byKey: ReadonlyMap<string, RetentionCandidate>;
  readonly #newest = new Map<string, string>();
  readonly #kept = new Map<RetentionCandidate, Reason>();
  /** By checkpoint: the channels whose history was followed beyond it. */
  readonly #followed = new Map<RetentionCandidate, Set<string>>();
  readonly #hasStatefulSubgraphs: boolean;

  constructor(checkpoints: readonly RetentionCandidate[], hasStatefulSubgraphs: boolean) {
    this.#checkpoints = checkpoints;
    this.#hasStatefulSubgraphs = hasStatefulSubgraphs;
    this.#byKey = new Map(checkpoints.map((each) => [keyOf(each.ns, each.id), each]));
    for (const { ns, id } of checkpoints) {
      if (id > (this.#newest.get(ns) ?? "")) this.#newest.set(ns, id);
    }
  }

  keptIn(namespace: string): string[] {
    return [...this.#kept.keys()].filter(({ ns }) => ns === namespace).map(({ id }) => id);
  }

  /** A run of a subgraph lives and dies with the checkpoints around it; a subgraph that keeps its state does not. */
  belongs({ ns, parents }: RetentionCandidate): boolean {
    if (ns === "" || isStateful(ns)) return true;
    return [...parents].every(([around, id]) => {
      const outer = this.#byKey.get(keyOf(around, id));
      if (outer !== undefined) return this.#kept.has(outer);
      // The outer graph may store its checkpoint after the inner one: it is not gone, it is not there yet.
      return id > (this.#newest.get(around) ?? "");
    });
  }

  /** Keeps a checkpoint and all that it needs. */
  keep(checkpoint: RetentionCandidate, reason: Reason): void {
    const waiting: Kept[] = [{ checkpoint, reason, missing: [] }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const isNew = !this.#kept.has(next.checkpoint);
      if (isNew) this.#kept.set(next.checkpoint, next.reason);
      const parent = this.#find(next.checkpoint.ns, next.checkpoint.parentId);
      if (parent === undefined) continue;
      if (isNew) waiting.push(...this.#besides(next.checkpoint, parent));
      const missing = this.#toFollow(next);
      if (missing.length === 0) continue;
      const still = missing.filter((channel) => !parent.holds.has(channel));
      waiting.push({ checkpoint: parent, reason: "history", missing: still });
    }
  }

  retention(): Retention {
    const moved: (CheckpointKey & { parentId: string | undefined })[] = [];
    for (const checkpoint of this.#kept.keys()) {
      const parentId = this.#parentAfter(checkpoint);
      if (parentId !== checkpoint.parentId) moved.push({ ns: checkpoint.ns, id: checkpoint.id, parentId });
    }
    return {
      kept: this.#kept,
      removed: this.#checkpoints.filter((each) => !this.#kept.has(each)),
      moved,
    };
  }

  /** What of the parent is needed besides the writes of its channels. */
  *#besides(checkpoint: RetentionCandidate, parent: RetentionCandidate): Iterable<Kept> {
    if (checkpoint.needsSendsOfParent) yield { checkpoint: parent, reason: "sends", missing: [] };
    const isEdit = checkpoint.source === "update" || checkpoint.source === "fork";
    if (isEdit && this.#hasStatefulSubgraphs) yield { checkpoint: parent, reason: "edit", missing: [] };
  }

  /** The channels to be rebuilt from before the checkpoint, for it and for those after it; each is named once. */
  #toFollow({ checkpoint, missing }: Kept): string[] {
    const followed = this.#followed.get(checkpoint) ?? new Set();
    const fresh = [...new Set([...checkpoint.rebuilds, ...missing])].filter((each) => !followed.has(each));
    this.#followed.set(checkpoint, new Set([...followed, ...fresh]));
    return fresh;
  }

  #parentAfter({ ns, id, parentId }: RetentionCandidate): string | undefined {
    // Ids of other programs may go round in a circle.
    const seen = new Set([id]);
    let at = parentId;
    for (;;) {
      const parent = this.#find(ns, at);
      // One that is not stored stays named: it was gone before, or is still to come.
      if (parent === undefined || this.#kept.has(parent)) return at;
      seen.add(parent.id);
      at = parent.parentId;
      if (at !== undefined && seen.has(at)) return undefined;
    }
  }

  #find(ns: string, id: string | undefined): RetentionCandidate | undefined {
    return id === undefined ? undefined : this.#byKey.get(keyOf(ns, id));
  }
}

const keyOf = (ns: string, id: string): string => JSON.stringify([ns, id]);

const newestFirst = (a: CheckpointKey, b: CheckpointKey): number => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

/** A subgraph that keeps its state between runs has a name; a run of any other has its task's id besides. */
const isStateful = (ns: string): boolean => ns !== "" && !ns.includes(":");

/** Where branches part, and where each of these branches ends. */
function forksAndEnds({ checkpoints }: Line): RetentionCandidate[] {
  const children = groupedBy(checkpoints, ({ parentId }) => parentId);
  const bases = checkpoints.filter(({ id }) => (children.get(id)?.length ?? 0) > 1);
  const behind = new Set<RetentionCandidate>();
  const waiting = [...bases];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const fresh = (children.get(next.id) ?? []).filter((child) => !behind.has(child));
    for (const child of fresh) behind.add(child);
    waiting.push(...fresh);
  }
  return [...bases, ...[...behind].filter(({ id }) => !children.has(id))];
}

/** LangGraph looks for the newest one of before the checkpoint that the outer graph goes back to. */
function replayed({ ns, checkpoints, keptOutside }: Line): RetentionCandidate[] {
  if (!isStateful(ns)) return [];
  return keptOutside
    .map((outer) => checkpoints.find(({ id }) => id < outer))
    .filter((found) => found !== undefined);
}

function groupedBy<K, T>(values: readonly T[], keyOf: (value: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}
