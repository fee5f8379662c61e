/** Goes through the threads of a migration: one that fails is reported, and the others go on. */
import type { Clock } from "../../base/clock.js";
import { DeerflowError, reasonOf } from "../../base/errors.js";
import type {
  ItemsReport,
  MigrationOptions,
  MigrationReport,
  ThreadAddress,
  ThreadReport,
} from "./contract.js";
import { ReportFile } from "./report-file.js";

export interface MigrationWork {
  readonly from: string;
  readonly to: string;
  readonly threads: readonly ThreadAddress[];
  move(address: ThreadAddress): Promise<ThreadReport>;
  /** Moves what belongs to no thread. */
  moveItems?(): Promise<ItemsReport>;
}

/** Failures of a database, and not of a thread: the other threads would fail in the same way. */
const OF_THE_DATABASE: ReadonlySet<string> = new Set([
  "database_full",
  "database_read_only",
  "database_unreachable",
  "database_login_failed",
]);

const isOfDatabase = (error: unknown): boolean => DeerflowError.is(error) && OF_THE_DATABASE.has(error.code);

/** @throws what ends all of it: an error of a database, or of the report file. What was moved so far stays moved. */
export async function runMigration(
  work: MigrationWork,
  options: Pick<MigrationOptions, "report" | "dryRun" | "onProgress" | "signal">,
  clock: Clock,
): Promise<MigrationReport> {
  const { from, to, threads } = work;
  const { dryRun = false, report: path, signal, onProgress } = options;
  const report = new ReportFile({ from, to, dryRun, path, clock });
  try {
    for (const [index, address] of threads.entries()) {
      if (signal?.aborted) return report.end("cancelled");
      const thread = await moveOrReport(work, address, signal);
      if (thread === undefined) return report.end("cancelled");
      report.add(thread);
      onProgress?.({ done: index + 1, total: threads.length, thread });
    }
    if (work.moveItems !== undefined) report.addItems(await work.moveItems());
    return report.end("done");
  } catch (error) {
    report.end("cancelled");
    throw error;
  }
}

/** Undefined when it was cancelled. */
async function moveOrReport(
  work: MigrationWork,
  address: ThreadAddress,
  signal: AbortSignal | undefined,
): Promise<ThreadReport | undefined> {
  try {
    return await work.move(address);
  } catch (error) {
    if (signal?.aborted) return undefined;
    if (isOfDatabase(error)) throw error;
    return {
      ...address,
      status: "failed",
      counts: { checkpoints: 0, writes: 0 },
      bytes: 0,
      digests: { source: "", target: undefined },
      reason: DeerflowError.is(error) ? error.sentence : reasonOf(error),
    };
  }
}
