import { z } from "zod";
import { DeerflowError } from "../../base/errors.js";
import { readProse } from "../../base/prose.js";
import { shownPath } from "../../base/virtual-path.js";
import { absolutePath } from "../absolute-path.js";
import type { ToolOutcome } from "../define-tool.js";
import type { Face } from "../face.js";
import { description, pathAliases } from "../file-arguments.js";
import { mediaAnswer } from "../media-answer.js";
import type { ReadRequest, ReadResult, TextView } from "../read-file.js";
import { path } from "./path.js";

const DESCRIPTION = readProse(new URL("./read-file.md", import.meta.url));

const line = z.number().int().optional();
const input = z.object({
  description,
  path,
  start_line: line.describe("First line to show, counted from 1."),
  end_line: line.describe("Last line to show, inclusive."),
  line_offset: z
    .number()
    .int()
    .optional()
    .describe("Characters of the first line to leave out, to go on inside a very long line."),
});

export const readFile: Face<typeof input, ReadRequest, ReadResult> = {
  name: "read_file",
  aliases: pathAliases("path"),
  input: () => input,
  describe: ({ limits }) => DESCRIPTION.replace("{characters}", () => grouped(limits.maxReadCharacters)),
  request(given, { limits, workingDirectory }) {
    const startLine = Math.max(1, given.start_line ?? 1);
    const maxLines = given.end_line === undefined ? limits.defaultReadLines : given.end_line - startLine + 1;
    const startCharacter = Math.max(0, given.line_offset ?? 0);
    const maxCharacters = limits.maxReadCharacters;
    return {
      path: absolutePath(given.path, workingDirectory),
      startLine,
      maxLines,
      startCharacter,
      maxCharacters,
    };
  },
  answer(result, request, surroundings) {
    const { path } = request;
    if (result.kind === "text") return textAnswer(result, request);
    const goOn = (second: number) => `start_line=${second + 1}`;
    return mediaAnswer(result, { path, surroundings, goOn });
  },
};

const grouped = (count: number): string => count.toLocaleString("en-US");

/** The text itself, without numbers, then a notice in brackets where it was cut. */
function textAnswer(view: TextView, request: ReadRequest): ToolOutcome {
  const { path, startLine, maxLines } = request;
  const { totalLines, version } = view;
  const read = { path, version, total_lines: totalLines };
  if (totalLines === 0) return { text: `[${shownPath(path)} is empty.]`, facts: read };
  const wantedEnd = Math.min(startLine + maxLines - 1, totalLines);
  if (wantedEnd < startLine) {
    const end = maxLines > totalLines ? "there on" : startLine + maxLines - 1;
    const range = { total: totalLines, start: startLine, end };
    throw new DeerflowError("lines_out_of_range", { path: shownPath(path), ...range });
  }
  const page = pageOf(view, request.maxCharacters);
  const truncated = page.isCutInside || page.end < wantedEnd;
  const facts = { ...read, start_line: startLine, end_line: page.end, truncated };
  const notice = truncated ? cutNotice(page, view, request) : "";
  // Some providers refuse an answer of white space alone.
  const isBlank = page.text.trim() === "" && !truncated;
  const text = isBlank ? `[Lines ${startLine} to ${page.end} of ${totalLines} are blank.]` : page.text;
  return { text: `${text}${notice}`, facts };
}

interface Page {
  readonly text: string;
  /** The last line that is shown, at least in part. */
  readonly end: number;
  readonly isCutInside: boolean;
  /** Where that line goes on. */
  readonly nextCharacter: number;
}

/** Whole lines with their line breaks, at most so many characters; or the beginning of one line. */
function pageOf(view: TextView, limit: number): Page {
  let text = "";
  for (const [index, line] of view.lines.entries()) {
    const end = view.startLine + index;
    const hasBreak = end < view.totalLines || view.endsWithBreak;
    const whole = hasBreak ? `${line.text}\n` : line.text;
    const fits = line.isWhole && text.length + whole.length <= limit;
    if (!fits && index > 0) return { text, end: end - 1, isCutInside: false, nextCharacter: 0 };
    // A line of just the limit, without its break, is whole too.
    if (!fits && !(line.isWhole && line.text.length <= limit)) {
      const nextCharacter = line.startCharacter + line.text.length;
      return { text: line.text, end, isCutInside: true, nextCharacter };
    }
    text += whole;
  }
  const end = view.startLine + Math.max(0, view.lines.length - 1);
  return { text, end, isCutInside: false, nextCharacter: 0 };
}

function cutNotice(page: Page, view: TextView, { startLine, maxCharacters }: ReadRequest): string {
  const { end, nextCharacter } = page;
  return page.isCutInside
    ? `\n[Cut after ${nextCharacter} characters of line ${end} of ${view.totalLines}. Go on in it with start_line=${end} and line_offset=${nextCharacter}.]`
    : `[Cut at ${maxCharacters} characters: lines ${startLine} to ${end} of ${view.totalLines}. Go on with start_line=${end + 1}.]`;
}
