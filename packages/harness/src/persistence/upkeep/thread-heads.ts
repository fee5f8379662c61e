/** All rows of one thread without their data, and which of them are needed. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { channelMapFromText, valueNumbersOf } from "../checkpoint/channel-map.js";
import type {
  CheckpointRow,
  CheckpointRows,
  HeadOf,
  NumberRanges,
  PartRow,
  ThreadTable,
  ThreadTables,
  ValueRow,
} from "../checkpoint/checkpoint-rows.js";
import { blockRanges } from "../checkpoint/list-folding.js";
import { fromRanges, toRanges } from "../checkpoint/ranges.js";
import { refsFromText } from "../checkpoint/refs.js";
import { NumberSet } from "./number-set.js";

export type NumberedTable = "values" | "messages" | "parts";
export const NUMBERED_TABLES: readonly NumberedTable[] = ["values", "messages", "parts"];

export type ThreadHeads = { readonly [T in ThreadTable]: readonly HeadOf<ThreadTables[T]>[] };

/** The numbers of rows, by table. */
export type Numbers = Readonly<Record<NumberedTable, NumberSet>>;

export async function readHeads(rows: CheckpointRows, threadKey: number): Promise<ThreadHeads> {
  const read = async <T extends ThreadTable>(table: T) => {
    // SQLite answers at once: without a pause nobody else would get a turn of the event loop until the end.
    await nextTurn();
    return rows.heads(table, threadKey);
  };
  // What refers before what is referred to: rows that come in between are then surplus, and none is missing.
  const writes = await read("writes");
  const checkpoints = await read("checkpoints");
  const values = await read("values");
  const messages = await read("messages");
  return { writes, checkpoints, values, messages, parts: await read("parts") };
}

/** Rows in groups whose data may be in memory together; each has at least one row. */
export function groupsOf<T extends { readonly bytes: number }>(
  heads: readonly T[],
  { bytes: most, rows }: { readonly bytes: number; readonly rows: number },
): T[][] {
  const groups: T[][] = [];
  let room = 0;
  for (const head of heads) {
    const group = groups.at(-1);
    if (group === undefined || head.bytes > room || group.length >= rows) {
      groups.push([head]);
      room = most - head.bytes;
    } else {
      group.push(head);
      room -= head.bytes;
    }
  }
  return groups;
}

/** Message ranges of the folded lists that rows refer to, by the number of their part. */
export type FoldedLists = ReadonlyMap<number, NumberRanges>;

/** Reads the blocks of long lists that these rows refer to; throws for one that cannot be read. */
export async function readFoldedLists(
  rows: CheckpointRows,
  threadKey: number,
  refs: Iterable<string>,
): Promise<FoldedLists> {
  const { ranges } = new NumberSet([...refs].map((text) => refsFromText(text).lists));
  if (ranges.length === 0) return new Map();
  const found: readonly PartRow[] = await rows.findNumbered("parts", threadKey, ranges);
  return new Map(found.map(({ number, data }) => [number, blockRanges(data)]));
}

export const rangesOf = (numbers: Iterable<number>): number[] => toRanges([...numbers].sort((a, b) => a - b));

/** The values that a value is built on. */
export const basesOf = ({ bases }: Pick<ValueRow, "bases">): readonly number[] =>
  // Only the writer of values writes the column, as ranges.
  bases === "" ? [] : fromRanges(JSON.parse(bases) as number[]);

/** What these checkpoints and writes need, over however many steps. */
export function findNeeded(
  heads: Pick<ThreadHeads, "checkpoints" | "writes" | NumberedTable>,
  lists: FoldedLists,
): Numbers {
  const values = neededValues(heads.checkpoints, heads.values);
  const refs = [...heads.writes, ...heads.values.filter(({ number }) => values.has(number))].map((row) =>
    refsFromText(row.refs),
  );
  const listed = fromRanges(new NumberSet(refs.map((ref) => ref.lists)).ranges);
  const messages = new NumberSet([
    ...refs.map((ref) => ref.messages),
    ...listed.map((number) => lists.get(number) ?? []),
  ]);
  const ofMessages = heads.messages
    .filter(({ number }) => messages.has(number))
    .map((row) => refsFromText(row.refs));
  const parts = [...refs, ...ofMessages].flatMap((ref) => [ref.parts, ref.lists]);
  return { values, messages, parts: neededParts(new NumberSet(parts), heads.parts) };
}

function neededValues(
  checkpoints: readonly Pick<CheckpointRow, "channels">[],
  values: readonly HeadOf<ValueRow>[],
): NumberSet {
  const byNumber = new Map(values.map((value) => [value.number, value]));
  const needed = new Set<number>();
  const waiting = checkpoints.flatMap(({ channels }) => valueNumbersOf(channelMapFromText(channels)));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (needed.has(next)) continue;
    needed.add(next);
    const value = byNumber.get(next);
    if (value !== undefined) waiting.push(...basesOf(value));
  }
  return new NumberSet([rangesOf(needed)]);
}

function neededParts(first: NumberSet, parts: readonly HeadOf<PartRow>[]): NumberSet {
  const byNumber = new Map(parts.map((part) => [part.number, part]));
  const needed = new Set<number>();
  const waiting = fromRanges(first.ranges);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (needed.has(next)) continue;
    needed.add(next);
    const { parts: more } = refsFromText(byNumber.get(next)?.refs ?? "");
    waiting.push(...fromRanges(more));
  }
  return new NumberSet([rangesOf(needed)]);
}
