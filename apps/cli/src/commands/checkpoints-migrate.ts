/** `deerflow checkpoints migrate`: moves conversations from one database to another. */
import { resolve } from "node:path";
import { configLine, DeerflowError } from "@deerflow/harness";
import {
  type DatabaseLocation,
  migrateCheckpoints,
  migrateDatabase,
  type MigrationProgress,
  type MigrationReport,
} from "@deerflow/harness/persistence";
import type { CommandContext, GlobalOptions } from "../command-context.js";
import { EXIT_CODES } from "../exit-codes.js";
import { printable } from "../terminal/printable.js";

export interface MigrateOptions {
  readonly from: string;
  readonly fromSchema?: string;
  readonly to: string;
  readonly toSchema?: string;
  readonly checkpointsOnly?: boolean;
  readonly report?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** How addresses of servers begin; what begins in no such way is a path. */
const SERVERS: readonly (readonly [begin: RegExp, backend: "postgres" | "mysql"])[] = [
  [/^postgres(ql)?:\/\//i, "postgres"],
  [/^(mysql|mariadb):\/\//i, "mysql"],
];

/** @returns the exit code: 0 when all is there now, 1 when a thread could not be moved */
export async function migrateCommand(
  context: CommandContext,
  _globals: GlobalOptions,
  threads: readonly string[],
  options: MigrateOptions,
): Promise<number> {
  const { output, cwd } = context;
  const from = placeOf(context, options.from, options.fromSchema);
  const to = placeOf(context, options.to, options.toSchema);
  const stop = new AbortController();
  const forget = context.onInterrupt(() => stop.abort());
  try {
    const report = await migrate({ from, to }, threads, {
      checkpointsOnly: options.checkpointsOnly,
      dryRun: options.dryRun,
      report: options.report && resolve(cwd, options.report),
      signal: stop.signal,
      onProgress: options.json ? undefined : (progress) => output.note(progressLine(progress)),
    });
    if (options.json) output.print(`${JSON.stringify(report)}\n`);
    else output.note(summaryOf(report, to));
    return exitCodeOf(report);
  } finally {
    forget();
  }
}

async function migrate(
  places: { readonly from: DatabaseLocation; readonly to: DatabaseLocation },
  threads: readonly string[],
  {
    checkpointsOnly = false,
    ...options
  }: {
    readonly checkpointsOnly: boolean | undefined;
    readonly dryRun: boolean | undefined;
    readonly report: string | undefined;
    readonly signal: AbortSignal;
    readonly onProgress: ((progress: MigrationProgress) => void) | undefined;
  },
): Promise<MigrationReport> {
  const all = { ...places, ...options, threads };
  if (checkpointsOnly) return migrateCheckpoints(all);
  try {
    return await migrateDatabase(all);
  } catch (error) {
    // A database of LangGraph's own savers has nothing but checkpoints.
    if (!DeerflowError.is(error) || error.code !== "migration_checkpoints_only") throw error;
    return migrateCheckpoints(all);
  }
}

/** As written, or the variable that it names, so that no password need stand on the command line. */
function placeOf(
  { env, cwd }: CommandContext,
  written: string,
  schema: string | undefined,
): DatabaseLocation {
  const name = /^\$([A-Za-z_]\w*)$/.exec(written)?.[1];
  const place = name === undefined ? written : env[name];
  if (place === undefined) {
    throw new DeerflowError("invalid_request", { reason: `the variable ${name} is not set` });
  }
  const server = SERVERS.find(([begin]) => begin.test(place));
  if (server?.[1] === "postgres") {
    return { backend: "postgres", url: place, ...(schema === undefined ? {} : { schema }) };
  }
  if (schema !== undefined) {
    throw new DeerflowError("invalid_request", { reason: "only a PostgreSQL database has schemas" });
  }
  if (server !== undefined) return { backend: "mysql", url: place };
  return { backend: "sqlite", path: /^file:/i.test(place) ? place : resolve(cwd, place) };
}

/** Pure. */
export function progressLine({ done, total, thread }: MigrationProgress): string {
  const { status, threadId, counts, bytes, reason, unfinishedRuns = [] } = thread;
  const size = bytes === 0 ? "" : `, ${(bytes / 1024).toFixed(0)} KB`;
  const why = reason === undefined ? "" : `: ${printable(reason)}`;
  const running = unfinishedRuns.length === 0 ? "" : " (a run of it is not over)";
  const what = `${counts.checkpoints} checkpoints${size}`;
  return `[${done}/${total}] ${status.padEnd(9)} ${printable(threadId)}  ${what}${running}${why}\n`;
}

/** Pure. */
export function summaryOf(report: MigrationReport, to: DatabaseLocation): string {
  const { totals, threads, items, status, dryRun } = report;
  const unfinished = threads.filter(({ unfinishedRuns = [] }) => unfinishedRuns.length > 0).length;
  const lines = [
    `${report.from} -> ${report.to}${dryRun ? " (only tried: nothing was written)" : ""}`,
    `Of ${totals.threads} threads: ${totals.copied} copied, ${totals.updated} brought up to date, ` +
      `${totals.unchanged} there already, ${totals.conflict} conflicts, ${totals.failed} failed.`,
    ...(items === undefined
      ? []
      : [`Of ${items.items} stored items: ${items.copied + items.updated} copied.`]),
    ...(unfinished === 0
      ? []
      : [
          `${unfinished} threads have runs that are not over. Run this again when they are; it takes what is new.`,
        ]),
    ...(status === "cancelled" ? ["Stopped. Run the same command again to go on."] : []),
    ...(status === "incomplete" ? ["What could not be moved was left as it is on both sides."] : []),
    ...(status === "done" && !dryRun
      ? [
          "Every thread was read back and compared. The source was not changed.",
          "If a server still runs on the source, end it and run this once more: what it wrote since is taken along.",
          `Then write into config.yaml: ${configLine(to)}`,
        ]
      : []),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function exitCodeOf({ status }: MigrationReport): number {
  if (status === "cancelled") return EXIT_CODES.cancelled.code;
  return status === "done" ? EXIT_CODES.success.code : EXIT_CODES.failed.code;
}
