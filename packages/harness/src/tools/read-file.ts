/** Reading a file: a page of its lines, or what it shows where it is no text. */
import { DeerflowError } from "../base/errors.js";
import { absence } from "../filesystem/change-file.js";
import { type TextView, viewFile } from "../filesystem/view-file.js";
import type { Perform } from "./face.js";
import { type MediaResult, readMedia, readPlainPdf } from "./read-media.js";

export type { TextView };

export interface ReadRequest {
  readonly path: string;
  /** The first line, from 1; of a video, one more than the second to begin at. Less than 1 means 1. */
  readonly startLine: number;
  /** How many lines, or seconds of a video. None or fewer: only what the file is. */
  readonly maxLines: number;
  /** Characters of the first line to pass over. */
  readonly startCharacter: number;
  /** The most text to give. */
  readonly maxCharacters: number;
}

export type ReadResult = TextView | MediaResult;

/**
 * @throws DeerflowError `path_not_found`, `is_a_directory`, `path_denied`, `path_forbidden`, `video_unreadable`;
 * `file_too_large` where a backend can give a file only whole
 */
export const readFile: Perform<ReadRequest, ReadResult> = async (request, workplace) => {
  const { path, startCharacter, maxCharacters } = request;
  const startLine = Math.max(1, request.startLine);
  const maxLines = Math.max(1, request.maxLines);
  const query = { path, startLine, maxLines, startCharacter, maxCharacters };
  const view = await viewFile(workplace.files, query, workplace.signal);
  if (view === undefined) throw await absence(workplace.files, path);
  if (view.kind === "binary") return readMedia({ ...request, startLine }, view, workplace);
  const document = await readPlainPdf(path, workplace);
  if (document !== undefined) return document;
  assertWithinLine(view, startCharacter);
  return view;
};

function assertWithinLine(view: TextView, startCharacter: number): void {
  if (startCharacter === 0 || view.lines[0]?.text !== "") return;
  const reason = `line ${view.startLine} has no more than ${startCharacter} characters, so line_offset is past its end`;
  throw new DeerflowError("arguments_invalid", { reason });
}
