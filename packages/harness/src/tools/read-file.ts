import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import { readProse } from "../base/prose.js";
import { parseVirtualPath, shownPath } from "../base/virtual-path.js";
import type { FileBackend } from "../filesystem/contract.js";
import { cutHead, lineWindow } from "../filesystem/paging.js";
import { decodeText, withPlainLineEndings } from "../filesystem/text.js";
import { defineTool, type ToolOutcome } from "./define-tool.js";
import { description, path, PATH_ALIASES } from "./file-arguments.js";
import { readExisting } from "../filesystem/change-file.js";
import { mediaTypeOf } from "./media-type.js";

const DESCRIPTION = readProse(new URL("./read-file.md", import.meta.url));
/** The most of a file that a model sees at once. */
export const DEFAULT_READ_CHARACTERS = 50_000;

const line = z.number().int().optional();
const input = z.object({
  description,
  path,
  start_line: line.describe("First line to show, counted from 1."),
  end_line: line.describe("Last line to show, inclusive."),
});

/** Shows a text file, whole or in part. */
export const readFile = (files: FileBackend, name: string, maxCharacters: number) =>
  defineTool({
    name,
    operation: "read",
    description: DESCRIPTION,
    input,
    aliases: PATH_ALIASES,
    async run(given) {
      const file = parseVirtualPath(given.path);
      const { bytes, version } = await readExisting(files, file);
      const decoded = decodeText(bytes);
      const shown =
        decoded === undefined
          ? { text: binaryNote(file, bytes) }
          : showLines(file, decoded.text, { first: given.start_line, last: given.end_line, maxCharacters });
      return { text: shown.text, facts: { path: file, version, ...shown.facts } };
    },
  });

const binaryNote = (file: string, bytes: Uint8Array): string =>
  `[${shownPath(file)} is not UTF-8 text: ${mediaTypeOf(file)}, ${bytes.length} bytes. Its content is not shown.]`;

interface WantedLines {
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly maxCharacters: number;
}

/** @throws DeerflowError `lines_out_of_range` */
function showLines(file: string, onDisk: string, wanted: WantedLines): ToolOutcome {
  const { first = 1, last, maxCharacters } = wanted;
  const text = withPlainLineEndings(onDisk);
  if (text === "") return { text: `[${shownPath(file)} is empty.]`, facts: { total_lines: 0 } };
  const window = lineWindow(text, first, last);
  if (window.end < window.start) {
    throw new DeerflowError("lines_out_of_range", {
      path: shownPath(file),
      total: window.total,
      start: first,
      end: last ?? "there on",
    });
  }
  const cut = cutHead(window, maxCharacters);
  const facts = {
    start_line: window.start,
    end_line: cut.end,
    total_lines: window.total,
    truncated: cut.truncated,
  };
  // Some providers refuse an answer of white space alone.
  const blank = cut.text.trim() === "";
  return {
    text: blank ? `[Lines ${window.start} to ${window.end} of ${window.total} are blank.]` : cut.text,
    facts,
  };
}
