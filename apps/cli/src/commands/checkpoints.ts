/** `deerflow checkpoints`: what stored conversations take, removing what is old, and checking what is there. */
import {
  databaseFolders,
  databaseLocations,
  DeerflowError,
  loadConfig,
  type OpenCheckpoints,
  openCheckpoints,
  resolveHome,
} from "@deerflow/harness";
import {
  compactDatabase,
  type PruneOptions,
  type PruneReport,
  pruneThread,
  threadStats,
  type ThreadStats,
  verifyThread,
  type VerifyReport,
} from "@deerflow/harness/persistence";
import type { CommandContext, GlobalOptions } from "../command-context.js";
import { EXIT_CODES } from "../exit-codes.js";
import { bytesText } from "../terminal/bytes-text.js";
import { printable } from "../terminal/printable.js";

export interface CheckpointOptions {
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly keepLast?: string;
  readonly olderThan?: string;
}

export interface CheckpointCommand {
  readonly name: string;
  readonly description: string;
  /** Flags and what they do. */
  readonly options: readonly (readonly [flags: string, text: string])[];
  /** @param threads ids; all threads where none is named. @returns the exit code */
  run(work: CheckpointWork): Promise<number>;
}

export interface CheckpointWork {
  readonly context: CommandContext;
  readonly globals: GlobalOptions;
  readonly threads: readonly string[];
  readonly options: CheckpointOptions;
}

const JSON_OPTION = ["--json", "print one JSON document"] as const;
const DRY_RUN = ["--dry-run", "say what would be done, and change nothing"] as const;

/** In the order of the help. */
export const CHECKPOINT_COMMANDS: readonly CheckpointCommand[] = [
  {
    name: "stats",
    description: "what each thread takes, and what of it is large",
    options: [JSON_OPTION, DRY_RUN],
    run: statsCommand,
  },
  {
    name: "prune",
    description: "remove old checkpoints; the newest of a thread always stays",
    options: [
      ["--keep-last <number>", "how many of the newest stay (default: as database.retention says)"],
      ["--older-than <days>", "remove only those of more than this age"],
      DRY_RUN,
      JSON_OPTION,
    ],
    run: pruneCommand,
  },
  {
    name: "compact",
    description: "give the space of what was removed back to the disk",
    options: [DRY_RUN, JSON_OPTION],
    run: compactCommand,
  },
  {
    name: "verify",
    description: "check that everything stored is whole; exit code 1 when something is damaged",
    options: [JSON_OPTION, DRY_RUN],
    run: verifyCommand,
  },
];

/** Opens the configured database; what a switch put in its place, where there was one. */
async function withCheckpoints(
  { context: { env, cwd }, globals }: CheckpointWork,
  work: (
    checkpoints: OpenCheckpoints,
    retention: { keep_last: number; keep_days: number },
  ) => Promise<number>,
): Promise<number> {
  const { config, path } = loadConfig({ env, cwd, ...(globals.config ? { path: globals.config } : {}) });
  const home = resolveHome(env, cwd);
  const checkpoints = await openCheckpoints(
    home,
    databaseLocations(config, databaseFolders(home, cwd, path)),
  );
  try {
    return await work(checkpoints, config.database.retention);
  } finally {
    await checkpoints.close();
  }
}

/** The threads that are named, or all. @throws DeerflowError `thread_missing` for one that is not stored */
async function statsOf(
  { saver }: OpenCheckpoints,
  threads: readonly string[],
): Promise<readonly ThreadStats[]> {
  if (threads.length === 0) return threadStats(saver);
  const all: ThreadStats[] = [];
  for (const threadId of new Set(threads)) {
    const [stats] = await threadStats(saver, threadId);
    if (stats === undefined) throw new DeerflowError("thread_missing", { threadId });
    all.push(stats);
  }
  return all;
}

function statsCommand(work: CheckpointWork): Promise<number> {
  return withCheckpoints(work, async (checkpoints) => {
    const { print } = work.context.output;
    const threads = await statsOf(checkpoints, work.threads);
    const bytes = await checkpoints.saver.storage.database.size();
    if (work.options.json) {
      print(`${JSON.stringify({ database: checkpoints.place, bytes, threads })}\n`);
      return EXIT_CODES.success.code;
    }
    print(`${checkpoints.place}: ${bytesText(bytes)} on disk, ${threads.length} threads\n`);
    const largestFirst = [...threads].sort((a, b) => b.bytes.total - a.bytes.total);
    for (const stats of largestFirst) print(threadText(stats, work.threads.length > 0));
    return EXIT_CODES.success.code;
  });
}

/** Pure. */
export function threadText(
  { threadId, rows, bytes, largest, channels }: ThreadStats,
  whole: boolean,
): string {
  const head =
    `${printable(threadId)}  ${bytesText(bytes.total)}  ${rows.checkpoints} checkpoints, ` +
    `${rows.messages} messages, ${rows.parts} parts\n`;
  if (!whole) return head;
  const kinds = (["checkpoints", "writes", "values", "messages", "parts"] as const).map(
    (kind) => `  ${kind.padEnd(12)} ${bytesText(bytes[kind]).padStart(10)}  ${rows[kind]}\n`,
  );
  const named = channels.map(
    ({ channel, bytes: taken }) => `  ${bytesText(taken).padStart(10)}  ${printable(channel)}\n`,
  );
  const large = largest.map(
    ({ kind, name, of, bytes: taken }) =>
      `  ${bytesText(taken).padStart(10)}  ${kind} ${printable(name)}${of === "" ? "" : ` (${printable(of)})`}\n`,
  );
  return [head, ...kinds, "  by channel\n", ...named, "  largest\n", ...large].join("");
}

function pruneCommand(work: CheckpointWork): Promise<number> {
  return withCheckpoints(work, async (checkpoints, retention) => {
    const { print, note } = work.context.output;
    const { json, dryRun = false } = work.options;
    const prunings = pruningsFor(work.options, retention);
    const threads = await statsOf(checkpoints, work.threads);
    const reports: PruneReport[] = [];
    const skipped: string[] = [];
    for (const [index, { threadId }] of threads.entries()) {
      const at = `[${index + 1}/${threads.length}] ${printable(threadId)}`;
      // A run that goes back to an old checkpoint needs it until it is over.
      if (await checkpoints.isInUse(threadId)) {
        skipped.push(threadId);
        note(`${at}  left alone: a run of it is not over\n`);
        continue;
      }
      for (const pruning of prunings) {
        const report = await pruneThread(checkpoints.saver, threadId, { ...pruning, dryRun });
        reports.push(report);
        note(`${at}  ${removedText(report.removed, dryRun)}\n`);
      }
    }
    const removed = sumOf(reports);
    if (json)
      print(
        `${JSON.stringify({ database: checkpoints.place, dryRun, removed, skipped, threads: reports })}\n`,
      );
    else print(`${removedText(removed, dryRun)} of ${threads.length} threads\n`);
    if (removed.bytes > 0 && !dryRun)
      note("`deerflow checkpoints compact` gives the space back to the disk.\n");
    return EXIT_CODES.success.code;
  });
}

/**
 * What to do with each thread: as the options say, or else as the configuration does.
 * @throws DeerflowError `invalid_request`
 */
export function pruningsFor(
  { keepLast, olderThan }: CheckpointOptions,
  { keep_last, keep_days }: { readonly keep_last: number; readonly keep_days: number },
): readonly PruneOptions[] {
  if (keepLast !== undefined || olderThan !== undefined) {
    const last = numberOf("--keep-last", keepLast, 1);
    const days = numberOf("--older-than", olderThan, 0);
    return [{ keepLast: last, olderThan: days === undefined ? undefined : days * DAY_MS }];
  }
  // In the configuration each limit holds by itself.
  const configured = [
    ...(keep_last > 0 ? [{ keepLast: keep_last }] : []),
    ...(keep_days > 0 ? [{ olderThan: keep_days * DAY_MS }] : []),
  ];
  if (configured.length > 0) return configured;
  const reason = "database.retention keeps everything; say how many checkpoints stay with --keep-last";
  throw new DeerflowError("invalid_request", { reason });
}

const DAY_MS = 24 * 60 * 60 * 1000;

function numberOf(option: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least) return number;
  throw new DeerflowError("invalid_request", {
    reason: `${option} ${text} is not a whole number from ${least} on`,
  });
}

type Removed = PruneReport["removed"];

const NOTHING: Removed = { checkpoints: 0, writes: 0, values: 0, messages: 0, parts: 0, bytes: 0 };

const sumOf = (reports: readonly PruneReport[]): Removed =>
  reports.reduce(
    (sum, { removed }) => ({
      checkpoints: sum.checkpoints + removed.checkpoints,
      writes: sum.writes + removed.writes,
      values: sum.values + removed.values,
      messages: sum.messages + removed.messages,
      parts: sum.parts + removed.parts,
      bytes: sum.bytes + removed.bytes,
    }),
    NOTHING,
  );

const removedText = ({ checkpoints, messages, parts, bytes }: Removed, dryRun: boolean): string =>
  `${dryRun ? "would remove" : "removed"} ${checkpoints} checkpoints, ${messages} messages, ${parts} parts: ${bytesText(bytes)}`;

function compactCommand(work: CheckpointWork): Promise<number> {
  if (work.threads.length > 0) {
    throw new DeerflowError("invalid_request", { reason: "compact takes the whole database, and no thread" });
  }
  return withCheckpoints(work, async ({ saver, place }) => {
    const { print, note } = work.context.output;
    const { json, dryRun = false } = work.options;
    const size = await saver.storage.database.size();
    if (!dryRun) note(`Compacting ${place} (${bytesText(size)}); whoever writes to it waits.\n`);
    const { before, after } = dryRun ? { before: size, after: size } : await compactDatabase(saver);
    if (json) print(`${JSON.stringify({ database: place, dryRun, before, after })}\n`);
    else if (dryRun)
      print(`${place}: ${bytesText(before)}; how much of it is free shows only by compacting\n`);
    else print(`${place}: ${bytesText(before)} before, ${bytesText(after)} now\n`);
    return EXIT_CODES.success.code;
  });
}

function verifyCommand(work: CheckpointWork): Promise<number> {
  return withCheckpoints(work, async (checkpoints) => {
    const { print, note } = work.context.output;
    const threads = await statsOf(checkpoints, work.threads);
    const reports: VerifyReport[] = [];
    for (const [index, { threadId }] of threads.entries()) {
      const report = await verifyThread(checkpoints.saver, threadId);
      reports.push(report);
      const found = report.findings.length === 0 ? "sound" : `${report.findings.length} findings`;
      note(`[${index + 1}/${threads.length}] ${printable(threadId)}  ${found}\n`);
    }
    const damaged = reports.filter(({ findings }) => findings.length > 0);
    const sound = damaged.length === 0;
    if (work.options.json)
      print(`${JSON.stringify({ database: checkpoints.place, sound, threads: reports })}\n`);
    else print(verdictText(reports.length, damaged));
    return sound ? EXIT_CODES.success.code : EXIT_CODES.failed.code;
  });
}

/** Pure. */
export function verdictText(threads: number, damaged: readonly VerifyReport[]): string {
  if (damaged.length === 0) return `${threads} threads are sound\n`;
  const lines = damaged.flatMap(({ threadId, findings }) => [
    `${printable(threadId)}\n`,
    ...findings.map(({ kind, row, text }) => `  ${kind.padEnd(8)} ${printable(row)}: ${printable(text)}\n`),
  ]);
  return [
    ...lines,
    `${damaged.length} of ${threads} threads are damaged. Put a backup of the database in its place, `,
    "or delete them with `deerflow threads delete ID`.\n",
  ].join("");
}
