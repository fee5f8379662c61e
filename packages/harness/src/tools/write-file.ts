/** Writing a file: creating it, replacing it whole, or adding to its end. */
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";
import { changeFile, inTurn } from "../filesystem/change-file.js";
import type { FileBackend, FileContent, Version } from "../filesystem/contract.js";
import {
  decodeText,
  encodeText,
  isEncodable,
  lineEndingOf,
  withPlainLineEndings,
} from "../filesystem/text.js";
import type { Perform } from "./face.js";

export interface WriteRequest {
  readonly path: string;
  readonly content: string;
  readonly append: boolean;
}

export interface WriteResult {
  readonly done: "created" | "replaced" | "appended" | "written";
  readonly version: Version;
  /** Of the whole file, in bytes. */
  readonly size: number;
}

/**
 * @throws DeerflowError `content_too_large`, `arguments_invalid`, `file_changed`, `file_not_text` when appending;
 * what the backend throws
 */
export const writeFile: Perform<WriteRequest, WriteResult> = (request, { files, limits }) => {
  const { path, content, append } = request;
  assertWritableText(content);
  if (append) return appendText(files, path, content);
  const size = Buffer.byteLength(content);
  const limit = limits.maxWriteBytes;
  if (limit > 0 && size > limit) throw new DeerflowError("content_too_large", { size, limit });
  // One after the other, so that many calls do not each hold the old content in memory.
  return inTurn(files, path, () => replaceText(files, path, content));
};

/** @throws DeerflowError `arguments_invalid` */
export function assertWritableText(text: string): void {
  if (isEncodable(text)) return;
  throw new DeerflowError("arguments_invalid", {
    reason: "the text holds half of a character (a lone surrogate)",
  });
}

/** The last writer wins, but over what nobody changed between the look and the write. */
async function replaceText(files: FileBackend, path: string, text: string): Promise<WriteResult> {
  const before = await lookAt(files, path);
  if (before === "hidden") {
    const bytes = encodeText({ text, byteOrderMark: false });
    return { done: "written", version: await files.write(path, bytes), size: bytes.length };
  }
  const byteOrderMark = before !== undefined && decodeText(before.bytes)?.byteOrderMark === true;
  const bytes = encodeText({ text, byteOrderMark });
  const version = await files.write(path, bytes, { expectedVersion: before?.version ?? null });
  return { done: before === undefined ? "created" : "replaced", version, size: bytes.length };
}

/** `hidden`: a rule forbids reading it, or it is larger than can be read whole; it may be replaced all the same. */
async function lookAt(files: FileBackend, path: string): Promise<FileContent | undefined | "hidden"> {
  try {
    return await files.read(path);
  } catch (error) {
    const isHidden =
      DeerflowError.is(error) && (error.code === "path_forbidden" || error.code === "file_too_large");
    if (isHidden) return "hidden";
    throw error;
  }
}

async function appendText(files: FileBackend, path: string, text: string): Promise<WriteResult> {
  const { version, told } = await changeFile(files, path, (content) => {
    const bytes = appended(path, content, text);
    const done: WriteResult["done"] = content === undefined ? "created" : "appended";
    return { bytes, told: { done, size: bytes.length } };
  });
  return { ...told, version };
}

/** @throws DeerflowError `file_not_text` */
function appended(path: string, content: FileContent | undefined, text: string): Uint8Array {
  if (content === undefined) return encodeText({ text, byteOrderMark: false });
  const decoded = decodeText(content.bytes);
  if (decoded === undefined) throw new DeerflowError("file_not_text", { path: shownPath(path) });
  const added =
    lineEndingOf(decoded.text) === "\n" ? text : withPlainLineEndings(text).replaceAll("\n", "\r\n");
  return encodeText({ ...decoded, text: decoded.text + added });
}
