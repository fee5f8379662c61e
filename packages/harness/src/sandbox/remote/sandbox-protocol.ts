/**
 * The shapes of deepagents' `SandboxBackendProtocolV2` (deepagents 1.14), written down here so that its providers
 * plug in, and ours into it, without the package. An absent error is `undefined`, save in uploads and downloads.
 */

export type MaybePromise<T> = T | Promise<T>;

export interface ProtocolFileInfo {
  /** A folder's path in a listing ends in "/". */
  readonly path: string;
  readonly is_dir?: boolean;
  /** Bytes. */
  readonly size?: number;
  /** ISO 8601. */
  readonly modified_at?: string;
}

export interface ProtocolLsResult {
  readonly error?: string;
  readonly files?: ProtocolFileInfo[];
}

export interface ProtocolReadResult {
  readonly error?: string;
  /** Text without line numbers, or bytes. */
  readonly content?: string | Uint8Array;
  readonly mimeType?: string;
  readonly totalLines?: number;
  /** From 1. */
  readonly startLine?: number;
  /** From 1. */
  readonly endLine?: number;
  /** From 0; absent at the end of the file. */
  readonly nextOffset?: number;
}

/** The content as lines is the older form. */
export interface ProtocolFileData {
  readonly content: string | Uint8Array | string[];
  readonly mimeType?: string;
  readonly created_at: string;
  readonly modified_at: string;
}

export interface ProtocolReadRawResult {
  readonly error?: string;
  readonly data?: ProtocolFileData;
}

export interface ProtocolWriteResult {
  readonly error?: string;
  readonly path?: string;
  /** Null: stored already. */
  readonly filesUpdate?: null;
}

export interface ProtocolEditResult extends ProtocolWriteResult {
  readonly occurrences?: number;
}

export interface ProtocolDeleteResult {
  readonly error?: string;
  readonly path?: string;
}

export interface ProtocolGrepMatch {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export interface ProtocolGrepResult {
  readonly error?: string;
  readonly matches?: ProtocolGrepMatch[];
  readonly truncated?: boolean;
}

export interface ProtocolGlobResult {
  readonly error?: string;
  readonly files?: ProtocolFileInfo[];
  readonly truncated?: boolean;
}

export interface ProtocolExecuteResponse {
  readonly output: string;
  /** Null when a signal ended the command. */
  readonly exitCode: number | null;
  readonly truncated: boolean;
}

export type ProtocolFileError = "file_not_found" | "permission_denied" | "is_directory" | "invalid_path";

export interface ProtocolUploadResponse {
  readonly path: string;
  readonly error: ProtocolFileError | null;
}

export interface ProtocolDownloadResponse {
  readonly path: string;
  readonly content: Uint8Array | null;
  readonly error: ProtocolFileError | null;
}

/** What a provider of deepagents offers. */
export interface SandboxBackendProtocolV2 {
  readonly id: string;
  ls(path: string): MaybePromise<ProtocolLsResult>;
  /**
   * @param offset lines to leave out, default 0
   * @param limit lines at most, default 500
   */
  read(filePath: string, offset?: number, limit?: number): MaybePromise<ProtocolReadResult>;
  readRaw(filePath: string): MaybePromise<ProtocolReadRawResult>;
  write(filePath: string, content: string): MaybePromise<ProtocolWriteResult>;
  edit(
    filePath: string,
    oldString: string,
    newString: string,
    replaceAll?: boolean,
  ): MaybePromise<ProtocolEditResult>;
  /** Literal text. */
  grep(
    pattern: string,
    path?: string | null,
    glob?: string | null,
    maxCount?: number | null,
  ): MaybePromise<ProtocolGrepResult>;
  glob(pattern: string, path?: string): MaybePromise<ProtocolGlobResult>;
  delete?(filePath: string): MaybePromise<ProtocolDeleteResult>;
  uploadFiles?(files: [string, Uint8Array][]): MaybePromise<ProtocolUploadResponse[]>;
  downloadFiles?(paths: string[]): MaybePromise<ProtocolDownloadResponse[]>;
  execute(command: string): MaybePromise<ProtocolExecuteResponse>;
}
