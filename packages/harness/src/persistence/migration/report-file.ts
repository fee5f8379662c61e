/** The report of a migration, while it grows: in memory, and as a file that is whole at every moment. */
import { renameSync, writeFileSync } from "node:fs";
import type { Clock } from "../../base/clock.js";
import { DeerflowError, reasonOf } from "../../base/errors.js";
import type { ItemsReport, MigrationReport, MigrationStatus, ThreadReport } from "./contract.js";

/** A report of many threads is not written anew for each. */
const BETWEEN_WRITES_MS = 1_000;
const OWNER_ONLY = 0o600;

const NONE: MigrationReport["totals"] = {
  threads: 0,
  copied: 0,
  updated: 0,
  unchanged: 0,
  conflict: 0,
  failed: 0,
  bytes: 0,
};

export interface ReportOptions {
  readonly from: string;
  readonly to: string;
  readonly dryRun: boolean;
  /** A path; absent for no file. */
  readonly path: string | undefined;
  readonly clock: Clock;
}

export class ReportFile {
  readonly #options: ReportOptions;
  readonly #threads: ThreadReport[] = [];
  readonly #startedAt: string;
  #items: ItemsReport | undefined;
  #totals = NONE;
  #written = 0;

  /** @throws DeerflowError `invalid_request` when the file cannot be written */
  constructor(options: ReportOptions) {
    this.#options = options;
    this.#startedAt = new Date(options.clock.now()).toISOString();
    this.#write("running");
  }

  add(thread: ThreadReport): void {
    this.#threads.push(thread);
    const { status, bytes } = thread;
    this.#totals = {
      ...this.#totals,
      threads: this.#totals.threads + 1,
      [status]: this.#totals[status] + 1,
      bytes: this.#totals.bytes + bytes,
    };
    if (this.#options.clock.now() - this.#written >= BETWEEN_WRITES_MS) this.#write("running");
  }

  addItems(items: ItemsReport): void {
    this.#items = items;
    this.#write("running");
  }

  /** The whole report, which is also in the file now. */
  end(status: "done" | "cancelled"): MigrationReport {
    const { conflict, failed } = this.#totals;
    return this.#write(status === "done" && conflict + failed > 0 ? "incomplete" : status);
  }

  #write(status: MigrationStatus): MigrationReport {
    const { path, clock, from, to, dryRun } = this.#options;
    this.#written = clock.now();
    const report: MigrationReport = {
      version: 1,
      from,
      to,
      dryRun,
      status,
      startedAt: this.#startedAt,
      ...(status === "running" ? {} : { endedAt: new Date(this.#written).toISOString() }),
      totals: this.#totals,
      ...(this.#items === undefined ? {} : { items: this.#items }),
      threads: this.#threads,
    };
    if (path !== undefined) writeWhole(path, `${JSON.stringify(report, undefined, 2)}\n`);
    return report;
  }
}

/** Whoever reads the file sees the old or the new one, whenever this process dies. */
function writeWhole(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: OWNER_ONLY });
    renameSync(draft, path);
  } catch (error) {
    throw new DeerflowError(
      "invalid_request",
      { reason: `the report cannot be written: ${reasonOf(error)}` },
      error,
    );
  }
}
