/** The options of the file tools on their own, checked when the agent is built. Pure. */
import { isRecord } from "../base/json.js";
import type { Logger } from "../base/logger.js";
import { aboveZero, assertBackend, optionInvalid } from "../filesystem/assert-backend.js";
import type { FileBackend } from "../filesystem/contract.js";
import { StateBackend } from "../filesystem/state-backend.js";
import type { FilesystemPermission } from "../policy/file-permission.js";
import { type Dialect, DIALECTS } from "../tools/dialects.js";
import { TOOL_KINDS, type ToolKind } from "../tools/face.js";
import { checkInterruptOn } from "./approval-entries.js";
import type { InterruptOn } from "./approval-pauses.js";
import { DEFAULT_RETENTION, type OffloadRetention } from "./offload-store.js";

export interface FilesystemMiddlewareOptions {
  /** Where the files are. Default: `new StateBackend()`, which keeps them in the state of the thread. */
  readonly backend?: FileBackend;
  /** Names of the tools to make, the read tool among them; `"all"`, the default, or null for all that can work. */
  readonly tools?: readonly string[] | "all" | null;
  /** What the tools are called and how they speak. Default `deepagents`. */
  readonly dialect?: Dialect;
  /** The first rule that matches decides; without one everything is allowed. Default none. */
  readonly permissions?: readonly FilesystemPermission[];
  /** Calls that wait for a person, by tool name, also of tools that are not made here. Default none. */
  readonly interruptOn?: InterruptOn;
  /** A tool result above it is put into a file; null or 0 for never. Tokens of 4 characters. Default 20,000. */
  readonly toolTokenLimitBeforeEvict?: number | null;
  /** The same for messages of the user. Default 50,000. */
  readonly humanMessageTokenLimitBeforeEvict?: number | null;
  /**
   * How much of what was put into files is kept, of each of the two folders; beyond it the oldest files are removed.
   * Default 2,000 files and 500 MiB.
   */
  readonly retention?: Partial<OffloadRetention>;
  /** The longest time limit that a command may ask for, in seconds. Default 3,600. */
  readonly maxExecuteTimeout?: number;
  /** How many lines grep finds when a call does not say; null for as many as there are, within what one answer shows. Default 1,000. */
  readonly grepMaxCount?: number | null;
  /** By tool name, in place of the tool's own text; never changed afterwards. Default none. */
  readonly customToolDescriptions?: Readonly<Record<string, string>>;
  /** Stands behind the agent's own prompt. Default none. */
  readonly systemPrompt?: string;
  /** Is told what the model is only hinted at. Default silent. */
  readonly logger?: Logger;
}

/** The options with all defaults in place. Sizes are in characters; 0 means never. */
export interface FilesystemSettings {
  readonly backend: FileBackend;
  readonly dialect: Dialect;
  readonly kinds: readonly ToolKind[];
  readonly toolResultCharacters: number;
  readonly humanMessageCharacters: number;
  readonly retention: OffloadRetention;
  readonly maxExecuteSeconds: number;
  /** Undefined: no number of its own. */
  readonly grepResults: number | undefined;
}

const DEFAULT_TOOL_TOKENS = 20_000;
const DEFAULT_HUMAN_TOKENS = 50_000;
const CHARACTERS_PER_TOKEN = 4;
const DEFAULT_EXECUTE_SECONDS = 3600;
const DEFAULT_GREP_RESULTS = 1000;

const OPTION_NAMES: Readonly<Record<keyof FilesystemMiddlewareOptions, true>> = {
  backend: true,
  tools: true,
  dialect: true,
  permissions: true,
  interruptOn: true,
  toolTokenLimitBeforeEvict: true,
  humanMessageTokenLimitBeforeEvict: true,
  retention: true,
  maxExecuteTimeout: true,
  grepMaxCount: true,
  customToolDescriptions: true,
  systemPrompt: true,
  logger: true,
};

/** @throws DeerflowError `filesystem_options_invalid` */
export function filesystemSettings(options: FilesystemMiddlewareOptions): FilesystemSettings {
  // Plain JavaScript may give anything.
  const given: unknown = options;
  if (!isRecord(given)) throw optionInvalid("options", "they are not an object");
  // A misspelled name must not leave out a protection in silence.
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTION_NAMES, name));
  if (unknown !== undefined)
    throw optionInvalid(unknown, `there is no such option; ${known(Object.keys(OPTION_NAMES))}`);
  const dialect = dialectOf(options.dialect ?? "deepagents");
  const names = toolNames(dialect);
  const { toolTokenLimitBeforeEvict: toolTokens = DEFAULT_TOOL_TOKENS } = options;
  const { humanMessageTokenLimitBeforeEvict: humanTokens = DEFAULT_HUMAN_TOKENS } = options;
  const { maxExecuteTimeout = DEFAULT_EXECUTE_SECONDS, grepMaxCount = DEFAULT_GREP_RESULTS } = options;
  checkDescriptions(options.customToolDescriptions ?? {}, names);
  checkInterruptOn(options.interruptOn ?? {});
  checkRest(options);
  return {
    backend: backendOf(options.backend),
    dialect,
    kinds: kindsOf(options.tools ?? "all", names),
    toolResultCharacters: charactersOf("toolTokenLimitBeforeEvict", toolTokens),
    humanMessageCharacters: charactersOf("humanMessageTokenLimitBeforeEvict", humanTokens),
    retention: retentionOf(options.retention ?? {}),
    maxExecuteSeconds: aboveZero("maxExecuteTimeout", maxExecuteTimeout),
    grepResults: grepMaxCount === null ? undefined : wholeAboveZero("grepMaxCount", grepMaxCount),
  };
}

/** What is handed on as it is given. */
function checkRest(options: FilesystemMiddlewareOptions): void {
  // Each may come from plain JavaScript.
  const { permissions, systemPrompt, logger }: Readonly<Record<string, unknown>> = { ...options };
  if (permissions !== undefined && !Array.isArray(permissions))
    throw optionInvalid("permissions", "it is not a list of rules");
  if (systemPrompt !== undefined && typeof systemPrompt !== "string")
    throw optionInvalid("systemPrompt", "it is not a text");
  if (logger !== undefined && !(isRecord(logger) && typeof logger["warn"] === "function"))
    throw optionInvalid("logger", "it has no warn; give a Logger, such as lineLogger gives");
}

function retentionOf(given: unknown): OffloadRetention {
  if (!isRecord(given)) throw optionInvalid("retention", "it is not an object of maxFiles and maxBytes");
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(DEFAULT_RETENTION, name));
  if (unknown !== undefined)
    throw optionInvalid(
      `retention.${unknown}`,
      `there is no such number; ${known(Object.keys(DEFAULT_RETENTION))}`,
    );
  const { maxFiles = DEFAULT_RETENTION.maxFiles, maxBytes = DEFAULT_RETENTION.maxBytes } = given;
  return {
    maxFiles: wholeAboveZero("retention.maxFiles", maxFiles),
    maxBytes: wholeAboveZero("retention.maxBytes", maxBytes),
  };
}

type ToolNames = ReadonlyMap<string, ToolKind>;

const toolNames = (dialect: Dialect): ToolNames =>
  new Map(TOOL_KINDS.map((kind) => [DIALECTS[dialect].faces[kind].name, kind]));

const known = (names: Iterable<string>): string => `known are ${[...names].join(", ")}`;

function dialectOf(given: Dialect): Dialect {
  if (Object.hasOwn(DIALECTS, given)) return given;
  throw optionInvalid("dialect", `${given} is none; ${known(Object.keys(DIALECTS))}`);
}

function backendOf(given: FileBackend | undefined): FileBackend {
  if (given === undefined) return new StateBackend();
  assertBackend("backend", given);
  return given;
}

function kindsOf(given: readonly string[] | "all", names: ToolNames): readonly ToolKind[] {
  if (given === "all") return TOOL_KINDS;
  if (!Array.isArray(given)) throw optionInvalid("tools", 'it is neither a list of names nor "all"');
  const unknown = given.find((name) => !names.has(name));
  if (unknown !== undefined)
    throw optionInvalid("tools", `${unknown} is no tool here; ${known(names.keys())}`);
  const kinds = TOOL_KINDS.filter((kind) => given.some((name) => names.get(name) === kind));
  if (kinds.includes("read")) return kinds;
  const [read] = [...names].find(([, kind]) => kind === "read") ?? [];
  throw optionInvalid("tools", `${read} must be among them, because what is put into files is read with it`);
}

function checkDescriptions(given: Readonly<Record<string, unknown>>, names: ToolNames): void {
  for (const [name, text] of Object.entries(given)) {
    if (!names.has(name)) {
      throw optionInvalid("customToolDescriptions", `${name} is no tool here; ${known(names.keys())}`);
    }
    if (typeof text !== "string")
      throw optionInvalid("customToolDescriptions", `that of ${name} is not a text`);
  }
}

function charactersOf(option: string, tokens: number | null): number {
  if (tokens === null) return 0;
  if (typeof tokens === "number" && Number.isFinite(tokens) && tokens >= 0) {
    return Math.floor(tokens * CHARACTERS_PER_TOKEN);
  }
  throw optionInvalid(option, "it must be a number from 0, or null for never");
}

function wholeAboveZero(option: string, value: unknown): number {
  const number = aboveZero(option, value);
  if (Number.isSafeInteger(number)) return number;
  throw optionInvalid(option, "it must be a whole number");
}
