/** Moves one thread from one of our databases to another: all of it in one transaction, checked before it is committed. */
import { DeerflowError } from "../../base/errors.js";
import type { CheckpointRows } from "../checkpoint/checkpoint-rows.js";
import { sqlCheckpointDatabase } from "../checkpoint/sql-checkpoint-rows.js";
import type { SqlBackend, SqlDatabase, SqlSession } from "../sql/contract.js";
import { copyAppThread, readAppThread, type ReadSession } from "./app-rows.js";
import type { MovedDatabases, ThreadAddress, ThreadReport } from "./contract.js";
import { copyRows, digestRows, type ReadRows } from "./copy-rows.js";
import { type HeldSides, holdingsOf, isSameThread, standingOfThread } from "./thread-sides.js";

/** How often a copy begins again because its source was written to meanwhile. */
const ATTEMPTS = 3;

export interface ThreadMove {
  readonly from: MovedDatabases;
  /** Undefined when there is no such database yet, and nothing is to be done. */
  readonly to: MovedDatabases | undefined;
  readonly address: ThreadAddress;
  /**
   * Makes the target's thread equal to the source's, whichever has more, as long as both are states of one thread.
   * Otherwise only a thread that is older is replaced.
   */
  readonly replace?: boolean;
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

const NOTHING = { checkpoints: 0, writes: 0, messages: 0 };

/**
 * @returns what was done; a thread that the source does not have is `unchanged`
 * @throws DeerflowError `migration_source_changed` when the source is written to all the time; `database_*`
 */
export async function moveThread(move: ThreadMove): Promise<ThreadReport> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptMove(move);
    } catch (error) {
      const changed = DeerflowError.is(error) && error.code === "migration_source_changed";
      if (!changed || attempt === ATTEMPTS) throw error;
    }
  }
}

async function attemptMove({
  from,
  to,
  address,
  replace,
  dryRun,
  signal,
}: ThreadMove): Promise<ThreadReport> {
  const source = await holdingsOf(from, address);
  const target = to && (await holdingsOf(to, address));
  const report = {
    ...address,
    counts: source?.counts ?? NOTHING,
    bytes: 0,
    digests: { source: source?.digest ?? "", target: target?.digest },
    ...(source?.app?.unfinishedRuns.length ? { unfinishedRuns: source.app.unfinishedRuns } : {}),
  };
  if (source === undefined) return { ...report, status: "unchanged" };
  const plan = await planOf(to && { from, to, address, source, target }, replace);
  if (plan.status === "unchanged" || plan.status === "conflict" || dryRun || to === undefined) {
    return { ...report, ...plan };
  }
  const bytes = await copyInto({ from, to, address, source, target }, signal);
  const copied = await holdingsOf(to, address);
  return { ...report, ...plan, bytes, digests: { source: source.digest, target: copied?.digest } };
}

type Plan = Pick<ThreadReport, "status" | "reason">;

async function planOf(sides: HeldSides | undefined, replace: boolean | undefined): Promise<Plan> {
  if (sides?.target === undefined) return { status: "copied" };
  if (sides.source.digest === sides.target.digest) return { status: "unchanged" };
  if (replace) {
    if (await isSameThread(sides)) return { status: "updated" };
    return { status: "conflict", reason: "it was made by another user, or at another time" };
  }
  const standing = await standingOfThread(sides);
  switch (standing.kind) {
    case "absent":
      return { status: "copied" };
    case "behind":
      return { status: "updated" };
    case "equal":
    case "ahead":
      return { status: "unchanged" };
    case "conflict":
      return { status: "conflict", reason: standing.reason };
  }
}

/** One transaction where the target is one database; else the checkpoints first, so that no thread is listed without them. */
async function copyInto(sides: HeldSides, signal: AbortSignal | undefined): Promise<number> {
  const { to } = sides;
  const { app, checkpoints } = to;
  const withApp = async (session: SqlSession) =>
    app === undefined ? 0 : copyApp(sides, { session, backend: app.backend });
  if (app !== undefined && app !== checkpoints) {
    const bytes = await checkpoints.write((session) => copyCheckpoints(sides, session, signal));
    return bytes + (await app.write(withApp));
  }
  return checkpoints.write(async (session) => {
    const bytes = await copyCheckpoints(sides, session, signal);
    return bytes + (await withApp(session));
  });
}

async function copyCheckpoints(
  { from, to, address, source, target }: HeldSides,
  session: SqlSession,
  signal: AbortSignal | undefined,
): Promise<number> {
  const read: ReadRows = (work) => sqlCheckpointDatabase(from.checkpoints).read(work);
  return withRows(to.checkpoints, session, async (rows) => {
    await requireUnmoved(rows, { to, address, target });
    await rows.removeThread(address.scope, address.threadId);
    if (source.checkpoints === undefined) return 0;
    const { thread, digest } = source.checkpoints;
    const [made] = await rows.lockThreads(address.scope, [address.threadId]);
    if (made === undefined) throw new DeerflowError("internal", { reason: "a thread was not made" });
    const { bytes } = await copyRows({ read, thread }, { rows, threadKey: made.key }, signal);
    const copied = await digestRows((inner) => inner(rows), { ...thread, key: made.key });
    if (copied !== digest) throw await mismatch({ from, address, digest: source.digest });
    return bytes;
  });
}

/** Refuses to replace what was written to the target since it was looked at; nobody writes to it from here on. */
async function requireUnmoved(
  rows: CheckpointRows,
  { to, address, target }: Pick<HeldSides, "to" | "address" | "target">,
): Promise<void> {
  const [thread] = await rows.lockThreads(address.scope, [address.threadId]);
  if (thread === undefined) return;
  const sizes = await rows.sizes(thread.key);
  const { checkpoints = 0, writes = 0, messages = 0 } = target?.counts ?? {};
  const same =
    sizes.checkpoints.rows === checkpoints &&
    sizes.writes.rows === writes &&
    sizes.messages.rows === messages;
  if (!same) throw new DeerflowError("migration_source_changed", { path: to.checkpoints.name });
}

async function copyApp(
  { from, to, address, source, target: held }: HeldSides,
  target: { readonly session: SqlSession; readonly backend: SqlBackend },
): Promise<number> {
  const { app } = from;
  if (app === undefined) return 0;
  const inTarget: ReadSession = (work) => work(target.session);
  // Nor here may anything be replaced that was written meanwhile.
  if ((await readAppThread(inTarget, address))?.digest !== held?.app?.digest) {
    throw new DeerflowError("migration_source_changed", { path: to.checkpoints.name });
  }
  const bytes = await copyAppThread((work) => app.read(work), target, address);
  const copied = await readAppThread(inTarget, address);
  if (copied?.digest !== source.app?.digest) throw await mismatch({ from, address, digest: source.digest });
  return bytes;
}

/** Why a copy is not what was to be copied. */
async function mismatch(read: {
  readonly from: MovedDatabases;
  readonly address: ThreadAddress;
  readonly digest: string;
}): Promise<DeerflowError> {
  const { threadId } = read.address;
  if ((await holdingsOf(read.from, read.address))?.digest !== read.digest) {
    return new DeerflowError("migration_source_changed", { path: read.from.checkpoints.name, threadId });
  }
  return new DeerflowError("migration_unverified", { threadId, reason: "its rows differ" });
}

/** Runs `work` on the checkpoints within a transaction that is under way. */
const withRows = <T>(
  database: SqlDatabase,
  session: SqlSession,
  work: (rows: CheckpointRows) => Promise<T>,
): Promise<T> => sqlCheckpointDatabase({ ...database, write: (inner) => inner(session) }).write(work);
