/** Sets of row numbers as ranges: a long conversation is one range, however many checkpoints refer to it. */
import type { NumberRanges } from "../checkpoint/checkpoint-rows.js";

export class NumberSet {
  /** First and last of each range, ascending; no two touch. */
  readonly ranges: NumberRanges;

  /** @param lists ranges in any order; they may overlap, and a number may be in many */
  constructor(lists: Iterable<NumberRanges>) {
    const pairs: [first: number, last: number][] = [];
    for (const ranges of lists) {
      for (let at = 0; at + 1 < ranges.length; at += 2) pairs.push([ranges[at] ?? 0, ranges[at + 1] ?? -1]);
    }
    pairs.sort(([a], [b]) => a - b);
    const merged: number[] = [];
    for (const [first, last] of pairs) {
      const end = merged.at(-1);
      if (end !== undefined && first <= end + 1) merged[merged.length - 1] = Math.max(end, last);
      else merged.push(first, last);
    }
    this.ranges = merged;
  }

  has(number: number): boolean {
    // The number of bounds up to this one is odd inside of a range.
    const below = countUpTo(this.ranges, number);
    return below % 2 === 1 || this.ranges[below - 1] === number;
  }
}

/**
 * Those of the ranges that are not among the numbers, once each.
 *
 * @param stored ascending
 */
export function missingFrom(stored: readonly number[], ranges: NumberRanges): number[] {
  const missing: number[] = [];
  const wanted = new NumberSet([ranges]).ranges;
  for (let at = 0; at + 1 < wanted.length; at += 2) {
    const [first = 0, last = -1] = wanted.slice(at, at + 2);
    const from = countUpTo(stored, first - 1);
    if (countUpTo(stored, last) - from === last - first + 1) continue;
    const there = new Set(stored.slice(from, countUpTo(stored, last)));
    for (let number = first; number <= last; number += 1) if (!there.has(number)) missing.push(number);
  }
  return missing;
}

/** How many of the ascending numbers are at most this one. */
function countUpTo(ascending: readonly number[], number: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  return low;
}
