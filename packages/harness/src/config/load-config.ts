/** Finds and reads `config.yaml`. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Document, LineCounter, parseDocument } from "yaml";
import { DeerflowError, reasonOf } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import type { Environment } from "./environment-values.js";
import { lineOf } from "./line-of.js";
import { parseConfig, type ParsedConfig } from "./parse-config.js";

/** Where to look: an explicit path wins, the working directory comes last. */
export interface ConfigPlace {
  readonly path?: string;
  readonly env: Environment;
  readonly cwd: string;
}

export interface ConfigFile {
  readonly path: string;
  readonly text: string;
  /** Changes exactly when another file, or other content, would be loaded. */
  readonly signature: string;
}

export interface LoadedConfig extends ParsedConfig {
  /** The file it came from; `undefined` when there is none and the defaults hold. */
  readonly path: string | undefined;
}

/**
 * The configuration of this installation: explicit path, `DEER_FLOW_CONFIG_PATH`, `./config.yaml`,
 * `../config.yaml`, else the defaults.
 * @throws DeerflowError `config_file_missing` for a named file that is not there, `config_unreadable`,
 *   `config_syntax`, and what {@link parseConfig} throws, with the file's path
 * @example loadConfig({ env: process.env, cwd: process.cwd() }).config.gateway.port // 2026
 */
export function loadConfig(place: ConfigPlace): LoadedConfig {
  const file = readConfigFile(place);
  return file === undefined ? { ...parseConfig({}), path: undefined } : parseConfigFile(file, place.env);
}

/** The file that counts now, read but not yet parsed; `undefined` when there is none. */
export function readConfigFile(place: ConfigPlace): ConfigFile | undefined {
  const path = findConfigFile(place);
  if (path === undefined) return undefined;
  const text = readText(path);
  // Content, not time: an edit that keeps size and time is still an edit, and a touched file is not.
  return { path, text, signature: `${path}:${sha256(text)}` };
}

export function parseConfigFile(file: ConfigFile, env: Environment): LoadedConfig {
  const { raw, document, lines } = parseYaml(file);
  try {
    return { ...parseConfig(raw, env), path: file.path };
  } catch (error) {
    if (!DeerflowError.is(error)) throw error;
    const { at, key } = error.details;
    const line = lineOf({ document, lines }, String(at ?? key));
    const where = line === undefined ? "" : ` (line ${line})`;
    throw new DeerflowError(error.code, { ...error.details, file: file.path, line: where }, error);
  }
}

function findConfigFile({ path, env, cwd }: ConfigPlace): string | undefined {
  const named = path ?? (env["DEER_FLOW_CONFIG_PATH"] || undefined);
  if (named === undefined) {
    return ["config.yaml", "../config.yaml"]
      .map((name) => resolve(cwd, name))
      .find((name) => existsSync(name));
  }
  const absolute = resolve(cwd, named);
  if (existsSync(absolute)) return absolute;
  throw new DeerflowError("config_file_missing", {
    file: absolute,
    origin: path === undefined ? "DEER_FLOW_CONFIG_PATH names it" : "it was asked for by path",
  });
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new DeerflowError("config_unreadable", { file: path, reason: reasonOf(error) }, error);
  }
}

interface ParsedYaml {
  readonly raw: unknown;
  readonly document: Document;
  readonly lines: LineCounter;
}

function parseYaml({ path, text }: ConfigFile): ParsedYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problem = document.errors[0];
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new DeerflowError("config_syntax", { file: path, line, column: col, problem: problem.message });
  }
  try {
    return { raw: document.toJS(), document, lines };
  } catch (error) {
    // Anchors are resolved only here, so a wrong one has no position.
    throw new DeerflowError(
      "config_syntax",
      { file: path, line: 1, column: 1, problem: reasonOf(error) },
      error,
    );
  }
}
