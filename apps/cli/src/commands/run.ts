/** `deerflow run`: one task, in this process, shown as it happens. */
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import {
  databaseFolders,
  databaseLocations,
  DeerflowError,
  type Host,
  keepsThreads,
  LOCAL_PRINCIPAL,
  openHost,
  parseRunRequest,
  type RunJob,
  type RunRecord,
  threadDirectories,
  threadFiles,
} from "@deerflow/harness";
import { type CommandContext, type GlobalOptions, hostOptions } from "../command-context.js";
import { EXIT_CODES } from "../exit-codes.js";
import { importInput, type ImportedFile } from "../import-input.js";
import { resultPaths } from "../result-paths.js";
import { printable } from "../terminal/printable.js";
import { RunPrinter } from "../terminal/run-printer.js";

export interface RunOptions {
  readonly model?: string;
  readonly thread?: string;
  readonly input?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
}

/** Many small files are normal in a folder; the size limit is the configuration's. */
const MAXIMUM_INPUT_FILES = 2000;

/** @returns the exit code */
export async function runCommand(
  context: CommandContext,
  globals: GlobalOptions,
  task: string,
  options: RunOptions,
): Promise<number> {
  if (task.trim() === "") throw new DeerflowError("task_empty");
  const host = await openHost(hostOptions(context, globals));
  try {
    return await runInHost({ context, host, task, options });
  } finally {
    await host.close();
  }
}

interface Work {
  readonly context: CommandContext;
  readonly host: Host;
  readonly task: string;
  readonly options: RunOptions;
}

/** @returns the exit code */
export async function runInHost(work: Work): Promise<number> {
  const { context, host, options } = work;
  const threadId = await threadOf(host, options.thread);
  const modelName = await chosenModel(host, options.model);
  const files = options.input === undefined ? [] : await uploadInput(work, threadId, options.input);
  if (!options.json) sayStart(work, threadId, modelName);
  const request = parseRunRequest(payloadOf(work.task, files, options, modelName), host.runs.limits);
  const run = await host.runs.start(LOCAL_PRINCIPAL, threadId, request);
  const job = { principal: LOCAL_PRINCIPAL, threadId, runId: run.runId };
  const release = cancelOnInterrupt(context, host, job);
  try {
    const { print, colors, isTerminal } = context.output;
    const printer = new RunPrinter(print, colors, isTerminal);
    for await (const frame of await host.runs.stream(job)) {
      if (options.json)
        context.output.print(`${JSON.stringify({ thread_id: threadId, run_id: run.runId, ...frame })}\n`);
      else printer.frame(frame);
    }
    const ended = await host.runs.join(job);
    if (!options.json) await sayEnd(work, threadId, ended, printer);
    return exitCodeOf(ended.status, ended.stopReason, printer);
  } finally {
    release();
  }
}

/** An explicitly named thread must exist: a mistyped id would silently start from nothing. */
async function threadOf(host: Host, named: string | undefined): Promise<string> {
  if (named === undefined) return randomUUID();
  const thread = await host.persistence.threads.find(LOCAL_PRINCIPAL, named);
  if (thread === undefined) throw new DeerflowError("thread_missing", { threadId: named });
  return named;
}

async function chosenModel(host: Host, wanted: string | undefined): Promise<string> {
  const catalogue = await host.models();
  catalogue.createChatModel(wanted); // an unknown name ends the command before anything is written
  return wanted ?? catalogue.models[0]?.name ?? "";
}

async function uploadInput(
  { context, host }: Work,
  threadId: string,
  input: string,
): Promise<ImportedFile[]> {
  // npm runs scripts in the package's folder and says here where the user stood.
  const from = context.env["INIT_CWD"] ?? context.cwd;
  const uploads = threadFiles(threadDirectories(host.home, LOCAL_PRINCIPAL, threadId));
  const limits = { maxFiles: MAXIMUM_INPUT_FILES, maxTotalBytes: host.config().uploads.max_total_size };
  const admit = (bytes: number, copyAll: () => Promise<void>) =>
    host.quota.admit(LOCAL_PRINCIPAL, { threadId, bytes }, copyAll);
  return importInput(resolve(from, input), { uploads, home: host.home, admit }, limits);
}

const payloadOf = (task: string, files: ImportedFile[], options: RunOptions, modelName: string) => ({
  assistant_id: "lead_agent",
  input: {
    messages: [
      { type: "human", content: task, ...(files.length > 0 ? { additional_kwargs: { files } } : {}) },
    ],
  },
  stream_mode: ["values", "messages-tuple", "custom"],
  context: { model_name: modelName, ...(options.yes ? { non_interactive: true } : {}) },
  multitask_strategy: "reject",
});

function cancelOnInterrupt(context: CommandContext, host: Host, job: RunJob): () => void {
  let asked = false;
  return context.onInterrupt(() => {
    if (asked) process.exit(EXIT_CODES.cancelled.code);
    asked = true;
    context.output.note("\nStopping; what was done is kept. Press Ctrl-C again to leave at once.\n");
    host.runs.cancel(job).catch((error: unknown) => {
      context.output.note(`The run could not be stopped: ${String(error)}\n`);
    });
  });
}

function sayStart({ context, host, task }: Work, threadId: string, modelName: string): void {
  const { colors } = context.output;
  const demo = modelName.startsWith("demo/") ? " (scripted, no AI)" : "";
  context.output.note(
    colors.dim(`model ${modelName}${demo} · shell ${host.sandboxDescription} · thread ${threadId}\n`),
  );
  context.output.note(`${colors.bold("Task")} ${task}\n\n`);
}

async function sayEnd(
  { context, host }: Work,
  threadId: string,
  ended: RunRecord,
  printer: RunPrinter,
): Promise<void> {
  const { output } = context;
  const directories = threadDirectories(host.home, LOCAL_PRINCIPAL, threadId);
  for (const path of await resultPaths(directories, printer.artifacts))
    output.print(`\n${output.colors.green("Result")} ${printable(path)}\n`);
  output.note(denialsText(printer.denials));
  // Where a relative path counts from makes no difference to whether it is kept.
  const folders = databaseFolders(host.home, context.cwd, undefined);
  const isKept = keepsThreads(databaseLocations(host.config(), folders));
  output.note(`\n${printer.waitsForDecision && isKept ? decisionText(threadId) : endText(ended)}`);
  if (!isKept) {
    output.note("The thread was in memory only, so it cannot be gone on with.\n");
    return;
  }
  output.note(`Go on with: npx deerflow run --thread ${threadId} "${goOnText(ended)}"\n`);
}

function denialsText(denials: readonly string[]): string {
  if (denials.length === 0) return "";
  const lines = [...new Set(denials)].map((command) => `  ✗ ${command.replaceAll(/\s+/g, " ")}\n`);
  return `\nNot run, because nobody could be asked for approval:\n${lines.join("")}`;
}

const decisionText = (threadId: string): string =>
  `The calls marked with ? run only when a person decides so. Decide through the server (npx deerflow serve): a run on
thread ${threadId} with command.resume.decisions, one for each. To leave them undone instead:\n`;

const ENDINGS: Readonly<Record<string, string>> = {
  cancelled: "The run was stopped. ",
  recursion_limit: "The run has used up its steps. ",
  awaiting_input: "The run waits for your answer. ",
  error: "The run failed. ",
};

const endText = ({ status, stopReason }: RunRecord): string => ENDINGS[stopReason ?? status] ?? "";

const goOnText = ({ status }: RunRecord): string => (status === "success" ? "…" : "continue");

/** What ended a run that is neither a success nor an error; the runtime's stop reasons. */
const INTERRUPTED_EXITS: Readonly<Record<string, number>> = {
  awaiting_input: EXIT_CODES.question.code,
  recursion_limit: EXIT_CODES.failed.code,
};

function exitCodeOf(status: string, stopReason: string | undefined, printer: RunPrinter): number {
  if (status === "interrupted") return INTERRUPTED_EXITS[stopReason ?? ""] ?? EXIT_CODES.cancelled.code;
  if (printer.endsWithQuestion) return EXIT_CODES.question.code;
  return status === "success" ? EXIT_CODES.success.code : EXIT_CODES.failed.code;
}
