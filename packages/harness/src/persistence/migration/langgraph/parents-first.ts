/** The order in which checkpoints can be stored so that none comes before the one it was made from. */

export interface CheckpointHead {
  readonly ns: string;
  readonly id: string;
  readonly parentId: string | undefined;
}

const keyOf = (ns: string, id: string): string => JSON.stringify([ns, id]);

/** Oldest first; a parent before its children, whatever their ids. A parent that is missing, or a circle, is no obstacle. */
export function parentsFirst<T extends CheckpointHead>(heads: readonly T[]): readonly T[] {
  const byAge = [...heads].sort((a, b) => (a.id === b.id ? 0 : a.id < b.id ? -1 : 1));
  const waiting = new Map(byAge.map((head) => [keyOf(head.ns, head.id), head]));
  const ordered: T[] = [];
  for (const head of byAge) {
    // A loop and not a recursion: a line of ancestors may be longer than the stack.
    const line: T[] = [];
    for (let next: T | undefined = head; next !== undefined; ) {
      if (!waiting.delete(keyOf(next.ns, next.id))) break;
      line.push(next);
      next = next.parentId === undefined ? undefined : waiting.get(keyOf(next.ns, next.parentId));
    }
    ordered.push(...line.reverse());
  }
  return ordered;
}
