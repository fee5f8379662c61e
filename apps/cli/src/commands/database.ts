/** `deerflow database`: where the data lies, and putting another database in its place. */
import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseStatus } from "@deerflow/gateway";
import {
  configLine,
  type DatabaseFinding,
  databaseFolders,
  databaseLocations,
  DeerflowError,
  findDatabaseServer,
  inspectDatabases,
  loadConfig,
  type OfflineSwitch,
  readSwitchTarget,
  reasonOf,
  resolveHome,
  switchOffline,
} from "@deerflow/harness";
import { resolve } from "node:path";
import type { CommandContext, GlobalOptions } from "../command-context.js";
import { EXIT_CODES } from "../exit-codes.js";

export interface DatabaseStatusOptions {
  readonly server?: string;
  readonly json?: boolean;
}

export interface DatabaseSwitchOptions extends DatabaseStatusOptions {
  readonly to: string;
  readonly schema?: string;
  readonly copy?: boolean;
}

const LOOK_MILLISECONDS = 300;
/** A server of this machine that says nothing for so long is none. */
const PROBE_MILLISECONDS = 2000;
/** Opening a database that does not answer takes its time. */
const ANSWER_MILLISECONDS = 120_000;
const JSON_BODY = { "content-type": "application/json" };

interface Installation {
  readonly home: string;
  readonly locations: ReturnType<typeof databaseLocations>;
  readonly folders: ReturnType<typeof databaseFolders>;
  readonly config: ReturnType<typeof loadConfig>["config"];
}

function installationOf({ env, cwd }: CommandContext, globals: GlobalOptions): Installation {
  const { config, path } = loadConfig({ env, cwd, ...(globals.config ? { path: globals.config } : {}) });
  const home = resolveHome(env, cwd);
  const folders = databaseFolders(home, cwd, path);
  return { home, config, folders, locations: databaseLocations(config, folders) };
}

/** @returns the exit code */
export async function databaseStatus(
  context: CommandContext,
  globals: GlobalOptions,
  options: DatabaseStatusOptions,
): Promise<number> {
  const { print } = context.output;
  const installation = installationOf(context, globals);
  const { server, asked } = await serverOf(installation, options);
  if (server !== undefined) {
    const status = await askServer(server);
    if (options.json) print(`${JSON.stringify({ server, ...status })}\n`);
    else print(`server ${server}\n${statusText(status)}`);
    return EXIT_CODES.success.code;
  }
  const findings = await inspectDatabases(installation.config, installation.folders);
  if (options.json) print(`${JSON.stringify({ databases: findings.map(findingFields) })}\n`);
  else print(`${noServerText(asked)}\n${findings.map(findingText).join("")}`);
  return findings.some(({ problem }) => problem) ? EXIT_CODES.usage.code : EXIT_CODES.success.code;
}

/** @returns the exit code: 0 when the new database is in use or ready for it, 1 when the server could not switch */
export async function databaseSwitch(
  context: CommandContext,
  globals: GlobalOptions,
  options: DatabaseSwitchOptions,
): Promise<number> {
  const installation = installationOf(context, globals);
  const to = targetOf(context, options.to);
  const location = readSwitchTarget({ to, schema: options.schema }, installation.folders);
  const { server, asked } = await serverOf(installation, options);
  if (server === undefined) {
    const { home, locations } = installation;
    const done = await switchOffline({ home, locations, to: location, copy: options.copy ?? false });
    sayOffline(context, { ...done, asked }, options);
    context.output.note(writeThis(configLine(location)));
    return done.report?.status === "incomplete" ? EXIT_CODES.failed.code : EXIT_CODES.success.code;
  }
  const { schema, copy = false } = options;
  await askServer(server, { to, copy, ...(schema === undefined ? {} : { schema }) });
  const ended = await watch(context, server, options);
  if (options.json) context.output.print(`${JSON.stringify(ended)}\n`);
  if (ended.switch?.phase !== "done") return EXIT_CODES.failed.code;
  context.output.note(writeThis(configLine(location)));
  return EXIT_CODES.success.code;
}

/** As written, or the variable that it names; a path counts from where the person stands. */
function targetOf({ env, cwd }: CommandContext, to: string): string {
  const name = /^\$([A-Za-z_]\w*)$/.exec(to)?.[1];
  const value = name === undefined ? to : env[name];
  if (value === undefined) {
    throw new DeerflowError("database_switch_invalid", { reason: `the variable ${name} is not set` });
  }
  return /^[a-z][a-z0-9+.-]*:/i.test(value) || value === ":memory:" ? value : resolve(cwd, value);
}

interface FoundServer {
  /** Undefined when none was found. */
  readonly server?: string;
  /** The address that was asked in vain: a server at another one may still run. */
  readonly asked?: string | undefined;
}

/** Looks for the server that serves this installation's database. */
async function serverOf(
  { home, config, locations }: Installation,
  { server }: DatabaseStatusOptions,
): Promise<FoundServer> {
  if (server !== undefined) return { server: server.replace(/\/+$/, "") };
  const found = findDatabaseServer(home, locations.database);
  if (found.server !== undefined) {
    if (found.server.url !== undefined) return { server: found.server.url };
    const reason = "its server has not said where it is reached; give its address with --server";
    throw new DeerflowError("database_switch_invalid", { reason });
  }
  if (found.isFile) return {};
  // Nothing on a database server tells who uses it, so the configured address is asked.
  const { host, port } = config.gateway;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const status = await askServer(url, undefined, PROBE_MILLISECONDS).catch(() => undefined);
  return status?.databases?.[0]?.id === found.id ? { server: url } : { asked: url };
}

/** @throws DeerflowError `database_switch_refused` with what the server says, `database_server_unreachable` */
async function askServer(
  url: string,
  request?: object,
  patience: number = ANSWER_MILLISECONDS,
): Promise<DatabaseStatus> {
  const path = request === undefined ? "/api/admin/database" : "/api/admin/database/switch";
  const asked =
    request === undefined ? {} : { method: "POST", headers: JSON_BODY, body: JSON.stringify(request) };
  const signal = AbortSignal.timeout(patience);
  const answer = await fetch(`${url}${path}`, { ...asked, signal }).catch((error: unknown) => {
    throw new DeerflowError("database_server_unreachable", { url, reason: reasonOf(error) }, error);
  });
  const body: unknown = await answer.json().catch(() => ({}));
  if (answer.ok) return body as DatabaseStatus; // our own server's answer
  const { detail } = body as { detail?: unknown };
  throw new DeerflowError("database_switch_refused", { url, detail: String(detail ?? answer.status) });
}

/** Tells how far it is until it is over. Ctrl-C ends the telling only. */
async function watch(
  context: CommandContext,
  server: string,
  { json = false }: DatabaseSwitchOptions,
): Promise<DatabaseStatus> {
  let said = "";
  for (;;) {
    const status = await askServer(server);
    const text = statusText(status);
    if (!json && text !== said) context.output.note(text);
    said = text;
    const phase = status.switch?.phase;
    if (phase !== "copying" && phase !== "draining") return status;
    await sleep(LOOK_MILLISECONDS);
  }
}

const PHASES: Readonly<Record<NonNullable<DatabaseStatus["switch"]>["phase"], string>> = {
  copying: "copying; all runs are on the old database",
  draining: "new runs are on the new database",
  done: "done; the old database is closed",
  failed: "failed; the old database stays in use",
};

/** Pure. */
export function statusText({ databases, switch: last }: DatabaseStatus): string {
  const places = databases
    .map(({ part, backend, place }) => `${part} ${placeText(backend, place)}\n`)
    .join("");
  if (last === undefined) return places;
  const { phase, from, to, runs_on_old, threads_on_old, threads_left, problem } = last;
  const held =
    phase === "draining"
      ? `; the old one still holds ${threads_on_old} threads and ${runs_on_old} unfinished runs`
      : "";
  const left = threads_left > 0 ? `${threads_left} threads stay on ${from} and are not shown\n` : "";
  return `${places}switch from ${from} to ${to}: ${PHASES[phase]}${held}\n${left}${problem ? `${problem}\n` : ""}`;
}

const placeText = (backend: string, place: string): string =>
  backend === "memory" ? place : `${backend}: ${place}`;

const findingText = ({ part, backend, place, problem }: DatabaseFinding): string =>
  `${part} ${problem?.sentence ?? placeText(backend, String(place))}\n`;

const findingFields = ({ problem, ...finding }: DatabaseFinding) => ({
  ...finding,
  ...(problem && { problem: problem.sentence }),
});

/** The lock of a file tells for sure that nobody serves it; an address that does not answer tells little. Pure. */
export const noServerText = (asked: string | undefined): string =>
  asked === undefined ? "No server runs" : `No server was found at ${asked}; name it with --server`;

/** Pure. */
export const nothingSwitchedText = (asked: string | undefined, to: string): string =>
  asked === undefined
    ? `No server runs, so nothing was switched. ${to} can be used.\n`
    : `${noServerText(asked)} if one runs: nothing was switched. ${to} can be used.\n`;

function sayOffline(
  { output }: CommandContext,
  { from, to, threadsLeft, report, asked }: OfflineSwitch & FoundServer,
  { json = false }: DatabaseSwitchOptions,
): void {
  if (json) {
    output.print(`${JSON.stringify({ from, to, threads_left: threadsLeft, ...(report && { report }) })}\n`);
    return;
  }
  output.note(nothingSwitchedText(asked, to));
  if (report !== undefined) {
    const { threads, copied, updated, unchanged, conflict, failed } = report.totals;
    output.note(
      `Of ${threads} threads ${copied} were copied, ${updated} brought up to date, and ${unchanged} were there already.\n`,
    );
    if (conflict + failed > 0) output.note(`${conflict + failed} could not be copied:\n`);
    for (const { threadId, reason } of report.threads.filter((thread) => thread.reason !== undefined)) {
      output.note(`  ${threadId}: ${reason}\n`);
    }
  }
  if (threadsLeft > 0) {
    output.note(`${threadsLeft} threads of ${from} are not there; --copy takes them along.\n`);
  }
}

const writeThis = (line: string): string => `Write this into config.yaml:\n\n${line}\n`;
