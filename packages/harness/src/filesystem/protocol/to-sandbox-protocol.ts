/** Our files and our shell as a sandbox of deepagents. */
import { posix } from "node:path";
import { DeerflowError, type ErrorCode, reasonOf } from "../../base/errors.js";
import { sha256 } from "../../base/hash.js";
import { parseVirtualPath } from "../../base/virtual-path.js";
import { assertBackend } from "../assert-backend.js";
import { shellOf } from "../capabilities.js";
import { changeFile } from "../change-file.js";
import type { FileBackend, FileEntry } from "../contract.js";
import { applyEdit } from "../edit.js";
import { glob } from "../glob.js";
import { grep } from "../grep.js";
import { lineWindow } from "../paging.js";
import { decodeText, encodeText, withPlainLineEndings } from "../text.js";
import type {
  ProtocolDownloadResponse,
  ProtocolEditResult,
  ProtocolExecuteResponse,
  ProtocolFileError,
  ProtocolFileInfo,
  ProtocolGlobResult,
  ProtocolGrepResult,
  ProtocolLsResult,
  ProtocolReadRawResult,
  ProtocolReadResult,
  ProtocolUploadResponse,
  ProtocolWriteResult,
  SandboxBackendProtocolV2,
} from "../../sandbox/remote/sandbox-protocol.js";

const DEFAULT_LINES = 500;
const MAX_PATHS = 10_000;
const MAX_MATCHES = 10_000;

export interface ToSandboxProtocolOptions {
  /** Written by `initialize`: path → text. */
  readonly initialFiles?: Readonly<Record<string, string>>;
  /** Called once by `close`. */
  onClose?(): void | Promise<void>;
}

/** deepagents' protocol, with the life cycle that its providers have. */
export interface OwnSandboxProtocol extends Required<SandboxBackendProtocolV2> {
  readonly isRunning: boolean;
  /** Begins: writes the initial files. */
  initialize(): Promise<void>;
  /** Ends: every later call answers with an error. */
  close(): Promise<void>;
}

/**
 * The backend as deepagents expects one; it runs at once unless there are initial files, which `initialize` writes.
 * A relative path lies below the shell's working directory ("/" without a shell), and is given back relative.
 * `ls` of a missing folder is empty and an edit that changes nothing succeeds, as its providers do; the paths of
 * `glob` are relative to the folder searched, save for "/".
 * @throws DeerflowError `filesystem_options_invalid` for what is no backend
 */
export const toSandboxBackendProtocolV2 = (
  files: FileBackend,
  options: ToSandboxProtocolOptions = {},
): OwnSandboxProtocol => {
  assertBackend("files", files);
  return new SandboxProtocol(files, options);
};

class SandboxProtocol implements OwnSandboxProtocol {
  readonly id: string;
  readonly #files: FileBackend;
  readonly #options: ToSandboxProtocolOptions;
  readonly #workingDirectory: string;
  #state: "new" | "running" | "closed";

  constructor(files: FileBackend, options: ToSandboxProtocolOptions) {
    this.#files = files;
    this.#options = options;
    this.#workingDirectory = shellOf(files)?.workingDirectory ?? "/";
    // A backend of the whole disk has one id wherever its commands start.
    this.id = `deerflow-${sha256(JSON.stringify([files.id, this.#workingDirectory])).slice(0, 16)}`;
    this.#state = options.initialFiles === undefined ? "running" : "new";
  }

  get isRunning(): boolean {
    return this.#state === "running";
  }

  async initialize(): Promise<void> {
    if (this.#state !== "new") return;
    this.#state = "running";
    for (const [path, text] of Object.entries(this.#options.initialFiles ?? {})) {
      await this.#files.write(this.#resolve(path), Buffer.from(text));
    }
  }

  async close(): Promise<void> {
    if (this.#state === "closed") return;
    this.#state = "closed";
    await this.#options.onClose?.();
  }

  ls(path: string): Promise<ProtocolLsResult> {
    return this.#answer(async () => {
      const folder = this.#resolve(path);
      if ((await this.#files.stat(folder)) === undefined) return { files: [] };
      const entries = await this.#files.list(folder);
      return { files: entries.map((entry) => infoOf(entry, this.#shown(path, folder, entry.path))) };
    });
  }

  read(filePath: string, offset = 0, limit = DEFAULT_LINES): Promise<ProtocolReadResult> {
    return this.#answer(async () => {
      const bytes = await this.#existing(filePath);
      const decoded = decodeText(bytes);
      if (decoded === undefined) return { content: bytes, mimeType: "application/octet-stream" };
      const start = Math.max(0, offset);
      const window = lineWindow(withPlainLineEndings(decoded.text), start + 1, start + Math.max(0, limit));
      return {
        content: window.text,
        mimeType: "text/plain",
        totalLines: window.total,
        ...(window.end > start ? { startLine: start + 1, endLine: window.end } : {}),
        ...(window.end > start && window.end < window.total ? { nextOffset: window.end } : {}),
      };
    });
  }

  readRaw(filePath: string): Promise<ProtocolReadRawResult> {
    return this.#answer(async () => {
      const bytes = await this.#existing(filePath);
      const entry = await this.#files.stat(this.#resolve(filePath));
      const time = new Date(entry?.modifiedAt ?? 0).toISOString();
      const isText = decodeText(bytes) !== undefined;
      return {
        data: {
          content: isText ? Buffer.from(bytes).toString("utf8") : bytes,
          mimeType: isText ? "text/plain" : "application/octet-stream",
          created_at: time,
          modified_at: time,
        },
      };
    });
  }

  write(filePath: string, content: string): Promise<ProtocolWriteResult> {
    return this.#answer(async () => {
      await this.#files.write(this.#resolve(filePath), Buffer.from(content));
      return { path: filePath, filesUpdate: null };
    });
  }

  edit(
    filePath: string,
    oldString: string,
    newString: string,
    replaceAll = false,
  ): Promise<ProtocolEditResult> {
    return this.#answer(async () => {
      const path = this.#resolve(filePath);
      const { told } = await changeFile(this.#files, path, (content) => {
        if (content === undefined) throw new DeerflowError("path_not_found", { path: filePath });
        return edited(filePath, content.bytes, { oldString, newString, replaceAll });
      });
      return { path: filePath, filesUpdate: null, occurrences: told };
    });
  }

  grep(
    pattern: string,
    path?: string | null,
    fileGlob?: string | null,
    maxCount?: number | null,
  ): Promise<ProtocolGrepResult> {
    return this.#answer(async () => {
      const asked = path ?? this.#workingDirectory;
      const root = this.#resolve(asked);
      const { matches, stopped } = await grep(this.#files, {
        pattern,
        path: root,
        literal: true,
        caseSensitive: true,
        maxResults: maxCount ?? MAX_MATCHES,
        ...(fileGlob === undefined || fileGlob === null ? {} : { glob: fileGlob }),
      });
      return {
        matches: matches.map((match) => ({ ...match, path: this.#shown(asked, root, match.path) })),
        ...(stopped === undefined ? {} : { truncated: true }),
      };
    });
  }

  glob(pattern: string, path?: string): Promise<ProtocolGlobResult> {
    return this.#answer(async () => {
      const whole = path === undefined || path === "" || path === "/";
      const root = whole ? this.#workingDirectory : this.#resolve(path);
      const found = await glob(this.#files, {
        pattern,
        path: root,
        includeDirectories: true,
        maxResults: MAX_PATHS,
      });
      const entries = await Promise.all(found.paths.map((each) => this.#files.stat(each)));
      const listed = entries.filter((entry) => entry !== undefined);
      return {
        files: listed.map((entry) =>
          infoOf(entry, whole && root === "/" ? entry.path : posix.relative(root, entry.path), ""),
        ),
        ...(found.stopped === undefined ? {} : { truncated: true }),
      };
    });
  }

  delete(filePath: string): Promise<{ error?: string; path?: string }> {
    return this.#answer(async () => {
      if (!(await this.#files.remove(this.#resolve(filePath)))) {
        throw new DeerflowError("path_not_found", { path: filePath });
      }
      return { path: filePath };
    });
  }

  async execute(command: string): Promise<ProtocolExecuteResponse> {
    const shell = shellOf(this.#files);
    const refusal = !this.isRunning
      ? NOT_RUNNING
      : shell === undefined
        ? "There is no shell here."
        : undefined;
    if (refusal !== undefined) return { output: `Error: ${refusal}`, exitCode: 1, truncated: false };
    try {
      const result = await shell?.sandbox.execute({ command });
      return {
        output: result?.output ?? "",
        exitCode: result?.exitCode ?? null,
        truncated: result?.truncated ?? false,
      };
    } catch (error) {
      return { output: `Error: ${sentenceOf(error)}`, exitCode: 1, truncated: false };
    }
  }

  async uploadFiles(uploads: [string, Uint8Array][]): Promise<ProtocolUploadResponse[]> {
    return Promise.all(
      uploads.map(async ([path, content]) => {
        try {
          await this.#files.write(this.#resolve(path), content);
          return { path, error: null };
        } catch (error) {
          return { path, error: fileErrorOf(error) };
        }
      }),
    );
  }

  async downloadFiles(paths: string[]): Promise<ProtocolDownloadResponse[]> {
    return Promise.all(
      paths.map(async (path) => {
        try {
          return { path, content: await this.#existing(path), error: null };
        } catch (error) {
          return { path, content: null, error: fileErrorOf(error) };
        }
      }),
    );
  }

  #resolve(path: string): string {
    return parseVirtualPath(path.startsWith("/") ? path : posix.join(this.#workingDirectory, path || "."));
  }

  /** A path as the caller spells paths: below what was asked for, relative when that was. */
  #shown(asked: string, root: string, path: string): string {
    const base = asked === "/" ? "" : asked.replace(/\/+$/, "");
    return path === root ? base : `${base}/${posix.relative(root, path)}`;
  }

  async #existing(filePath: string): Promise<Uint8Array> {
    const path = this.#resolve(filePath);
    const content = await this.#files.read(path);
    if (content !== undefined) return content.bytes;
    const isFolder = (await this.#files.stat(path))?.kind === "directory";
    throw new DeerflowError(isFolder ? "is_a_directory" : "path_not_found", { path: filePath });
  }

  async #answer<Result>(work: () => Promise<Result>): Promise<Result | { readonly error: string }> {
    try {
      if (!this.isRunning) throw new Error(NOT_RUNNING);
      return await work();
    } catch (error) {
      return { error: sentenceOf(error) };
    }
  }
}

const NOT_RUNNING = "The sandbox is not running.";

interface ProtocolEdit {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
}

function edited(path: string, bytes: Uint8Array, { oldString, newString, replaceAll }: ProtocolEdit) {
  const decoded = decodeText(bytes);
  if (decoded === undefined) throw new DeerflowError("file_not_text", { path });
  if (oldString === newString && oldString !== "") {
    // Counted by an edit that is thrown away, so that it is judged as any other.
    const probe = applyEdit(path, decoded.text, { oldText: oldString, newText: `${oldString}.`, replaceAll });
    return { bytes, told: probe.replacements };
  }
  const { text, replacements } = applyEdit(path, decoded.text, {
    oldText: oldString,
    newText: newString,
    replaceAll,
  });
  return { bytes: encodeText({ ...decoded, text }), told: replacements };
}

function infoOf(entry: FileEntry, path: string, folderEnd = "/"): ProtocolFileInfo {
  const isFolder = entry.kind === "directory";
  return {
    path: isFolder ? `${path}${folderEnd}` : path,
    is_dir: isFolder,
    size: entry.size,
    modified_at: new Date(entry.modifiedAt).toISOString(),
  };
}

/** Words that callers of the protocol look for, in front of our own sentence. */
const PREFIXES: Readonly<Partial<Record<ErrorCode, string>>> = {
  path_not_found: "File not found. ",
  edit_not_found: "Text not found. ",
  edit_ambiguous: "Multiple occurrences. ",
  not_a_directory: "Not a directory. ",
  path_forbidden: "Permission denied. ",
  path_denied: "Permission denied. ",
};

const sentenceOf = (error: unknown): string =>
  DeerflowError.is(error) ? `${PREFIXES[error.code] ?? ""}${error.sentence}` : reasonOf(error);

const FILE_ERRORS: Readonly<Partial<Record<ErrorCode, ProtocolFileError>>> = {
  path_not_found: "file_not_found",
  is_a_directory: "is_directory",
  path_denied: "permission_denied",
  path_forbidden: "permission_denied",
};

const fileErrorOf = (error: unknown): ProtocolFileError =>
  (DeerflowError.is(error) ? FILE_ERRORS[error.code] : undefined) ?? "invalid_path";
