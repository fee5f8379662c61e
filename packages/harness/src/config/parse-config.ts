/** From the parsed YAML to a valid configuration: environment, reserved names, schema, availability. */
import type { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import { readDeerflowSandbox } from "./deerflow-sandbox.js";
import { type Environment, resolveEnvironment } from "./environment-values.js";
import { RESERVED_NAMES } from "./known-sections.js";
import { nearestName } from "./nearest-name.js";
import { knownKeysAt } from "./schema-walk.js";
import { CONFIG_VERSION, configSchema, type DeerflowConfig } from "./schema.js";

export interface ParsedConfig {
  readonly config: DeerflowConfig;
  /** One sentence each; the same file gives the same warnings. */
  readonly warnings: readonly string[];
}

type Mapping = Record<string, unknown>;

/** Stands in errors until `parseConfigFile` puts the real path in its place. */
const FILE = "config.yaml";

/** Stands in errors until `parseConfigFile` knows the line. */
const LINE = "";

const invalid = (key: string, problem: string): DeerflowError =>
  new DeerflowError("config_invalid", { file: FILE, line: LINE, key, problem });

const isMapping = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * @param raw what YAML gave; `null` and `undefined` mean an empty file
 * @throws DeerflowError `config_invalid`, `config_key_unknown`, `config_variable_missing`,
 *   `identity_unavailable`
 * @example parseConfig({ title: { enabled: false } }).config.title.max_words // 6
 */
export function parseConfig(raw: unknown, env: Environment = {}): ParsedConfig {
  const mapping = raw ?? {};
  if (!isMapping(mapping)) throw invalid("the whole text", "it must be a mapping of sections");
  const present = withoutEmpty(mapping);
  const sandbox = readDeerflowSandbox(present["sandbox"]);
  const { kept, warnings } = withoutReserved(
    sandbox.section === undefined ? present : { ...present, sandbox: sandbox.section },
  );
  const result = configSchema.safeParse(resolveEnvironment(kept, env));
  if (!result.success) throw firstProblem(result.error);
  assertMeaningful(result.data);
  return {
    config: freezeDeeply(result.data),
    warnings: [
      ...sandbox.warnings,
      ...warnings,
      ...versionWarnings(result.data, mapping),
      ...pythonPaths(result.data),
    ],
  };
}

/** A section without a value counts as absent, as a file with every line of it commented out has. */
const withoutEmpty = (mapping: Mapping): Mapping =>
  Object.fromEntries(Object.entries(mapping).filter(([, value]) => value !== null));

function withoutReserved(mapping: Mapping): { kept: Mapping; warnings: string[] } {
  const kept: Mapping = { ...mapping };
  const warnings: string[] = [];
  for (const { path, because } of RESERVED_NAMES) {
    const [section = "", key] = path.split(".");
    const inner = kept[section];
    const present = key === undefined ? section in kept : isMapping(inner) && key in inner;
    if (!present) continue;
    warnings.push(`${path} has no effect yet: ${because}.`);
    if (key === undefined) delete kept[section];
    else kept[section] = Object.fromEntries(Object.entries(inner ?? {}).filter(([name]) => name !== key));
  }
  return { kept, warnings };
}

function versionWarnings(config: DeerflowConfig, mapping: Mapping): string[] {
  if (!("config_version" in mapping) || config.config_version >= CONFIG_VERSION) return [];
  return [
    `config_version is ${config.config_version}, the newest is ${CONFIG_VERSION}; run deerflow config init to see the new keys.`,
  ];
}

/** DeerFlow names providers by Python path. */
export const isPythonPath = (use: string): boolean => /^[\w.]+:\w+$/.test(use);

function pythonPaths(config: DeerflowConfig): string[] {
  const paths = [...new Set(config.models.map((model) => model.use).filter(isPythonPath))];
  if (paths.length === 0) return [];
  return [
    `models.use names Python classes (${paths.join(", ")}); the providers built in here are used in their place.`,
  ];
}

function firstProblem(error: z.ZodError): DeerflowError {
  // A misspelt key makes its right spelling look missing, so the unknown key is the cause to name.
  const issue = error.issues.find((candidate) => candidate.code === "unrecognized_keys") ?? error.issues[0];
  const path = issue?.path ?? [];
  if (issue?.code !== "unrecognized_keys") {
    return invalid(dotted(path), issue?.message ?? "unknown");
  }
  const key = issue.keys[0] ?? "";
  const known = knownKeysAt(configSchema, path);
  const near = nearestName(
    key,
    path.length === 0 ? [...known, ...RESERVED_NAMES.map((row) => row.path)] : known,
  );
  return new DeerflowError("config_key_unknown", {
    file: FILE,
    line: LINE,
    key,
    at: dotted([...path, key]),
    place: path.length === 0 ? "at the top" : `in ${dotted(path)}`,
    hint: near === undefined ? `Known names there: ${known.join(", ")}.` : `Did you mean ${near}?`,
  });
}

const dotted = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");

function assertMeaningful(config: DeerflowConfig): void {
  assertMountsApart(config.sandbox.mounts.map((mount) => mount.container_path));
  const names = config.models.map((model) => model.name);
  const twice = names.findIndex((name, index) => names.indexOf(name) < index);
  if (twice !== -1) throw invalid(`models[${twice}].name`, `${names[twice]} is used twice`);
  if (config.identity.enabled) throw new DeerflowError("identity_unavailable", { file: FILE });
}

/** The folders of a thread lie below it. */
const THREAD_FOLDER = "/mnt/user-data";

/** In one folder inside another it would be unclear which of the two a path means. */
function assertMountsApart(paths: readonly string[]): void {
  paths.forEach((path, index) => {
    const key = `sandbox.mounts[${index}].container_path`;
    if (!/^(\/(?!\.{1,2}(\/|$))[^/\0]+)+$/.test(path))
      throw invalid(key, "it must be an absolute, plain path");
    const others = [THREAD_FOLDER, ...paths.filter((_, other) => other !== index)];
    const clash = others.find(
      (other) => `${path}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${path}/`),
    );
    if (clash !== undefined) throw invalid(key, `it lies inside ${clash}, or holds it`);
  });
}

function freezeDeeply<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freezeDeeply(inner);
  }
  return value;
}
