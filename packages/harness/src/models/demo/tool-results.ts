/** Reads what the tools answer. The only place that knows their wording. */
import type { z } from "zod";

export interface FileList {
  readonly files: readonly string[];
  /** True when the tool says that it left some out. */
  readonly cut: boolean;
}

/** The files of an `ls` or `glob` answer: one absolute path a line, folders with a final slash. */
export function parseFileList(text: string): FileList {
  const lines = text.split("\n").map((line) => line.trim());
  const files = lines.filter(
    (line) => line.startsWith("/") && !line.endsWith("/") && !line.endsWith(" is empty."),
  );
  return { files, cut: lines.some((line) => /^\[.*(?:more|not shown|limit|cut)/i.test(line)) };
}

export interface FilePage {
  /** Whole lines only. */
  readonly text: string;
  /** Where to go on; `undefined` at the end of the file. */
  readonly nextLine: number | undefined;
  /** How many lines the file has, where the tool says so. */
  readonly totalLines: number | undefined;
  /** True when a single line was too long to be shown whole. */
  readonly lineCut: boolean;
}

const NOTICE = /\n?\[Cut\b[^\]]*\]\s*$/;

/** One page of a `read_file` answer, with the notice at its end taken off. */
export function parseFilePage(text: string): FilePage {
  const notice = NOTICE.exec(text)?.[0] ?? "";
  const next = /start_line=(\d+)/.exec(notice)?.[1];
  const total = / of (\d+)[.\]]/.exec(notice)?.[1];
  return {
    text: notice === "" ? text : text.slice(0, text.length - notice.length),
    nextLine: next === undefined ? undefined : Number(next),
    totalLines: total === undefined ? undefined : Number(total),
    lineCut: notice.includes("characters of line"),
  };
}

/** The lines of a `grep` answer that are hits, whatever stands around them. */
export interface GrepHit {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export const parseGrepHits = (text: string): GrepHit[] =>
  [...text.matchAll(/^(\/[^\n:]+):(\d+):\s?(.*)$/gm)].map((match) => ({
    path: match[1] ?? "",
    line: Number(match[2]),
    text: match[3] ?? "",
  }));

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
