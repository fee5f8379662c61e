/** Keeps the refs of a row short where messages were edited, moved or dropped so often that their numbers lie in many ranges. */
import type { NumberRanges } from "./checkpoint-rows.js";
import { type NewPart, rawPart } from "./part.js";

/** Ranges of one block. A block is a part, so the same one is stored once however many checkpoints begin with it. */
const RANGES_PER_BLOCK = 64;

/** A long list as blocks, and the rest that stays in the row; a short one has no blocks. */
export function fold(ranges: NumberRanges): {
  readonly blocks: readonly NewPart[];
  readonly rest: NumberRanges;
} {
  const numbersPerBlock = RANGES_PER_BLOCK * 2;
  const whole = Math.floor(ranges.length / numbersPerBlock);
  const blocks = Array.from({ length: whole }, (_, index) => {
    const block = ranges.slice(index * numbersPerBlock, (index + 1) * numbersPerBlock);
    return rawPart(Buffer.from(JSON.stringify(block)));
  });
  return { blocks, rest: ranges.slice(whole * numbersPerBlock) };
}

/** The ranges of a block. */
export const blockRanges = (data: Uint8Array): NumberRanges =>
  // Only `fold` writes blocks.
  JSON.parse(Buffer.from(data).toString()) as number[];
