/** A provider of deepagents as our files and our shell. */
import { isUtf8 } from "node:buffer";
import { ABORTED, orAborted, withTimeLimit } from "../../base/abort.js";
import { DeerflowError } from "../../base/errors.js";
import { sha256 } from "../../base/hash.js";
import { KeyedLock } from "../../base/keyed-lock.js";
import { childOf, nameOf, parentOf, shownPath } from "../../base/virtual-path.js";
import { CommandFiles } from "../../sandbox/command-files.js";
import {
  type CommandRequest,
  type CommandResult,
  type Sandbox,
  TIMEOUT_EXIT_CODE,
} from "../../sandbox/contract.js";
import { assertMethods } from "../assert-backend.js";
import type {
  FileBackend,
  FileContent,
  FileEntry,
  Shell,
  Version,
  WithShell,
  WriteOptions,
} from "../contract.js";
import { quoted } from "../../sandbox/file-scripts.js";
import type { ProtocolFileInfo, SandboxBackendProtocolV2 } from "../../sandbox/remote/sandbox-protocol.js";

const WRITES = new KeyedLock();
const DEFAULT_SECONDS = 600;
/** Without these nothing works. */
const NEEDED = ["ls", "write"] as const;

export interface FromSandboxProtocolOptions {
  /** Where the provider starts commands. Default "/". */
  readonly workingDirectory?: string;
}

/**
 * The provider's files behind our five verbs. The protocol has no compare-and-set: one process keeps its writers
 * apart, several do not. A provider without `execute` has no shell; one with neither `delete` nor `execute` removes
 * nothing.
 * @throws DeerflowError `filesystem_options_invalid` for what is no provider
 */
export const fromSandboxBackendProtocolV2 = (
  provider: SandboxBackendProtocolV2,
  options: FromSandboxProtocolOptions = {},
): FileBackend & Partial<WithShell> => {
  assertMethods("provider", provider, NEEDED);
  return new ProtocolBackend(provider, options);
};

class ProtocolBackend implements FileBackend, Partial<WithShell> {
  readonly id: string;
  readonly canRemove: boolean;
  readonly shell?: Shell;
  readonly #provider: SandboxBackendProtocolV2;

  constructor(provider: SandboxBackendProtocolV2, { workingDirectory = "/" }: FromSandboxProtocolOptions) {
    this.id = `protocol:${provider.id}`;
    this.#provider = provider;
    // Providers in JavaScript may lack what the type promises.
    const canExecute = typeof provider.execute === "function";
    this.canRemove = canExecute || provider.delete !== undefined;
    if (canExecute) {
      this.shell = { sandbox: new ProtocolSandbox(provider), workingDirectory, reachesHost: false };
    }
  }

  async list(path: string): Promise<readonly FileEntry[]> {
    const infos = await this.#infos(path);
    if (infos === undefined || infos.length === 0) await this.#assertFolder(path);
    return (infos ?? []).map((info) => entryOf(path, info)).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async stat(path: string): Promise<FileEntry | undefined> {
    if (path === "/") return { path, kind: "directory", size: 0, modifiedAt: 0 };
    const siblings = (await this.#infos(parentOf(path))) ?? [];
    return siblings.map((info) => entryOf(parentOf(path), info)).find((entry) => entry.path === path);
  }

  async read(path: string): Promise<FileContent | undefined> {
    const bytes = await this.#bytes(path);
    return bytes && { bytes, version: sha256(bytes) };
  }

  write(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<Version> {
    return WRITES.hold(`${this.id}\n${path}`, async () => {
      await this.#assertWritable(path);
      if (options.expectedVersion !== undefined) {
        const current = (await this.read(path))?.version ?? null;
        if (current !== options.expectedVersion) {
          throw new DeerflowError("file_changed", { path: shownPath(path) });
        }
      }
      await this.#put(path, content);
      return sha256(content);
    });
  }

  async remove(path: string): Promise<boolean> {
    if (path === "/") throw new DeerflowError("path_denied", { path, reason: "it is a fixed folder" });
    if (!this.canRemove) throw new DeerflowError("removal_unsupported", { path: shownPath(path) });
    if ((await this.stat(path)) === undefined) return false;
    const failure =
      this.#provider.delete === undefined
        ? await this.#removeByCommand(path)
        : (await this.#provider.delete(path)).error;
    if (failure !== undefined) throw refused(path);
    return true;
  }

  async #removeByCommand(path: string): Promise<string | undefined> {
    const { exitCode, output } = await this.#provider.execute(`rm -rf -- ${quoted(path)}`);
    return exitCode === 0 ? undefined : output;
  }

  async #infos(path: string): Promise<readonly ProtocolFileInfo[] | undefined> {
    return (await this.#provider.ls(path)).files;
  }

  /** Providers answer alike for an empty, a missing and an impossible folder; the folder above knows which it is. */
  async #assertFolder(path: string): Promise<void> {
    const entry = await this.stat(path);
    if (entry === undefined) throw new DeerflowError("path_not_found", { path: shownPath(path) });
    if (entry.kind === "file") throw new DeerflowError("not_a_directory", { path: shownPath(path) });
  }

  async #assertWritable(path: string): Promise<void> {
    if ((await this.stat(path))?.kind === "directory") {
      throw new DeerflowError("is_a_directory", { path: shownPath(path) });
    }
    for (let above = parentOf(path); above !== "/"; above = parentOf(above)) {
      const kind = (await this.stat(above))?.kind;
      if (kind === "file") throw new DeerflowError("not_a_directory", { path: shownPath(above) });
      if (kind === "directory") return;
    }
  }

  async #bytes(path: string): Promise<Uint8Array | undefined> {
    if (this.#provider.downloadFiles !== undefined) {
      const [answer] = await this.#provider.downloadFiles([path]);
      if (answer?.error === "permission_denied") throw refused(path);
      return answer?.content ?? undefined;
    }
    if ((await this.stat(path))?.kind !== "file") return undefined;
    const content = (await this.#provider.readRaw(path)).data?.content;
    if (Array.isArray(content)) return Buffer.from(content.join("\n"));
    return typeof content === "string" ? Buffer.from(content) : content;
  }

  async #put(path: string, content: Uint8Array): Promise<void> {
    if (this.#provider.uploadFiles !== undefined) {
      const [answer] = await this.#provider.uploadFiles([[path, content]]);
      if (answer?.error !== null) throw refused(path);
      return;
    }
    // Without uploads the protocol takes text only, and other bytes would come back changed.
    if (!isUtf8(content)) throw new DeerflowError("file_not_text", { path: shownPath(path) });
    const { error } = await this.#provider.write(path, Buffer.from(content).toString("utf8"));
    if (error !== undefined) throw refused(path);
  }
}

/** The provider's own words may hold a path of its host. */
const refused = (path: string): DeerflowError =>
  new DeerflowError("path_denied", { path: shownPath(path), reason: "the sandbox refused it" });

/** Providers give a path whole, with a final slash, or relative to the folder. */
function entryOf(folder: string, info: ProtocolFileInfo): FileEntry {
  const isFolder = info.is_dir === true || info.path.endsWith("/");
  const time = info.modified_at === undefined ? Number.NaN : Date.parse(info.modified_at);
  return {
    path: childOf(folder, nameOf(info.path)),
    kind: isFolder ? "directory" : "file",
    size: isFolder ? 0 : (info.size ?? 0),
    modifiedAt: Number.isNaN(time) ? 0 : time,
  };
}

class ProtocolSandbox implements Sandbox {
  readonly id: string;
  readonly files = new CommandFiles((request) => this.execute(request));
  readonly #provider: SandboxBackendProtocolV2;

  constructor(provider: SandboxBackendProtocolV2) {
    this.id = provider.id;
    this.#provider = provider;
  }

  /**
   * The protocol can neither limit nor stop a command: at the limit, or when the signal aborts, the wait ends, and
   * the command may go on in the provider.
   */
  async execute(request: CommandRequest): Promise<CommandResult> {
    const { signal, timeoutSeconds = DEFAULT_SECONDS } = request;
    signal?.throwIfAborted();
    const startedAt = performance.now();
    const given = await withTimeLimit(timeoutSeconds, signal, (ended) =>
      orAborted(Promise.resolve(this.#provider.execute(commandOf(request))), ended),
    );
    const answer = given === ABORTED ? undefined : given;
    signal?.throwIfAborted();
    if (answer !== undefined) await request.onOutput?.(answer.output);
    return {
      output: answer?.output ?? "",
      exitCode: answer === undefined ? TIMEOUT_EXIT_CODE : (answer.exitCode ?? undefined),
      truncated: answer?.truncated ?? false,
      timedOut: answer === undefined,
      durationMilliseconds: performance.now() - startedAt,
    };
  }
}

const commandOf = ({ command, cwd, env, secrets }: CommandRequest): string =>
  [
    ...Object.entries({ ...env, ...secrets }).map(([name, value]) => `export ${name}=${quoted(value)}`),
    ...(cwd === undefined ? [] : [`cd -- ${quoted(cwd)}`]),
    command,
  ].join(" && ");
