import { z } from "zod";
import { DeerflowError } from "../../base/errors.js";
import { counted } from "../../base/counted.js";
import { readProse } from "../../base/prose.js";
import { shownPath } from "../../base/virtual-path.js";
import { absolutePath } from "../absolute-path.js";
import type { ToolOutcome } from "../define-tool.js";
import type { Face } from "../face.js";
import { pathAliases } from "../file-arguments.js";
import type { FileToolLimits } from "../limits.js";
import { mediaAnswer } from "../media-answer.js";
import type { ReadRequest, ReadResult, TextView } from "../read-file.js";
import { renderRows } from "./numbered-rows.js";
import { type Page, pageOf } from "./page.js";
import { filePath } from "./path.js";

const DESCRIPTION = readProse(new URL("./read-file.md", import.meta.url));

const inputOf = ({ defaultReadLines }: FileToolLimits) =>
  z.object({
    file_path: filePath,
    offset: z.number().int().default(0).describe("How many lines to pass over; 0 for none."),
    limit: z.number().int().default(defaultReadLines).describe("How many lines to show at most."),
    line_offset: z
      .number()
      .int()
      .default(0)
      .describe("Characters of the first line to pass over, to go on inside a very long line."),
  });

export const readFile: Face<ReturnType<typeof inputOf>, ReadRequest, ReadResult> = {
  name: "read_file",
  aliases: pathAliases("file_path"),
  input: inputOf,
  describe: ({ limits }) =>
    DESCRIPTION.replace("{lines}", () => String(limits.defaultReadLines))
      .replace("{characters}", () => String(limits.maxReadCharacters))
      .replace("{row}", () => String(limits.rowCharacters)),
  request: (given, { limits, workingDirectory }) => ({
    path: absolutePath(given.file_path, workingDirectory),
    startLine: given.offset + 1,
    maxLines: given.limit,
    startCharacter: Math.max(0, given.line_offset),
    maxCharacters: limits.maxReadCharacters,
  }),
  answer(result, request, surroundings) {
    const { path } = request;
    if (result.kind === "text") return textAnswer(result, request, surroundings.limits);
    return mediaAnswer(result, { path, surroundings, goOn: (second) => `offset=${second}` });
  },
};

/** Set aside for what is said below the lines. */
const NOTICE_CHARACTERS = 400;

function textAnswer(view: TextView, request: ReadRequest, limits: FileToolLimits): ToolOutcome {
  const { startLine, maxLines } = request;
  const { version, totalLines } = view;
  const path = shownPath(request.path);
  const read = { path: request.path, version, total_lines: totalLines };
  if (totalLines === 0) return { text: `[${path} is empty.]`, facts: read };
  if (maxLines <= 0) {
    const text = `[No lines were asked for, as limit is ${maxLines}. ${path} has ${counted(totalLines, "line")}.]`;
    // Without a version: nothing was shown, so this is no reading that a change could stand on.
    return { text, facts: { path: request.path, total_lines: totalLines, lines_shown: 0 } };
  }
  if (startLine > totalLines) {
    const range = { total: totalLines, offset: startLine - 1, last: totalLines - 1 };
    throw new DeerflowError("offset_out_of_range", { path, ...range });
  }
  const room = limits.maxReadCharacters - Math.min(NOTICE_CHARACTERS, limits.maxReadCharacters / 2);
  const page = pageOf(view, room, limits.rowCharacters);
  const isBlank = page.rows.every((row) => row.text.trim() === "");
  const shownLines = linesNamed(view.startLine, page.end, totalLines);
  const notices = [
    ...(isBlank ? [`[${shownLines} ${isOne(view.startLine, page.end) ? "is" : "are"} blank.]`] : []),
    ...pageNotice(page, view),
    ...(startLine < 1
      ? [`[offset ${startLine - 1} is before the first line; shown is from line 1 on.]`]
      : []),
  ];
  return {
    text: [...(isBlank ? [] : [renderRows(page.rows)]), ...notices].join("\n"),
    facts: {
      ...read,
      start_line: view.startLine,
      end_line: page.end,
      truncated: page.nextCharacter !== undefined || page.end < totalLines,
    },
  };
}

const isOne = (start: number, end: number): boolean => start === end;
const linesNamed = (start: number, end: number, total: number): string =>
  isOne(start, end) ? `Line ${start} of ${total}` : `Lines ${start} to ${end} of ${total}`;

/** How to go on; nothing at the end of the file. */
function pageNotice(page: Page, { startLine, totalLines }: TextView): readonly string[] {
  const { end, nextCharacter } = page;
  if (nextCharacter !== undefined) {
    return [
      `[Line ${end} of ${totalLines} is too long for one answer and is shown up to character ${nextCharacter}. Go on in it with offset=${end - 1} and line_offset=${nextCharacter}.]`,
    ];
  }
  if (end >= totalLines) return [];
  const shown = linesNamed(startLine, end, totalLines);
  const left = totalLines - end;
  const remain = left === 1 ? "1 line remains" : `${left} lines remain`;
  return [`[${shown} ${isOne(startLine, end) ? "is" : "are"} shown; ${remain}. Go on with offset=${end}.]`];
}
