/** Lists of whole numbers, written as ranges: a conversation of a thousand messages is `[1,1000]`. */

/** First and last of each range, one after the other; the order of the numbers is kept, repeats included. */
export type Ranges = readonly number[];

/** @example toRanges([1, 2, 3, 7, 5]) // [1, 3, 7, 7, 5, 5] */
export function toRanges(numbers: Iterable<number>): number[] {
  const ranges: number[] = [];
  for (const number of numbers) {
    if (ranges.length > 0 && ranges.at(-1) === number - 1) ranges[ranges.length - 1] = number;
    else ranges.push(number, number);
  }
  return ranges;
}

/** The numbers again. Takes only what `toRanges` makes. */
export function fromRanges(ranges: Ranges): number[] {
  const numbers: number[] = [];
  for (let at = 0; at + 1 < ranges.length; at += 2) {
    const [first = 0, last = -1] = ranges.slice(at, at + 2);
    for (let number = first; number <= last; number += 1) numbers.push(number);
  }
  return numbers;
}
