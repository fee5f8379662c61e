/** Moves one thread out of LangGraph's own tables: first into a database of ours on this disk, then as its rows. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeerflowError } from "../../base/errors.js";
import type { SqlDatabase } from "../sql/contract.js";
import { openSqlite } from "../sqlite/open-sqlite.js";
import { sqliteDatabase } from "../sqlite/sqlite-database.js";
import { sqlCheckpointDatabase } from "../checkpoint/sql-checkpoint-rows.js";
import { digestOfLines } from "./canonical-digest.js";
import { factsOfSaver } from "./checkpoint-content.js";
import type { MovedDatabases, ThreadAddress, ThreadReport, ThreadStatus } from "./contract.js";
import type { LangGraphSource } from "./langgraph/contract.js";
import { readThread } from "./langgraph/read-thread.js";
import { moveThread } from "./move-thread.js";
import { makeScratchFolder, removeScratchFolder } from "./scratch-folder.js";
import { standingOf, type ThreadFacts } from "./thread-facts.js";
import { holdingsOf, saverOf } from "./thread-sides.js";

/** A database for one thread at a time, which goes with the program. */
export interface Workshop {
  readonly database: SqlDatabase;
  close(): Promise<void>;
}

/** Threads are converted here, so that the target gets each whole and in one transaction. */
export async function openWorkshop(): Promise<Workshop> {
  const folder = makeScratchFolder(tmpdir(), "deerflow-migration-");
  const remove = () => removeScratchFolder(folder);
  try {
    const connection = await openSqlite(join(folder, "thread.db"));
    // What is here may be lost: it is made again.
    connection.exec("PRAGMA synchronous = OFF");
    const database = sqliteDatabase(connection);
    return {
      database,
      async close() {
        await database.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

export interface ThreadImport {
  readonly source: LangGraphSource;
  readonly workshop: Workshop;
  /** Undefined when there is no such database yet, and nothing is to be done. */
  readonly to: MovedDatabases | undefined;
  readonly address: ThreadAddress;
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws DeerflowError `migration_value_unknown`, `migration_unverified`, `migration_source_changed`, `database_*` */
export async function importThread(work: ThreadImport): Promise<ThreadReport> {
  const { source, to, address, signal } = work;
  const held = to && (await holdingsOf(to, address));
  const target =
    to && held?.checkpoints ? await factsOfSaver(saverOf(to, address), address.threadId) : undefined;
  // Where nothing is there yet, it is compared while it is converted; the rest is done in one reading.
  const compared = target && (await readThread(source, address.threadId, { signal }));
  const standing = compared === undefined ? undefined : standingOf(compared, target);
  if (compared !== undefined && standing?.kind === "conflict") {
    return { ...reportOf(address, compared, target), status: "conflict", reason: standing.reason };
  }
  if (compared !== undefined && (standing?.kind === "equal" || standing?.kind === "ahead")) {
    return { ...reportOf(address, compared, target), status: "unchanged" };
  }
  const status = target === undefined ? "copied" : "updated";
  if (work.dryRun || to === undefined) {
    const facts = compared ?? (await readThread(source, address.threadId, { signal }));
    return { ...reportOf(address, facts, target), status };
  }
  return convert({ ...work, to }, status);
}

async function convert(
  { source, workshop, to, address, signal }: ThreadImport & { readonly to: MovedDatabases },
  status: ThreadStatus,
): Promise<ThreadReport> {
  const from = { checkpoints: workshop.database };
  const saver = saverOf(from, address);
  try {
    const facts = await readThread(source, address.threadId, { saver, signal });
    const converted = await factsOfSaver(saver, address.threadId);
    if (digestOfFacts(converted) !== digestOfFacts(facts)) {
      const { threadId } = address;
      throw new DeerflowError("migration_unverified", { threadId, reason: differenceOf(facts, converted) });
    }
    const moved = await moveThread({
      from,
      to: { checkpoints: to.checkpoints },
      address,
      replace: true,
      signal,
    });
    if (moved.status === "conflict")
      return { ...moved, digests: { ...moved.digests, source: digestOfFacts(facts) } };
    const written = await factsOfSaver(saverOf(to, address), address.threadId);
    return { ...reportOf(address, facts, written), counts: moved.counts, bytes: moved.bytes, status };
  } finally {
    await sqlCheckpointDatabase(workshop.database).write((rows) =>
      rows.removeThread(address.scope, address.threadId),
    );
  }
}

const digestOfFacts = (facts: ThreadFacts): string =>
  digestOfLines([...facts].map(([name, { digest }]) => `${name} ${digest}`).sort());

function differenceOf(facts: ThreadFacts, others: ThreadFacts): string {
  const [name] = [...facts].find(([key, { digest }]) => others.get(key)?.digest !== digest) ?? [];
  return name === undefined ? "there is more than was read" : `${name} differs`;
}

function reportOf(
  address: ThreadAddress,
  facts: ThreadFacts,
  target: ThreadFacts | undefined,
): Omit<ThreadReport, "status"> {
  const count = (kind: string) => [...facts.keys()].filter((name) => name.startsWith(`${kind} `)).length;
  return {
    ...address,
    counts: { checkpoints: count("checkpoint"), writes: count("write") },
    bytes: 0,
    digests: { source: digestOfFacts(facts), target: target && digestOfFacts(target) },
  };
}
