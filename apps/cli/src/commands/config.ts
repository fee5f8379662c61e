/** `deerflow config`: writes a commented configuration file, or checks one. */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  assertProvidersKnown,
  checkSandboxConfig,
  DeerflowError,
  exampleConfig,
  loadConfig,
  reasonOf,
  resolveHome,
} from "@deerflow/harness";
import type { CommandContext, GlobalOptions } from "../command-context.js";

/** Writes `config.yaml` in the working directory; an existing file is never touched. */
export async function initConfig(context: CommandContext, globals: GlobalOptions): Promise<number> {
  const path = resolve(context.cwd, globals.config ?? "config.yaml");
  try {
    await writeFile(path, exampleConfig(), { flag: "wx" });
  } catch (error) {
    throw new DeerflowError("config_not_written", { path, reason: reasonOf(error) }, error);
  }
  context.output.note(`Wrote ${path}. Every setting in it is commented with its default.\n`);
  return 0;
}

export async function validateConfig(context: CommandContext, globals: GlobalOptions): Promise<number> {
  const loaded = loadConfig({
    env: context.env,
    cwd: context.cwd,
    ...(globals.config === undefined ? {} : { path: globals.config }),
  });
  assertProvidersKnown(loaded.config.models);
  checkSandboxConfig(loaded.config, resolveHome(context.env, context.cwd));
  for (const warning of loaded.warnings) context.output.note(`${warning}\n`);
  context.output.note(
    loaded.path === undefined
      ? "There is no config.yaml; the defaults hold, and they are valid.\n"
      : `${loaded.path} is valid.\n`,
  );
  return 0;
}
