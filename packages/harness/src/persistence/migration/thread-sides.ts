/** What one side holds of a thread, and how the target's stands to the source's. */
import { InterningCheckpointSaver } from "../checkpoint/interning-checkpoint-saver.js";
import type { ThreadRow } from "../checkpoint/checkpoint-rows.js";
import { sqlCheckpointDatabase } from "../checkpoint/sql-checkpoint-rows.js";
import { type AppThread, readAppThread } from "./app-rows.js";
import { digestOfLines } from "./canonical-digest.js";
import { factsOfSaver } from "./checkpoint-content.js";
import type { MovedDatabases, ThreadAddress, ThreadReport } from "./contract.js";
import { digestRows } from "./copy-rows.js";
import { type CopyStanding, standingOf, type ThreadFacts } from "./thread-facts.js";

export interface HeldThread {
  readonly checkpoints: { readonly thread: ThreadRow; readonly digest: string } | undefined;
  readonly app: AppThread | undefined;
  /** Of both together. */
  readonly digest: string;
  readonly counts: ThreadReport["counts"];
}

/** Reads all rows of the thread, some at a time. Undefined when there are none. */
export async function holdingsOf(
  side: MovedDatabases,
  address: ThreadAddress,
): Promise<HeldThread | undefined> {
  const database = sqlCheckpointDatabase(side.checkpoints);
  const thread = await database.read((rows) => rows.findThread(address.scope, address.threadId));
  const sizes = thread && (await database.read((rows) => rows.sizes(thread.key)));
  const digest = thread && (await digestRows((work) => database.read(work), thread));
  // A row without checkpoints is what is left of a thread that was never written to.
  const isEmpty = sizes === undefined || Object.values(sizes).every(({ rows }) => rows === 0);
  const checkpoints =
    isEmpty || thread === undefined || digest === undefined ? undefined : { thread, digest };
  const { app: appDatabase } = side;
  const app = appDatabase && (await readAppThread((work) => appDatabase.read(work), address));
  if (checkpoints === undefined && app === undefined) return undefined;
  return {
    checkpoints,
    app,
    digest: digestOfLines([checkpoints?.digest ?? "", app?.digest ?? ""]),
    counts: {
      checkpoints: sizes?.checkpoints.rows ?? 0,
      writes: sizes?.writes.rows ?? 0,
      messages: sizes?.messages.rows ?? 0,
      ...(app === undefined ? {} : { runs: app.runs, events: app.events }),
    },
  };
}

/** The saver of a scope, for reading. */
export const saverOf = (side: MovedDatabases, { scope }: ThreadAddress): InterningCheckpointSaver =>
  new InterningCheckpointSaver(sqlCheckpointDatabase(side.checkpoints), { scope });

export interface HeldSides {
  readonly from: MovedDatabases;
  readonly to: MovedDatabases;
  readonly address: ThreadAddress;
  readonly source: HeldThread;
  readonly target: HeldThread | undefined;
}

/** How the target's thread stands to the source's: its checkpoints and its rows in the application together. */
export async function standingOfThread(sides: HeldSides): Promise<CopyStanding> {
  const { source, target } = sides;
  if (target === undefined) return { kind: "absent" };
  const facts = (held: HeldThread, checkpoints: ThreadFacts): ThreadFacts =>
    new Map([...(held.app?.facts ?? []), ...checkpoints]);
  const [ofSource, ofTarget] = await checkpointFacts(sides);
  return standingOf(facts(source, ofSource), facts(target, ofTarget));
}

/** Rows that are the same need not be decoded. */
async function checkpointFacts({
  from,
  to,
  address,
  source,
  target,
}: HeldSides): Promise<readonly [ThreadFacts, ThreadFacts]> {
  if (source.checkpoints?.digest === target?.checkpoints?.digest) return [new Map(), new Map()];
  return [
    await factsOfSaver(saverOf(from, address), address.threadId),
    await factsOfSaver(saverOf(to, address), address.threadId),
  ];
}

/** True when both are states of one thread: it was made by the same user at the same moment, or shares a checkpoint. */
export async function isSameThread(sides: HeldSides): Promise<boolean> {
  const { source, target } = sides;
  if (target === undefined) return true;
  const owner = "owner of the thread";
  const [ours, theirs] = [source.app?.facts.get(owner), target.app?.facts.get(owner)];
  if (ours !== undefined && theirs !== undefined) return ours.digest === theirs.digest;
  const [ofSource, ofTarget] = await checkpointFacts(sides);
  return ofSource.size === 0 || [...ofSource.keys()].some((name) => ofTarget.has(name));
}
