/** What a thread is made of, as digests by name: so two copies can be told from two threads of one name. */

/** One thing that a copy must have too. */
export interface Fact {
  readonly digest: string;
  /** When it was last changed; absent for what never changes. */
  readonly at?: number;
  /** The checkpoint it belongs to. Ids of checkpoints grow with time. */
  readonly checkpointId?: string;
}

export type ThreadFacts = ReadonlyMap<string, Fact>;

/**
 * How a copy stands to its source. `behind`: all of it is in the source, and the source has more. `ahead`: the
 * other way round. `conflict`: neither; they are different threads, or both went on by themselves.
 */
export type CopyStanding =
  | { readonly kind: "absent" | "equal" | "behind" | "ahead" }
  | { readonly kind: "conflict"; readonly reason: string };

/** @param copy - undefined when the target has no such thread */
export function standingOf(source: ThreadFacts, copy: ThreadFacts | undefined): CopyStanding {
  if (copy === undefined) return { kind: "absent" };
  const newest = newestCommon(source, copy);
  const sourceHas = missingIn(copy, source, newest);
  const copyHas = missingIn(source, copy, newest);
  for (const [name, fact] of source) {
    const other = copy.get(name);
    if (other === undefined || other.digest === fact.digest) continue;
    if (fact.at === undefined || other.at === undefined || fact.at === other.at) {
      return { kind: "conflict", reason: `${name} differs` };
    }
    (fact.at > other.at ? sourceHas : copyHas).push(name);
  }
  if (sourceHas.length === 0) return { kind: copyHas.length === 0 ? "equal" : "ahead" };
  if (copyHas.length === 0) return { kind: "behind" };
  return {
    kind: "conflict",
    reason: `only the source has ${sourceHas[0]}, and only the target has ${copyHas[0]}`,
  };
}

/** The id of the newest checkpoint that both have. */
function newestCommon(source: ThreadFacts, copy: ThreadFacts): string {
  let newest = "";
  for (const [name, { checkpointId = "" }] of source)
    if (copy.has(name) && checkpointId > newest) newest = checkpointId;
  return newest;
}

/** What the second has and the first has not. What is older than the newest common checkpoint was pruned there. */
function missingIn(here: ThreadFacts, there: ThreadFacts, newest: string): string[] {
  const missing: string[] = [];
  for (const [name, { checkpointId }] of there) {
    if (here.has(name)) continue;
    if (checkpointId === undefined || checkpointId >= newest) missing.push(name);
  }
  return missing;
}
