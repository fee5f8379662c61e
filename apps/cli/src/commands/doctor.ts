/** `deerflow doctor`: what works on this machine, and why something does not. Changes nothing. */
import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname } from "node:path";
import {
  checkSandboxConfig,
  ConfigSource,
  DeerflowError,
  type DeerflowConfig,
  type SandboxHealth,
  type DatabaseFinding,
  type DatabaseFolders,
  databaseFolders,
  inspectDatabases,
  parseConfig,
  probeSandbox,
  reasonOf,
  resolveHome,
  resolveModels,
} from "@deerflow/harness";
import type { CommandContext, GlobalOptions } from "../command-context.js";
import { EXIT_CODES } from "../exit-codes.js";

export interface DoctorOptions {
  readonly json?: boolean;
}

export interface Finding {
  readonly name: string;
  /** `warn`: DeerFlow works, but with less than it could. */
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
}

const MINIMUM_NODE = [20, 19] as const;
const LOW_DISK_BYTES = 1024 ** 3;

/** @returns 0 when nothing fails, 2 otherwise */
export async function doctorCommand(
  context: CommandContext,
  globals: GlobalOptions,
  options: DoctorOptions,
): Promise<number> {
  const findings = await examine(context, globals);
  const { print, colors } = context.output;
  if (options.json) print(`${JSON.stringify({ findings })}\n`);
  else {
    const mark = { ok: colors.green("ok  "), warn: colors.yellow("warn"), fail: colors.red("FAIL") };
    for (const { name, state, text } of findings) print(`${mark[state]} ${name.padEnd(12)} ${text}\n`);
  }
  return findings.some(({ state }) => state === "fail") ? EXIT_CODES.usage.code : EXIT_CODES.success.code;
}

async function examine(context: CommandContext, globals: GlobalOptions): Promise<Finding[]> {
  const home = resolveHome(context.env, context.cwd);
  const findings = [examineNode(process.versions.node)];
  // The rest is examined with the defaults where the configuration cannot be read; data lies in one place only.
  const [configuration, configured, path] = examineConfig(context, globals);
  const config = configured ?? parseConfig({}).config;
  findings.push(configuration, await examineHome(home));
  findings.push(
    await examineSandbox(config),
    ...(await examineModels(config, context.env)),
    ...(configured === undefined
      ? [NO_DATABASE]
      : await examineDatabases(configured, databaseFolders(home, context.cwd, path))),
    await examinePort(config.gateway.host, config.gateway.port),
  );
  return findings;
}

export function examineNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough = major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1]);
  return enough
    ? { name: "node", state: "ok", text: version }
    : {
        name: "node",
        state: "fail",
        text: `${version} is too old: install ${MINIMUM_NODE.join(".")} or newer.`,
      };
}

function examineConfig(
  { env, cwd }: CommandContext,
  { config: path }: GlobalOptions,
): [Finding, DeerflowConfig?, (string | undefined)?] {
  try {
    const source = new ConfigSource({ env, cwd, ...(path === undefined ? {} : { path }) });
    const config = source.current();
    checkSandboxConfig(config, resolveHome(env, cwd));
    return [
      { name: "config", state: "ok", text: source.path ?? "no config.yaml; the defaults hold" },
      config,
      source.path,
    ];
  } catch (error) {
    return [{ name: "config", state: "fail", text: sentenceOf(error) }];
  }
}

async function examineHome(home: string): Promise<Finding> {
  const existing = await nearestExisting(home);
  try {
    if (!(await stat(existing)).isDirectory()) throw new Error(`${existing} is a file`);
    await access(existing, constants.W_OK);
    const { bavail, bsize } = await statfs(existing);
    const free = bavail * bsize;
    const text = `${home} (${(free / 1024 ** 3).toFixed(1)} GiB free)`;
    return free < LOW_DISK_BYTES
      ? { name: "home", state: "warn", text: `${text}: less than 1 GiB is little` }
      : { name: "home", state: "ok", text };
  } catch (error) {
    return {
      name: "home",
      state: "fail",
      text: sentenceOf(new DeerflowError("home_not_writable", { path: home, reason: reasonOf(error) })),
    };
  }
}

async function nearestExisting(path: string): Promise<string> {
  const parent = dirname(path);
  if (parent === path) return path;
  return access(path).then(
    () => path,
    () => nearestExisting(parent),
  );
}

async function examineSandbox(config: DeerflowConfig): Promise<Finding> {
  const { provider, health } = await probeSandbox(config);
  await provider?.close();
  return sandboxFinding(provider?.name, health);
}

/** Which sandbox runs commands, why the better ones do not, and what it keeps in bounds. Pure. */
export function sandboxFinding(active: string | undefined, health: readonly SandboxHealth[]): Finding {
  const sentences = health.flatMap(({ provider, reason, limits, network }) => [
    `${provider}: ${reason}`,
    ...(provider === active ? [limits, network] : []),
  ]);
  const text = sentences.filter((sentence) => sentence !== undefined).join(" ");
  if (active === undefined) return { name: "sandbox", state: "warn", text: `no shell tool. ${text}` };
  return { name: "sandbox", state: active === "local" ? "warn" : "ok", text };
}

async function examineModels(config: DeerflowConfig, env: CommandContext["env"]): Promise<Finding[]> {
  try {
    const { models } = await resolveModels({ config, env });
    return models.map(({ name, source, reason }, index) => ({
      name: index === 0 ? "model" : "",
      state: index === 0 && source === "demo" ? "warn" : "ok",
      text: `${name}: ${reason}`,
    }));
  } catch (error) {
    return [{ name: "model", state: "fail", text: sentenceOf(error) }];
  }
}

const NO_DATABASE: Finding = {
  name: "database",
  state: "warn",
  text: "not looked at, because the configuration is not right.",
};

const examineDatabases = async (
  config: DeerflowConfig,
  folders: DatabaseFolders,
): Promise<readonly Finding[]> => (await inspectDatabases(config, folders)).map(databaseFinding);

/** Which database, where, and what is lost with it or wrong with it. Pure. */
export function databaseFinding({ part, backend, place, problem }: DatabaseFinding): Finding {
  if (problem !== undefined) return { name: part, state: "fail", text: problem.sentence };
  const text = backend === "memory" || place === undefined ? String(place) : `${backend}: ${place}`;
  return { name: part, state: place?.startsWith("memory") ? "warn" : "ok", text };
}

function examinePort(host: string, port: number): Promise<Finding> {
  const address = `${host}:${port}`;
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) =>
      resolve({
        name: "port",
        state: "warn",
        text: `${address} cannot be used (${reasonOf(error)}); serve with --port.`,
      }),
    );
    server.listen(port, host, () =>
      server.close(() => resolve({ name: "port", state: "ok", text: `${address} is free` })),
    );
  });
}

const sentenceOf = (error: unknown): string => (DeerflowError.is(error) ? error.sentence : reasonOf(error));
