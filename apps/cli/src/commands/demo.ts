/** `deerflow demo`: the main job on real files with the scripted model, so that it needs no key. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DEMO_MODEL_NAME, openHost } from "@deerflow/harness";
import { type CommandContext, type GlobalOptions, hostOptions } from "../command-context.js";
import { runInHost } from "./run.js";

export interface DemoOptions {
  readonly input?: string;
  readonly task?: string;
  readonly model?: string;
  readonly json?: boolean;
}

const DEFAULT_TASK = "Analyse the uploaded data and write a short report with the numbers that matter.";

/** Beside the compiled command in a package, in the repository's `examples` otherwise. */
const SAMPLES = ["../examples/sales.csv", "../../examples/sales.csv", "../../../../examples/sales.csv"].map(
  (path) => fileURLToPath(new URL(path, import.meta.url)),
);

/** @returns the exit code */
export async function demoCommand(
  context: CommandContext,
  globals: GlobalOptions,
  options: DemoOptions,
): Promise<number> {
  const { output } = context;
  const input = options.input ?? SAMPLES.find((path) => existsSync(path));
  const model = options.model ?? DEMO_MODEL_NAME;
  const host = await openHost(hostOptions(context, globals));
  try {
    if (model === DEMO_MODEL_NAME && !options.json) {
      output.note("This is the demo model: a script that plans from real tool results, not an AI.\n");
      output.note("Files, sandbox, gates and checkpoints around it are the real ones.\n\n");
    }
    return await runInHost({
      context,
      host,
      task: options.task ?? DEFAULT_TASK,
      options: {
        model,
        yes: true,
        ...(input === undefined ? {} : { input }),
        ...(options.json === undefined ? {} : { json: options.json }),
      },
    });
  } finally {
    await host.close();
  }
}
