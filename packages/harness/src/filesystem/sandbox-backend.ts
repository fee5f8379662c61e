/** The files inside a sandbox of which nothing but its shell is known: every verb is a small shell script. */
import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import { DeerflowError } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import { KeyedLock } from "../base/keyed-lock.js";
import { childOf, isWithin, parentOf, shownPath } from "../base/virtual-path.js";
import type { Sandbox } from "../sandbox/contract.js";
import { assertMethods, assertOptions, optionInvalid } from "./assert-backend.js";
import type {
  FileBackend,
  FileContent,
  FileEntry,
  LinkFollowing,
  ListNotes,
  PathJudge,
  Shell,
  Version,
  WithShell,
  WriteOptions,
} from "./contract.js";
import { judgedLinks } from "./judged-links.js";
import {
  answeredBytes,
  appendScript,
  commitScript,
  hashScript,
  listScript,
  PIECE_BYTES,
  prepareScript,
  readScript,
  realPathScript,
  removeScript,
  statScript,
} from "../sandbox/file-scripts.js";

const DEFAULT_MAX_READ_BYTES = 10 * 1024 * 1024;
const READ_ATTEMPTS = 3;
const SCRIPT_SECONDS = 60;
/** Commands at once: each is a process, and a sandbox may have few. */
const LANES = 4;
const TEMPORARY_NAME = /^\.deerflow-[0-9a-f]{16}\.tmp$/;
/** In messages: the id of a sandbox may be made of a path of the host. */
const SHOWN_NAME = "of these files";
const WRITES = new KeyedLock();

export interface SandboxBackendOptions {
  readonly sandbox: Sandbox;
  /** Where commands start; an absolute path in the sandbox. */
  readonly workingDirectory: string;
  /** Larger files are refused by `read`. Bytes, 10 MiB by default: every 60,000 bytes are a command of their own. */
  readonly maxReadBytes?: number;
  /** True when the sandbox is this machine itself. Default false. */
  readonly reachesHost?: boolean;
}

/**
 * A {@link FileBackend} over a {@link Sandbox}. Paths are the sandbox's own; what it may see is its whole tree.
 * Needs a POSIX shell, base64 and sha256sum in it; with flock, compare-and-set holds across processes too.
 */
export class SandboxBackend implements FileBackend, LinkFollowing, WithShell {
  readonly id: string;
  readonly shell: Shell;
  readonly #sandbox: Sandbox;
  readonly #maxReadBytes: number;
  /** Each lane runs one command at a time. */
  readonly #lanes = new KeyedLock();
  #started = 0;

  /** @throws DeerflowError `filesystem_options_invalid` */
  constructor(options: SandboxBackendOptions) {
    assertOptions(options, "sandbox");
    const { sandbox, workingDirectory, reachesHost = false } = options;
    assertMethods("sandbox", sandbox, ["execute"]);
    if (typeof workingDirectory !== "string" || !workingDirectory.startsWith("/")) {
      throw optionInvalid("workingDirectory", "it must be an absolute path in the sandbox");
    }
    this.id = `sandbox:${sandbox.id}`;
    this.shell = Object.freeze({ sandbox, workingDirectory, reachesHost });
    this.#sandbox = sandbox;
    this.#maxReadBytes = options.maxReadBytes ?? DEFAULT_MAX_READ_BYTES;
  }

  judgedBy(judge: PathJudge): FileBackend & WithShell {
    return judgedLinks(this, judge);
  }

  async realPath(path: string): Promise<string> {
    const [, real] =
      /^\.((?:\/.*)?)$/s.exec(String(answeredBytes(await this.#run(realPathScript(path))))) ?? [];
    if (real === undefined) throw this.#failed(path);
    return real === "" ? "/" : real;
  }

  async list(path: string, notes?: ListNotes): Promise<readonly FileEntry[]> {
    const here = await this.stat(path);
    if (here === undefined) throw new DeerflowError("path_not_found", { path: shownPath(path) });
    if (here.kind === "file") throw new DeerflowError("not_a_directory", { path: shownPath(path) });
    const records = splitAtNul(await this.#collect((offset) => listScript(path, offset), path));
    const usable = records.filter(isUtf8);
    if (notes !== undefined) notes.unusableNames += records.length - usable.length;
    return usable
      .flatMap((record) => entryOf(path, record.toString()) ?? [])
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async stat(path: string): Promise<FileEntry | undefined> {
    const [kind, size = "0", seconds = "0"] = (await this.#run(statScript(path))).trim().split(" ");
    if (kind === "n") return undefined;
    if (kind !== "d" && kind !== "f") throw this.#failed(path);
    return {
      path,
      kind: kind === "d" ? "directory" : "file",
      size: Number(size),
      modifiedAt: Number(seconds) * 1000,
    };
  }

  async read(path: string): Promise<FileContent | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      const entry = await this.stat(path);
      if (entry?.kind !== "file") return undefined;
      if (entry.size > this.#maxReadBytes) {
        throw new DeerflowError("file_too_large", {
          path: shownPath(path),
          size: entry.size,
          limit: this.#maxReadBytes,
        });
      }
      const bytes = await this.#collect((offset) => readScript(path, offset), path);
      const version = sha256(bytes);
      // A file that changed between two pieces is a mixture that never existed.
      const there = (await this.#run(hashScript(path))).trim();
      if (there === "" || there === version) return { bytes, version };
      if (attempt === READ_ATTEMPTS) throw new DeerflowError("file_changed", { path: shownPath(path) });
    }
  }

  write(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<Version> {
    return WRITES.hold(`${this.id}\n${path}`, () => this.#replace(path, content, options));
  }

  async remove(path: string): Promise<boolean> {
    if (isWithin(await this.realPath(this.shell.workingDirectory), await this.realPath(path))) {
      throw new DeerflowError("path_denied", { path: shownPath(path), reason: "it is a fixed folder" });
    }
    const answer = (await this.#run(removeScript(path))).trim();
    if (answer === "denied") throw denied(path);
    if (answer !== "yes" && answer !== "no") throw this.#failed(path);
    return answer === "yes";
  }

  async #replace(path: string, content: Uint8Array, { expectedVersion }: WriteOptions): Promise<Version> {
    const folder = parentOf(path);
    const temporary = childOf(folder, `.deerflow-${randomBytes(8).toString("hex")}.tmp`);
    this.#expectOk(await this.#run(prepareScript(path, folder, temporary)), path);
    for (let at = 0; at < content.length; at += PIECE_BYTES) {
      const piece = content.subarray(at, at + PIECE_BYTES);
      this.#expectOk(await this.#run(appendScript(temporary, piece)), path);
    }
    const answer = await this.#run(commitScript({ path, folder, temporary }, expectedVersion));
    this.#expectOk(answer, path);
    return sha256(content);
  }

  #expectOk(output: string, path: string): void {
    const answer = output.trim();
    if (answer === "ok") return;
    if (answer === "isdir") throw new DeerflowError("is_a_directory", { path: shownPath(path) });
    if (answer === "notdir") throw new DeerflowError("not_a_directory", { path: shownPath(parentOf(path)) });
    if (answer === "changed") throw new DeerflowError("file_changed", { path: shownPath(path) });
    throw answer === "denied" ? denied(path) : this.#failed(path);
  }

  /** Asks for one piece after the other until one is short. */
  async #collect(script: (offset: number) => string, path: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let size = 0; ; ) {
      const piece = answeredBytes(await this.#run(script(size)));
      if (piece === undefined) throw this.#failed(path);
      pieces.push(piece);
      size += piece.length;
      if (piece.length < PIECE_BYTES) return Buffer.concat(pieces);
      if (size > this.#maxReadBytes) {
        throw new DeerflowError("file_too_large", { path: shownPath(path), size, limit: this.#maxReadBytes });
      }
    }
  }

  async #run(command: string): Promise<string> {
    this.#started += 1;
    const result = await this.#lanes.hold(String(this.#started % LANES), () =>
      this.#sandbox.execute({ command, timeoutSeconds: SCRIPT_SECONDS }),
    );
    if (result.timedOut || result.truncated) {
      const reason = result.timedOut ? "it took too long" : "its answer was cut";
      throw new DeerflowError("sandbox_failed", { provider: SHOWN_NAME, reason });
    }
    return result.output;
  }

  #failed(path: string): DeerflowError {
    const reason = `${shownPath(path)} could not be reached: its shell or one of base64, head, tail, readlink is missing`;
    return new DeerflowError("sandbox_failed", { provider: SHOWN_NAME, reason });
  }
}

const denied = (path: string): DeerflowError =>
  new DeerflowError("path_denied", {
    path: shownPath(path),
    reason: "the sandbox does not let it be changed",
  });

function splitAtNul(bytes: Buffer): Buffer[] {
  const records: Buffer[] = [];
  for (let start = 0, end = bytes.indexOf(0); end !== -1; start = end + 1, end = bytes.indexOf(0, start)) {
    records.push(bytes.subarray(start, end));
  }
  return records;
}

/** Undefined for what is no file or folder, and for the temporary files of a write. */
function entryOf(folder: string, record: string): FileEntry | undefined {
  const fields = /^(\S+) (\S+) (\d+) ([\d.]+) ([\s\S]+)$/.exec(record);
  if (fields === null) return undefined;
  const [, kind, target, size, seconds, name = ""] = fields;
  if (TEMPORARY_NAME.test(name) || (target !== "d" && target !== "f")) return undefined;
  const isFolder = target === "d";
  return {
    path: childOf(folder, name),
    kind: isFolder ? "directory" : "file",
    size: isFolder ? 0 : Number(size),
    modifiedAt: Math.trunc(Number(seconds) * 1000),
    ...(kind === "l" ? { link: true as const } : {}),
  };
}
