/** Checks that everything is stored that the rows of a thread refer to. */
import { reasonOf } from "../../base/errors.js";
import { type ChannelMap, channelMapFromText, valueNumbersOf } from "../checkpoint/channel-map.js";
import type {
  CheckpointKey,
  CheckpointRows,
  NumberRanges,
  ThreadCounters,
  ThreadTable,
  WriteRow,
} from "../checkpoint/checkpoint-rows.js";
import { blockRanges } from "../checkpoint/list-folding.js";
import { refsFromText } from "../checkpoint/refs.js";
import { missingFrom, NumberSet } from "./number-set.js";
import {
  basesOf,
  findNeeded,
  type FoldedLists,
  type NumberedTable,
  NUMBERED_TABLES,
  rangesOf,
  readHeads,
  type ThreadHeads,
} from "./thread-heads.js";

export interface Finding {
  /**
   * `missing`: a row is gone that another refers to. `damaged`: a row cannot be read. `changed`: its content is not
   * what was written. `counter`: the next number of a kind is one that was given already.
   */
  readonly kind: "missing" | "damaged" | "changed" | "counter";
  /** The row that is at fault, for a person. */
  readonly row: string;
  readonly text: string;
}

/** The rows of a thread, those that cannot be read without what they refer to, and what was found. */
export interface CheckedHeads {
  readonly heads: ThreadHeads;
  readonly findings: readonly Finding[];
  readonly orphans: Readonly<Record<"values" | "messages" | "parts" | "writes", number>>;
}

type Head = ThreadHeads[ThreadTable][number];

export type Named =
  | { readonly number: number }
  | CheckpointKey
  | Pick<WriteRow, "ns" | "checkpointId" | "taskId" | "index">;

/** How findings call a row. */
export function nameOf(table: ThreadTable, row: Named): string {
  if ("number" in row) return `${table.slice(0, -1)} ${row.number}`;
  const inside = row.ns === "" ? "" : ` in ${row.ns}`;
  if ("id" in row) return `checkpoint ${row.id}${inside}`;
  return `write ${row.index} of task ${row.taskId} of checkpoint ${row.checkpointId}${inside}`;
}

/**
 * @param counters - the thread's, read after its rows
 * @throws DeerflowError `database_*`
 */
export async function checkReferences(
  rows: CheckpointRows,
  threadKey: number,
  counters: () => Promise<ThreadCounters | undefined>,
): Promise<CheckedHeads> {
  const findings: Finding[] = [];
  const heads = readable(await readHeads(rows, threadKey), findings);
  const lists = await readLists(rows, threadKey, heads, findings);
  findings.push(...missingRows(heads, lists), ...reusedNumbers(heads, await counters()));
  const needed = findNeeded(heads, lists);
  const surplus = (table: NumberedTable) =>
    heads[table].filter(({ number }: { readonly number: number }) => !needed[table].has(number)).length;
  const stored = new Set(heads.checkpoints.map(({ ns, id }) => JSON.stringify([ns, id])));
  const lone = heads.writes.filter(({ ns, checkpointId }) => !stored.has(JSON.stringify([ns, checkpointId])));
  const orphans = { values: surplus("values"), messages: surplus("messages"), parts: surplus("parts") };
  return { heads, findings, orphans: { ...orphans, writes: lone.length } };
}

/** Takes out of the heads what cannot be parsed, and says so. */
function readable(heads: ThreadHeads, findings: Finding[]): ThreadHeads {
  const tried = <T extends Head>(
    table: ThreadTable,
    head: T,
    parse: (head: T) => unknown,
    empty: Partial<T>,
  ): T => {
    try {
      parse(head);
      return head;
    } catch (error) {
      findings.push({ kind: "damaged", row: nameOf(table, head), text: reasonOf(error) });
      return { ...head, ...empty };
    }
  };
  const noRefs = { refs: "" };
  const parseRefs = ({ refs }: { readonly refs: string }) => refsFromText(refs);
  return {
    checkpoints: heads.checkpoints.map((head) =>
      tried("checkpoints", head, ({ channels }) => channelMapFromText(channels), { channels: "{}" }),
    ),
    values: heads.values.map((head) =>
      tried("values", head, (value) => [basesOf(value), parseRefs(value)], { bases: "", refs: "" }),
    ),
    messages: heads.messages.map((head) => tried("messages", head, parseRefs, noRefs)),
    parts: heads.parts.map((head) => tried("parts", head, parseRefs, noRefs)),
    writes: heads.writes.map((head) => tried("writes", head, parseRefs, noRefs)),
  };
}

async function readLists(
  rows: CheckpointRows,
  threadKey: number,
  { values, writes }: ThreadHeads,
  findings: Finding[],
): Promise<FoldedLists> {
  const { ranges } = new NumberSet([...values, ...writes].map(({ refs }) => refsFromText(refs).lists));
  const lists = new Map<number, NumberRanges>();
  if (ranges.length === 0) return lists;
  for (const part of await rows.findNumbered("parts", threadKey, ranges)) {
    try {
      lists.set(part.number, blockRanges(part.data));
    } catch (error) {
      findings.push({ kind: "damaged", row: nameOf("parts", part), text: reasonOf(error) });
    }
  }
  return lists;
}

function missingRows(heads: ThreadHeads, lists: FoldedLists): Finding[] {
  const findings: Finding[] = [];
  const numbersOf = (table: NumberedTable): readonly number[] =>
    heads[table].map(({ number }: { readonly number: number }) => number);
  const stored = { values: numbersOf("values"), messages: numbersOf("messages"), parts: numbersOf("parts") };
  const need = (row: string, table: NumberedTable, ranges: NumberRanges): void => {
    const gone = missingFrom(stored[table], ranges);
    if (gone.length === 0) return;
    findings.push({
      kind: "missing",
      row,
      text: `it refers to ${table} that are not stored: ${gone.join(", ")}`,
    });
  };
  for (const [number, ranges] of lists) need(nameOf("parts", { number }), "messages", ranges);
  for (const head of heads.checkpoints) {
    const channels: ChannelMap = channelMapFromText(head.channels);
    need(nameOf("checkpoints", head), "values", rangesOf(valueNumbersOf(channels)));
  }
  for (const head of heads.values) need(nameOf("values", head), "values", rangesOf(basesOf(head)));
  for (const table of ["values", "writes", "messages", "parts"] as const) {
    for (const head of heads[table]) {
      const { messages, parts, lists: folded } = refsFromText(head.refs);
      need(nameOf(table, head), "parts", [...parts, ...folded]);
      need(nameOf(table, head), "messages", messages);
    }
  }
  return findings;
}

/** A number that is given twice would put one row in the place of another. */
function reusedNumbers(heads: ThreadHeads, counters: ThreadCounters | undefined): Finding[] {
  if (counters === undefined) return [];
  const next = { values: counters.nextValue, messages: counters.nextMessage, parts: counters.nextPart };
  return NUMBERED_TABLES.flatMap((table): Finding[] => {
    const numbers = heads[table].map(({ number }: { readonly number: number }) => number);
    const highest = numbers.reduce((a, b) => Math.max(a, b), 0);
    if (highest < next[table]) return [];
    const text = `the next number of its ${table} is ${next[table]}, and ${highest} is given already`;
    return [{ kind: "counter", row: "the thread", text }];
  });
}
