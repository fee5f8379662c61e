/** Checks that the rows of a thread can be read, and hold what was written. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { DeerflowError, reasonOf } from "../../base/errors.js";
import type { CheckpointRows, ThreadTable, ThreadTables } from "../checkpoint/checkpoint-rows.js";
import { messageFromText } from "../checkpoint/message-codec.js";
import { hashToText, isPartSound, sha256 } from "../checkpoint/part.js";
import { unpackPayload } from "../checkpoint/payload.js";
import { fromRanges } from "../checkpoint/ranges.js";
import { refsFromText } from "../checkpoint/refs.js";
import { slicesOf } from "../checkpoint/slices.js";
import { type Finding, type Named, nameOf } from "./check-references.js";
import { groupsOf, type NumberedTable, rangesOf, type ThreadHeads } from "./thread-heads.js";

export interface ThreadSource {
  readonly serde: SerializerProtocol;
  readonly threadKey: number;
  /** Runs one reading; rows of several readings need not be of one moment. */
  readonly read: <T>(work: (rows: CheckpointRows) => Promise<T>) => Promise<T>;
}

/** Rows whose data is in memory together. */
const GROUP = { bytes: 4 * 1024 * 1024, rows: 25 };

/** Data that lies in slices that are missing is left to the check of the references. */
class SliceMissing extends Error {}

/** @throws DeerflowError `database_*`, as the database itself fails */
export async function checkContents(source: ThreadSource, heads: ThreadHeads): Promise<readonly Finding[]> {
  const partHashes = new Map(heads.parts.map(({ number, hash }) => [number, hashToText(hash)]));
  const { serde } = source;
  return [
    ...(await checkNumbered(source, "parts", heads.parts, async (part, data) => {
      if (!(await isPartSound({ ...part, data }))) throw new Changed();
    })),
    ...(await checkNumbered(source, "messages", heads.messages, async ({ hash, refs }, data) => {
      const { bytes } = await unpackPayload(data);
      if (Buffer.compare(sha256(bytes), hash) !== 0) throw new Changed();
      const media = fromRanges(refsFromText(refs).parts).map(
        (number) => [partHashes.get(number) ?? "", ""] as const,
      );
      messageFromText(Buffer.from(bytes).toString(), new Map(media));
    })),
    ...(await checkNumbered(source, "values", heads.values, (_, data) => decode(serde, data))),
    ...(await checkCheckpoints(source, heads)),
  ];
}

/** The content of a row is not the one that its hash names. */
class Changed extends Error {}

async function decode(serde: SerializerProtocol, data: Uint8Array): Promise<void> {
  const { type, bytes } = await unpackPayload(data);
  await serde.loadsTyped(type, bytes);
}

type Check<T> = (row: T, data: Uint8Array) => Promise<void>;

async function checkNumbered<T extends NumberedTable>(
  source: ThreadSource,
  table: T,
  heads: readonly { readonly number: number; readonly bytes: number }[],
  check: Check<ThreadTables[T]>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const group of groupsOf(heads, GROUP)) {
    await nextTurn();
    const numbers = rangesOf(group.map(({ number }) => number));
    const rows = await source.read((from) => from.findNumbered(table, source.threadKey, numbers));
    for (const row of rows) findings.push(...(await findingsOf(source, table, row, check)));
  }
  return findings;
}

async function checkCheckpoints(source: ThreadSource, heads: ThreadHeads): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { serde, threadKey } = source;
  const decodeIt = (data: Uint8Array) => decode(serde, data);
  for (const group of groupsOf(heads.checkpoints, GROUP)) {
    await nextTurn();
    const writes = await source.read((rows) => rows.findWrites(threadKey, group));
    for (const row of writes)
      findings.push(...(await findingsOf(source, "writes", row, (_, data) => decodeIt(data))));
    for (const { ns, id } of group) {
      const row = await source.read((rows) => rows.findCheckpoint(threadKey, ns, id));
      if (row === undefined) continue;
      for (const data of [row.body, row.metadata]) {
        const { channels, parentId, format } = row;
        const head = { ns, id, channels, parentId, format, data };
        findings.push(...(await findingsOf(source, "checkpoints", head, (_, whole) => decodeIt(whole))));
      }
    }
  }
  return findings;
}

async function findingsOf<T extends { readonly data: Uint8Array }>(
  source: ThreadSource,
  table: ThreadTable,
  row: T & Named,
  check: Check<T>,
): Promise<Finding[]> {
  try {
    await check(row, await wholeOf(source, row.data));
    return [];
  } catch (error) {
    if (error instanceof SliceMissing) return [];
    // What the database says of itself is no finding about one thread.
    if (DeerflowError.is(error) && error.code !== "internal") throw error;
    const name = nameOf(table, row);
    return error instanceof Changed
      ? [{ kind: "changed", row: name, text: "its content is not the one that its hash names" }]
      : [{ kind: "damaged", row: name, text: reasonOf(error) }];
  }
}

/** The data of a row, its slices joined. */
async function wholeOf({ read, threadKey }: ThreadSource, data: Uint8Array): Promise<Uint8Array> {
  const slices = slicesOf(data);
  if (slices === undefined) return data;
  const parts = await read((rows) => rows.findNumbered("parts", threadKey, rangesOf(fromRanges(slices))));
  const byNumber = new Map(parts.map((part) => [part.number, part.data]));
  return Buffer.concat(
    fromRanges(slices).map((number) => {
      const slice = byNumber.get(number);
      if (slice === undefined) throw new SliceMissing();
      return slice;
    }),
  );
}
