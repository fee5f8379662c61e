/** Reads what the tools answer. The only place that knows their wording. */
import type { z } from "zod";

export interface FileList {
  readonly files: readonly string[];
  /** True when the tool says that it left some out. */
  readonly cut: boolean;
}

/** Stands for the answer of a call that a stop or a crash cut off; what the call did is unknown. */
export const isInterrupted = (answer: string): boolean =>
  answer.startsWith("This call was interrupted before it returned.");

const MORE = /^\[(?:There are more|Stopped at|\d+ more (?:is|are) not shown)/m;

/** The files of an `ls` or `glob` answer: one absolute path a line, folders with a final slash. */
export function parseFileList(answer: string): FileList {
  const files = answer
    .split("\n")
    .filter((line) => line.startsWith("/") && !line.endsWith("/") && !line.endsWith(" is empty."));
  return { files, cut: MORE.test(answer) };
}

export interface FilePage {
  /** Whole lines only; empty for a file that is empty or no text. */
  readonly text: string;
  /** False for what the tool calls no text. */
  readonly isText: boolean;
  /** Where to go on; `undefined` at the end of the file. */
  readonly nextLine: number | undefined;
  /** How many lines the file has, where the tool says so. */
  readonly totalLines: number | undefined;
  /** True when a single line was too long to be shown whole. */
  readonly lineCut: boolean;
}

const CUT = /\n?\[Cut\b[^\]]*\]\s*$/;
const EMPTY = /^\[.* is empty\.\]$/;
const NO_TEXT = /^\[.* is not UTF-8 text: .*\]$/;
const BLANK = /^\[Lines (\d+) to (\d+) of (\d+) are blank\.\]$/;

/** One page of a `read_file` answer, without what the tool says about it. */
export function parseFilePage(answer: string): FilePage {
  const whole = { isText: true, nextLine: undefined, totalLines: undefined, lineCut: false };
  if (EMPTY.test(answer)) return { ...whole, text: "" };
  if (NO_TEXT.test(answer)) return { ...whole, text: "", isText: false };
  const blank = BLANK.exec(answer);
  if (blank !== null) return { ...whole, text: "\n".repeat(Number(blank[2]) - Number(blank[1]) + 1) };
  const notice = CUT.exec(answer)?.[0];
  if (notice === undefined) return { ...whole, text: answer };
  const next = /start_line=(\d+)/.exec(notice)?.[1];
  const total = / of (\d+)[.\]]/.exec(notice)?.[1];
  return {
    text: answer.slice(0, answer.length - notice.length),
    isText: true,
    nextLine: next === undefined ? undefined : Number(next),
    totalLines: total === undefined ? undefined : Number(total),
    lineCut: notice.includes("characters of line"),
  };
}

export interface GrepHit {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface GrepHits {
  readonly hits: readonly GrepHit[];
  /** True when the tool says that there are more. */
  readonly cut: boolean;
}

/** The hits of a `grep` answer: path, line number and line, with colons between. */
export const parseGrepHits = (answer: string): GrepHits => ({
  hits: [...answer.matchAll(/^(\/[^\n:]+):(\d+): (.*)$/gm)].map((match) => ({
    path: match[1] ?? "",
    line: Number(match[2]),
    text: match[3] ?? "",
  })),
  cut: MORE.test(answer),
});

/** The first line of a `bash` answer that is JSON of the wanted shape. */
export function parseJsonLine<S extends z.ZodType>(text: string, schema: S): z.output<S> | undefined {
  for (const line of text.split("\n").filter((candidate) => candidate.startsWith("{"))) {
    const parsed = schema.safeParse(jsonOf(line));
    if (parsed.success) return parsed.data;
  }
  return undefined;
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // A program may print anything; what is no JSON is simply not the result.
    return undefined;
  }
}
