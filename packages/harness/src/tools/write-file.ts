import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import { readProse } from "../base/prose.js";
import { parseVirtualPath, shownPath } from "../base/virtual-path.js";
import type { FileBackend, FileContent } from "../filesystem/contract.js";
import {
  decodeText,
  encodeText,
  isEncodable,
  lineEndingOf,
  withPlainLineEndings,
} from "../filesystem/text.js";
import { defineTool, type ToolOutcome } from "./define-tool.js";
import { description, path, PATH_ALIASES } from "./file-arguments.js";
import { changeFile } from "../filesystem/change-file.js";

const DESCRIPTION = readProse(new URL("./write-file.md", import.meta.url));
/** Larger answers are known to be cut off by providers, which would leave half a file. */
export const DEFAULT_MAX_WRITE_BYTES = 80 * 1024;

const input = z.object({
  description,
  path,
  content: z.string().describe("The text to write."),
  append: z.boolean().default(false).describe("Add to the end instead of replacing the whole file."),
});

/**
 * Creates a file, replaces it whole, or adds to its end.
 * @param maxBytes the most that one call without `append` may write; 0 for no limit
 */
export const writeFile = (files: FileBackend, name: string, maxBytes: number) =>
  defineTool({
    name,
    operation: "write",
    description: DESCRIPTION,
    input,
    aliases: { ...PATH_ALIASES, text: "content" },
    async run(given) {
      const file = parseVirtualPath(given.path);
      assertWritableText(given.content);
      if (given.append) return appendText(files, file, given.content);
      const size = Buffer.byteLength(given.content);
      if (maxBytes > 0 && size > maxBytes)
        throw new DeerflowError("content_too_large", { size, limit: maxBytes });
      return replaceText(files, file, given.content);
    },
  });

/** @throws DeerflowError `arguments_invalid` */
export function assertWritableText(text: string): void {
  if (isEncodable(text)) return;
  throw new DeerflowError("arguments_invalid", {
    reason: "the text holds half of a character (a lone surrogate)",
  });
}

async function replaceText(files: FileBackend, file: string, text: string): Promise<ToolOutcome> {
  const before = await files.read(file);
  const byteOrderMark = before !== undefined && decodeText(before.bytes)?.byteOrderMark === true;
  const bytes = encodeText({ text, byteOrderMark });
  const version = await files.write(file, bytes, { expectedVersion: before?.version ?? null });
  const done = before === undefined ? "Created" : "Replaced";
  return {
    text: `${done} ${shownPath(file)} (${bytes.length} bytes).`,
    facts: { path: file, version, bytes: bytes.length, created: before === undefined },
  };
}

async function appendText(files: FileBackend, file: string, text: string): Promise<ToolOutcome> {
  const { version, told } = await changeFile(files, file, (content) => {
    const bytes = appended(file, content, text);
    return { bytes, told: { bytes: bytes.length, created: content === undefined } };
  });
  const size = told.bytes;
  const done = told.created
    ? `Created ${shownPath(file)} (${size} bytes).`
    : `Appended to ${shownPath(file)} (now ${size} bytes).`;
  return { text: done, facts: { path: file, version, ...told } };
}

/** @throws DeerflowError `file_not_text` */
function appended(file: string, content: FileContent | undefined, text: string): Uint8Array {
  if (content === undefined) return encodeText({ text, byteOrderMark: false });
  const decoded = decodeText(content.bytes);
  if (decoded === undefined) throw new DeerflowError("file_not_text", { path: shownPath(file) });
  const added =
    lineEndingOf(decoded.text) === "\n" ? text : withPlainLineEndings(text).replaceAll("\n", "\r\n");
  return encodeText({ ...decoded, text: decoded.text + added });
}
