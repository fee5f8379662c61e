/** A file as it lies in a graph's state or in a store: JSON in which every byte survives. */
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";
import { decodeText } from "./text.js";

/** What is written. What is read may also have an older or a foreign form; see {@link bytesOf}. */
export interface FileData {
  /** Text, or base64 where the bytes are not text. */
  readonly content: string;
  readonly encoding: "utf-8" | "base64";
  /** ISO 8601. */
  readonly created_at: string;
  /** ISO 8601. */
  readonly modified_at: string;
  /** Counts the changes of this file, so that of two copies the newer one is known. */
  readonly revision?: number;
}

const BYTE_ORDER_MARK = "\uFEFF";
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** A file's data for these bytes. A byte-order mark stays; text with a NUL is base64, for databases refuse it in JSON. */
export function fileDataOf(
  bytes: Uint8Array,
  facts: { readonly now: number; readonly replaces?: unknown; readonly revision?: number },
): FileData {
  const text = decodeText(bytes);
  const modified = new Date(facts.now).toISOString();
  return {
    content:
      text === undefined
        ? Buffer.from(bytes).toString("base64")
        : (text.byteOrderMark ? BYTE_ORDER_MARK : "") + text.text,
    encoding: text === undefined ? "base64" : "utf-8",
    created_at: timeOf(facts.replaces, "created_at") ?? modified,
    modified_at: modified,
    ...(facts.revision === undefined ? {} : { revision: facts.revision }),
  };
}

/**
 * The bytes of a stored file. Beside {@link FileData} it takes text as a list of lines, and deepagents' bytes, also
 * after a trip through JSON that turned them into an object with a key for each byte.
 * @throws DeerflowError `stored_file_invalid`
 */
export function bytesOf(path: string, stored: unknown): Uint8Array {
  const bytes = decode(propertyOf(stored, "content"), propertyOf(stored, "encoding"));
  if (bytes === undefined) throw new DeerflowError("stored_file_invalid", { path: shownPath(path) });
  return bytes;
}

/** Size in bytes; 0 for what is no file, so that a listing shows it beside the others and reading says what is wrong. */
export function sizeOf(stored: unknown): number {
  const [content, encoding] = [propertyOf(stored, "content"), propertyOf(stored, "encoding")];
  if (typeof content === "string" && encoding !== "base64") return Buffer.byteLength(content);
  return decode(content, encoding)?.byteLength ?? 0;
}

/** Milliseconds since 1970; 0 where unknown. */
export const modifiedAtOf = (stored: unknown): number => Date.parse(timeOf(stored, "modified_at") ?? "") || 0;

/** Undefined for what came from outside and was never counted. */
export function revisionOf(stored: unknown): number | undefined {
  const revision = propertyOf(stored, "revision");
  return Number.isSafeInteger(revision) ? Number(revision) : undefined;
}

function decode(content: unknown, encoding: unknown): Uint8Array | undefined {
  if (typeof content === "string") return decodeString(content, encoding ?? "utf-8");
  if (content instanceof Uint8Array) return content;
  if (!Array.isArray(content)) return decodeBytes(content);
  return content.every((line) => typeof line === "string") ? Buffer.from(content.join("\n")) : undefined;
}

function decodeString(content: string, encoding: unknown): Uint8Array | undefined {
  if (encoding === "utf-8") return Buffer.from(content);
  if (encoding !== "base64" || content.length % 4 !== 0 || !BASE64.test(content)) return undefined;
  return Buffer.from(content, "base64");
}

/** `{"0": 137, "1": 80, …}`, which JSON makes of a Uint8Array, or `{type: "Buffer", data: […]}`. */
function decodeBytes(content: unknown): Uint8Array | undefined {
  if (typeof content !== "object" || content === null) return undefined;
  const given = propertyOf(content, "type") === "Buffer" ? propertyOf(content, "data") : content;
  if (typeof given !== "object" || given === null) return undefined;
  const entries = Object.entries(given);
  const inOrder = entries.every(([key, value], index) => key === String(index) && isByte(value));
  return inOrder ? Uint8Array.from(entries, ([, value]) => Number(value)) : undefined;
}

const isByte = (value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;

function timeOf(stored: unknown, name: string): string | undefined {
  const time = propertyOf(stored, name);
  return typeof time === "string" && !Number.isNaN(Date.parse(time)) ? time : undefined;
}

/** An own property, so that nothing is inherited from a prototype. */
function propertyOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}
