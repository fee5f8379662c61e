/** The `deerflow` command: reads the arguments, runs one command, turns failures into one sentence. */
import { readFileSync } from "node:fs";
import { DeerflowError, reasonOf } from "@deerflow/harness";
import { Command, CommanderError } from "commander";
import type { CommandContext, GlobalOptions } from "./command-context.js";
import { CHECKPOINT_COMMANDS, type CheckpointOptions } from "./commands/checkpoints.js";
import { migrateCommand, type MigrateOptions } from "./commands/checkpoints-migrate.js";
import { initConfig, validateConfig } from "./commands/config.js";
import {
  databaseStatus,
  type DatabaseStatusOptions,
  databaseSwitch,
  type DatabaseSwitchOptions,
} from "./commands/database.js";
import { type DemoOptions, demoCommand } from "./commands/demo.js";
import { type DoctorOptions, doctorCommand } from "./commands/doctor.js";
import { type RunOptions, runCommand } from "./commands/run.js";
import { type ServeOptions, serveCommand } from "./commands/serve.js";
import { deleteThread, type ListOptions, listThreads, showThread } from "./commands/threads.js";
import { EXIT_CODES } from "./exit-codes.js";
import { onOutputClosed, processOutput } from "./terminal/output.js";

/** @returns the exit code; never throws */
export async function main(args: readonly string[], context: CommandContext): Promise<number> {
  let exitCode: number = EXIT_CODES.success.code;
  const program = createProgram(context, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.usage.code;
    return sayFailure(error, context, program.opts<GlobalOptions>().debug ?? false);
  }
}

function createProgram(context: CommandContext, end: (exitCode: number) => void): Command {
  const program = new Command("deerflow")
    .description("An agent that finishes tasks on real files.")
    .version(context.version)
    .option("--config <path>", "configuration file instead of ./config.yaml")
    .option("--debug", "show stack traces of errors")
    .exitOverride()
    .configureOutput({ writeOut: context.output.print, writeErr: context.output.note })
    .showHelpAfterError("(deerflow --help lists the commands)");
  const globals = () => program.opts<GlobalOptions>();
  addTaskCommands(program, { context, globals, end });
  addThreadCommands(program, { context, globals, end });
  addConfigCommands(program, { context, globals, end });
  addDatabaseCommands(program, { context, globals, end });
  addCheckpointCommands(program, { context, globals, end });
  return program;
}

interface Wiring {
  readonly context: CommandContext;
  readonly globals: () => GlobalOptions;
  readonly end: (exitCode: number) => void;
}

function addTaskCommands(program: Command, { context, globals, end }: Wiring): void {
  program
    .command("run <task>")
    .description("run a task in this terminal")
    .option("--input <path>", "a file or folder to work on; it is copied into the thread")
    .option("--model <name>", "a model by name; `deerflow doctor` lists them")
    .option("--thread <id>", "go on in an existing thread")
    .option("--json", "print events, one JSON object a line")
    .option("--yes", "never ask me anything")
    .action(async (task: string, options: RunOptions) =>
      end(await runCommand(context, globals(), task, options)),
    );
  program
    .command("demo")
    .description("run the demo task; needs no key")
    .option("--input <path>", "your own table or folder instead of the sample")
    .option("--task <text>", "your own task")
    .option("--model <name>", "another model instead of the demo model")
    .option("--json", "print events, one JSON object a line")
    .action(async (options: DemoOptions) => end(await demoCommand(context, globals(), options)));
  program
    .command("serve")
    .description("serve the gateway and the web workspace")
    .option("--port <number>", "port to listen on (default 2026; 0 takes a free one)")
    .option("--host <address>", "address to listen on (default 127.0.0.1)")
    .action(async (options: ServeOptions) => end(await serveCommand(context, globals(), options)));
  program
    .command("doctor")
    .description("say what works on this machine, and why something does not")
    .option("--json", "print one JSON object")
    .action(async (options: DoctorOptions) => end(await doctorCommand(context, globals(), options)));
}

function addThreadCommands(program: Command, { context, globals, end }: Wiring): void {
  const threads = program.command("threads").description("list, show or delete threads");
  threads
    .command("list")
    .description("newest first")
    .option("--limit <number>", "how many (default 50)")
    .option("--json", "print one JSON object a line")
    .action(async (options: ListOptions) => end(await listThreads(context, globals(), options)));
  threads
    .command("show <id>")
    .description("what was said and done")
    .action(async (id: string) => end(await showThread(context, globals(), id)));
  threads
    .command("delete <id>")
    .description("remove a thread with its files")
    .action(async (id: string) => end(await deleteThread(context, globals(), id)));
}

function addConfigCommands(program: Command, { context, globals, end }: Wiring): void {
  const config = program.command("config").description("write or check config.yaml");
  config
    .command("init")
    .description("write a commented config.yaml here")
    .action(async () => end(await initConfig(context, globals())));
  config
    .command("validate")
    .description("check the configuration and name what is wrong")
    .action(async () => end(await validateConfig(context, globals())));
}

function addDatabaseCommands(program: Command, { context, globals, end }: Wiring): void {
  const database = program
    .command("database")
    .description("where the data lies, and switching to another database");
  database
    .command("status")
    .description("which databases are in use, and how far a switch is")
    .option("--server <url>", "address of the server; found by itself beside an SQLite file")
    .option("--json", "print one JSON object")
    .action(async (options: DatabaseStatusOptions) => end(await databaseStatus(context, globals(), options)));
  database
    .command("switch")
    .description("use another database from now on, while running tasks end on the old one")
    .requiredOption("--to <place>", "a path, postgres://… or mysql://…, or $NAME of a variable that holds it")
    .option("--schema <name>", "the PostgreSQL schema")
    .option("--copy", "take all threads and stored items along")
    .option("--server <url>", "address of the server; found by itself beside an SQLite file")
    .option("--json", "print one JSON object")
    .action(async (options: DatabaseSwitchOptions) => end(await databaseSwitch(context, globals(), options)));
}

function addCheckpointCommands(program: Command, { context, globals, end }: Wiring): void {
  const checkpoints = program.command("checkpoints").description("the stored states of conversations");
  for (const { name, description, options: flags, run } of CHECKPOINT_COMMANDS) {
    const command = checkpoints.command(`${name} [threads...]`).description(description);
    for (const [flag, text] of flags) command.option(flag, text);
    command.action(async (threads: string[], options: CheckpointOptions) =>
      end(await run({ context, globals: globals(), threads, options })),
    );
  }
  checkpoints
    .command("migrate [threads...]")
    .description("move conversations to another database; the old one is only read")
    .requiredOption(
      "--from <place>",
      "a path, postgres://… or mysql://…, or $NAME of a variable that holds it",
    )
    .option("--from-schema <name>", "the PostgreSQL schema (default public)")
    .requiredOption("--to <place>", "in the same way")
    .option("--to-schema <name>", "the PostgreSQL schema (default public)")
    .option("--checkpoints-only", "leave out the list of threads, runs, events and stored items")
    .option("--report <path>", "keep a report of every thread in this file")
    .option("--dry-run", "only say what would be done")
    .option("--json", "print the report as one JSON object")
    .action(async (threads: string[], options: MigrateOptions) =>
      end(await migrateCommand(context, globals(), threads, options)),
    );
}

function sayFailure(error: unknown, { output }: CommandContext, debug: boolean): number {
  const known = DeerflowError.is(error);
  const sentence = known
    ? error.sentence
    : `Something failed inside DeerFlow: ${reasonOf(error)}. --debug shows where.`;
  output.note(`${output.colors.red("deerflow:")} ${sentence}\n`);
  if (debug && error instanceof Error) output.note(`${error.stack}\n`);
  return known && error.code !== "internal" ? EXIT_CODES.usage.code : EXIT_CODES.failed.code;
}

/** From the package itself, so that it cannot be forgotten at a release. */
function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}

const interrupts = new Set<() => void>();
const interrupt = (): void => {
  // Nothing that could be stopped in an orderly way is going on.
  if (interrupts.size === 0) process.exit(EXIT_CODES.cancelled.code);
  for (const listener of interrupts) listener();
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupt);
onOutputClosed(interrupt);

const processContext: CommandContext = {
  env: process.env,
  cwd: process.cwd(),
  version: packageVersion(),
  output: processOutput,
  onInterrupt(listener) {
    interrupts.add(listener);
    return () => void interrupts.delete(listener);
  },
};

process.exitCode = await main(process.argv.slice(2), processContext);
