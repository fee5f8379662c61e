/** The one schema of `config.yaml`: every section that has behaviour, with its limits, defaults and meaning. */
import { z } from "zod";
import { LOG_LEVELS } from "../base/logger.js";
import { commandAuditSection, commandRulesSection } from "./command-section.js";
import { databaseSection, storeOverride } from "./database-section.js";
import { modelSchema } from "./model-section.js";
import { interruptOnSection, permissionsSection } from "./permissions-section.js";
import { quotaSection } from "./quota-section.js";
import { sandboxSection } from "./sandbox-section.js";
import { flag, integer, section } from "./schema-parts.js";
import { toolOutputSection } from "./tool-output-section.js";

/** The newest shape of `config.yaml` that this version knows. */
export const CONFIG_VERSION = 1;

const MEBIBYTE = 1024 * 1024;

export const configSchema = z.strictObject({
  config_version: integer({ min: 0, fallback: 0 }).describe("Shape of this file."),
  log_level: z
    .preprocess((value) => (value === "warning" ? "warn" : value), z.enum(LOG_LEVELS))
    .default("info")
    .describe("debug, info, warn or error."),
  models: z
    .array(modelSchema)
    .default([])
    .describe(
      "Models in order of preference. Empty: environment keys, then a local server, then the demo model.",
    ),
  max_recursion_limit: integer({ min: 1, fallback: 1000 }).describe("Most graph steps a client may ask for."),
  default_recursion_limit: integer({ min: 1, fallback: 100 }).describe(
    "Graph steps of a run that asks for none.",
  ),
  sandbox: sandboxSection.describe("Where commands run, and how much of their output the model sees."),
  database: databaseSection.describe("Where threads, runs, checkpoints and stored items lie."),
  checkpointer: storeOverride.describe("Another place for checkpoints only; as database, without retention."),
  store: storeOverride.describe(
    "Another place for the key-value store only; as database, without retention.",
  ),
  quota: quotaSection.describe("How much may be kept: files and checkpoints together."),
  identity: section({
    enabled: flag(false).describe("Users, tenants and permissions. Not available in this version."),
  }).describe("Who may do what."),
  title: section({
    enabled: flag(true).describe("Gives a new thread a title after its first answer."),
    max_words: integer({ min: 1, max: 20, fallback: 6 }).describe("Words of a title."),
    max_chars: integer({ min: 10, max: 200, fallback: 60 }).describe("Characters of a title."),
    model_name: z
      .string()
      .nullable()
      .default(null)
      .describe("A model that writes titles; null takes the first words of the question."),
  }).describe("Titles of threads."),
  read_before_write: section({
    enabled: flag(true).describe("Refuses to change a file whose present content the model has not read."),
  }).describe("The gate in front of changing files."),
  tool_output: toolOutputSection.describe("What becomes of results that are too long for a model."),
  permissions: permissionsSection.describe(
    "Rules for the paths of files; the first that fits decides, ~ is the workspace, and without one all is allowed.\n" +
      "Example: [{operations: [read, write], paths: [/mnt/user-data/uploads/private/**], mode: deny}].\n" +
      "Modes are allow, deny and interrupt (a person is asked). The last two need a sandbox that enforces them, or none:\n" +
      "bubblewrap does. In its commands interrupt denies, a rule for a folder means all in it, and what may not be read\n" +
      "is not there to be written either. What a command leaves at a path that no command may write is moved to .refused.",
  ),
  interrupt_on: interruptOnSection.describe(
    "Calls that wait for a person, by tool.\n" +
      "Example: {write_file: true, bash: {allowed_decisions: [approve, reject]}}. False never asks, whatever the rules say.",
  ),
  command_audit: commandAuditSection.describe(
    "The audit of shell commands: advice and a log in front of the sandbox, which is the wall.",
  ),
  command_rules: commandRulesSection.describe(
    "Your own rules for shell commands, judged on every part of one: chains, pipes, substitutions, texts for a shell.\n" +
      "One denied part denies all; a command of nothing but allowed parts runs; about any other a person is asked,\n" +
      "and where nobody can be asked it is denied. With no rules at all nothing is asked.\n" +
      'Example: {allow: ["git *", "ls *"], deny: ["git push *", "rm *"]}. "git *" fits git and git status, not gitk.',
  ),
  uploads: section({
    max_files: integer({ min: 1, fallback: 10 }).describe("Files of one upload."),
    max_file_size: integer({ min: 1, fallback: 50 * MEBIBYTE }).describe("Bytes of one file."),
    max_total_size: integer({ min: 1, fallback: 100 * MEBIBYTE }).describe("Bytes of one upload."),
  }).describe("Limits of uploads."),
  media: section({
    max_images: integer({ min: 0, fallback: 20 }).describe("Pictures of one request; 0: no limit."),
    max_bytes: integer({ min: 0, fallback: 16 * MEBIBYTE }).describe(
      "Bytes of media of one request, as base64; 0: no limit.",
    ),
  }).describe(
    "What a model is shown of earlier pictures and other media. Beyond a limit the older half is left out of the\n" +
      "request, and the model is told how to see it again. What it has not seen yet it is always shown.",
  ),
  demo_model: section({
    enabled: flag(true).describe("Offers demo/scripted-1, a scripted model that needs no key and is no AI."),
    pace_milliseconds: integer({ min: 0, max: 1000, fallback: 0 }).describe("Pause between streamed pieces."),
  }).describe("The model of the demo."),
  gateway: section({
    host: z.string().min(1).default("127.0.0.1").describe("Address to listen on."),
    port: integer({ min: 0, max: 65_535, fallback: 2026 }).describe("Port to listen on; 0 takes a free one."),
    cors_origins: z.array(z.string()).default([]).describe("Origins of web pages that may call the gateway."),
  }).describe("The HTTP server."),
});

/** A whole, valid configuration; every default is filled in. Names are those of `config.yaml`. */
export type DeerflowConfig = z.output<typeof configSchema>;
