/** A sandbox provider of deepagents that the operator installed, found by its name and checked before it is used. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { DeerflowError, reasonOf } from "../../base/errors.js";
import type { RemoteProtocol } from "./remote-calls.js";

/** What an export makes: a sandbox for each thread, or the one that it is. */
export interface LoadedProvider {
  /** The export is one sandbox, which threads can only have one after the other. */
  readonly isShared: boolean;
  open(): Promise<RemoteProtocol>;
  /** Ends one that `open` gave. */
  close(sandbox: RemoteProtocol): Promise<void>;
}

export interface ProviderPlace {
  /** `package:export`, as `@langchain/daytona:DaytonaSandbox`. */
  readonly use: string;
  /** Handed to what the export makes sandboxes with. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Folder from which the package is looked up, when it is not beside this program. */
  readonly from?: string;
}

const invalid = (use: string, reason: string, cause?: unknown): DeerflowError =>
  new DeerflowError("sandbox_provider_invalid", { use, reason }, cause);

/** @throws DeerflowError `sandbox_provider_invalid` */
export async function loadProvider({ use, options = {}, from }: ProviderPlace): Promise<LoadedProvider> {
  const at = use.lastIndexOf(":");
  const [name, exportName] = [use.slice(0, at), use.slice(at + 1)];
  if (at < 1 || exportName === "") throw invalid(use, "it must be written as package:export");
  const found = await load(use, name, from ?? process.cwd());
  const exported: unknown = Reflect.get(found, exportName);
  if (exported === undefined) {
    throw invalid(
      use,
      `${name} has no export of that name; it has ${Object.keys(found).toSorted().join(", ") || "none"}`,
    );
  }
  const make = makerOf(exported, options);
  if (make === undefined) {
    assertProtocol(use, exported);
    return { isShared: true, open: async () => exported, close: async () => undefined };
  }
  return { isShared: false, open: async () => opened(use, await make()), close };
}

async function load(use: string, name: string, from: string): Promise<object> {
  const places = [name, foundFrom(name, from)].filter((place) => place !== undefined);
  let failure: unknown;
  for (const place of places) {
    try {
      // A driver that only this configuration needs, so nothing else may depend on it.
      const loaded: unknown = await import(place);
      if (typeof loaded === "object" && loaded !== null) return loaded;
    } catch (error) {
      // The first place may simply not have it; what the package itself throws is the better reason.
      failure = isMissing(error, name) ? (failure ?? error) : error;
    }
  }
  const reason = isMissing(failure, name)
    ? `the package is not installed; run: npm install ${name}`
    : `the package cannot be loaded: ${reasonOf(failure)}`;
  throw invalid(use, reason, failure);
}

function foundFrom(name: string, from: string): string | undefined {
  try {
    return pathToFileURL(createRequire(join(from, "package.json")).resolve(name)).href;
  } catch {
    return undefined; // Not there either: the import by name says so.
  }
}

const isMissing = (error: unknown, name: string): boolean =>
  error instanceof Error &&
  "code" in error &&
  error.code === "ERR_MODULE_NOT_FOUND" &&
  error.message.includes(`'${name}'`);

type Make = () => unknown;
const isFunction = (value: unknown): value is (...args: unknown[]) => unknown => typeof value === "function";

/** How the export makes sandboxes: by its `create`, as a class, or as a function. Undefined when it is one itself. */
function makerOf(exported: unknown, options: unknown): Make | undefined {
  const isObject = typeof exported === "object" && exported !== null;
  if (!isObject && !isFunction(exported)) return undefined;
  const create: unknown = Reflect.get(exported, "create");
  if (isFunction(create)) return () => create.call(exported, options);
  if (!isFunction(exported)) return undefined;
  const isClass = /^class\b/.test(Function.prototype.toString.call(exported));
  return isClass ? () => Reflect.construct(exported, [options]) : () => exported(options);
}

async function opened(use: string, made: unknown): Promise<RemoteProtocol> {
  const sandbox: unknown = await made;
  assertProtocol(use, sandbox);
  await callIfThere(sandbox, "initialize", Reflect.get(sandbox, "isRunning") !== true);
  return sandbox;
}

const NEEDED = ["execute", "uploadFiles", "downloadFiles"] as const;

function assertProtocol(use: string, given: unknown): asserts given is RemoteProtocol {
  const isObject = (typeof given === "object" && given !== null) || isFunction(given);
  const missing = NEEDED.filter((method) => !isObject || !isFunction(Reflect.get(given, method)));
  if (missing.length > 0) throw invalid(use, `it is no sandbox: it has no ${missing.join(", no ")}`);
}

/** Under one of these names providers end their sandboxes. */
const ENDS = ["close", "stop", "terminate", "destroy"] as const;

async function close(sandbox: RemoteProtocol): Promise<void> {
  const name = ENDS.find((each) => isFunction(Reflect.get(sandbox, each)));
  if (name !== undefined) await callIfThere(sandbox, name, true);
}

async function callIfThere(target: object, name: string, isWanted: boolean): Promise<void> {
  const method: unknown = Reflect.get(target, name);
  if (isWanted && isFunction(method)) await method.call(target);
}
