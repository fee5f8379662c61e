/** Measuring and cutting the text of a message, without copying more of it than is shown. */
import type { BaseMessage, ContentBlock } from "@langchain/core/messages";

type Content = BaseMessage["content"];

const isText = (block: ContentBlock): block is ContentBlock.Text =>
  block.type === "text" && typeof block["text"] === "string";

/** The text blocks of a message, joined by a line break; media do not count. */
export const textOf = ({ content }: BaseMessage): string =>
  typeof content === "string"
    ? content
    : content
        .filter(isText)
        .map((block) => block.text)
        .join("\n");

/** The same content with one text in place of all its text blocks; other blocks stay as they are, behind it. */
export function withText(content: Content, text: string): Content {
  if (typeof content === "string") return text;
  const others = content.filter((block) => !isText(block));
  return [{ type: "text" as const, text }, ...others];
}

const NUL = /\0/g;
/** With the flag, only half of a pair is a surrogate. */
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** The text as the file tools can page it: a NUL is shown, and half of a surrogate pair, which no file can hold, replaced. */
export const pageable = (text: string): string =>
  text.replaceAll(NUL, "\u2400").replaceAll(LONE_SURROGATES, "\uFFFD");

/** The lines of a text as it would be paged: a final line break opens no further line. */
export function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return text === "" || text.endsWith("\n") ? lines : lines + 1;
}

const isHigh = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
const isLow = (code: number): boolean => code >= 0xdc00 && code < 0xe000;

/** At most `limit` characters from the start; never half of a surrogate pair, which a provider would refuse. */
export function headOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, isHigh(text.charCodeAt(limit - 1)) ? limit - 1 : limit);
}

/** At most `limit` characters from the end, as {@link headOf}. */
export function tailOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const from = text.length - limit;
  return text.slice(isLow(text.charCodeAt(from)) ? from + 1 : from);
}

/** {@link headOf}, but back to the last whole line when that loses less than half. */
export function headLinesOf(text: string, limit: number): string {
  const head = headOf(text, limit);
  const behind = text[head.length];
  if (behind === undefined || behind === "\n") return head;
  const whole = head.lastIndexOf("\n");
  return whole >= head.length / 2 ? head.slice(0, whole + 1) : head;
}

/** {@link tailOf}, but from the first whole line on when that loses less than half. */
export function tailLinesOf(text: string, limit: number): string {
  const tail = tailOf(text, limit);
  const before = text[text.length - tail.length - 1];
  if (before === undefined || before === "\n") return tail;
  const whole = tail.indexOf("\n");
  return whole !== -1 && whole < tail.length / 2 ? tail.slice(whole + 1) : tail;
}

/** One line of a text, and where it stands. */
export interface NumberedLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

/** The lines that lie within the first `limit` characters, each without its ending. */
export function* linesWithin(text: string, limit: number): Generator<NumberedLine> {
  const end = Math.min(text.length, limit);
  let number = 1;
  for (let from = 0; from < end; number += 1) {
    const found = text.indexOf("\n", from);
    const to = found === -1 || found > end ? end : found;
    yield { number, text: text.slice(from, to) };
    from = to + 1;
  }
}

const LINE_BREAKERS = /[\p{Cc}\u2028\u2029]+/gu;

/** A piece of a text as part of one line. */
export const oneLine = (text: string, limit: number): string => {
  const line = headOf(text, limit * 2)
    .replaceAll(LINE_BREAKERS, " ")
    .trim();
  return line.length <= limit && text.length <= limit * 2 ? line : `${headOf(line, limit - 1)}…`;
};
