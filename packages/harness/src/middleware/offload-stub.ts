/** What a model sees in place of a text that was put into a file. */
import { readProse } from "../base/prose.js";
import { counted } from "../base/counted.js";
import { countLines, headLinesOf, headOf, linesWithin, tailLinesOf } from "./offload-text.js";

const TEMPLATE = readProse(new URL("./offload-stub.md", import.meta.url));

/** How much of a text its stub shows: whole lines of both ends, or characters of both ends. */
export type PreviewSize =
  | { readonly headLines: number; readonly tailLines: number; readonly lineCharacters: number }
  | { readonly headCharacters: number; readonly tailCharacters: number };

/** Says how to read a file from its start, a window at a time. `lines` is a number of lines that fits. */
export type HowToRead = (path: string, lines: number) => string;

/** A text that is longer than what is known of it here. */
export interface WholeText {
  readonly characters: number;
  readonly lines: number;
  /** Characters between its beginning and its end that are not in the file either. */
  readonly leftOut: number;
}

export interface StubContent {
  /** What is not shown, as the start of a sentence. */
  readonly subject: string;
  readonly path: string;
  readonly text: string;
  /** Where `text` is not the whole, but its beginning and its end. */
  readonly whole?: WholeText;
  /** What was said behind the text and belongs to it, such as how a command ended. */
  readonly ending?: string;
  /** Twelve or more characters that the author of the text cannot have known, so that it cannot end its own frame. */
  readonly mark: string;
  readonly synopsis?: string;
  readonly preview: PreviewSize;
  readonly howToRead: HowToRead;
  /** Sentences about the file: how long it is kept, how it differs from what was said. */
  readonly notes?: readonly (string | undefined)[];
  /** The stub is not longer, unless its frame alone is. Absent: the preview is shown whole. */
  readonly limitCharacters?: number;
}

/** For a text that is not stored character by character. */
export const REPLACED_NOTE = "In it a NUL stands as \u2400 and half a character as \uFFFD.";

/** The window that a stub names has no more characters than this, where lines allow it. */
const WINDOW_CHARACTERS = 20_000;
const MAX_WINDOW_LINES = 100;
/** Shown of a text even where the limit is too small for any stub. */
const LEAST_BODY_CHARACTERS = 200;

/** Pure. All that comes out of the text stands literally, between two lines that it cannot contain. */
export function offloadStub(content: StubContent): string {
  const { ending = "", synopsis, limitCharacters = Number.POSITIVE_INFINITY } = content;
  const behind = ending === "" ? "" : `\n${ending}`;
  const frame = fill(content, behind);
  const room = Math.max(limitCharacters - frame.length, LEAST_BODY_CHARACTERS);
  const shown = previewOf(content);
  const whole = synopsis === undefined ? shown : `${synopsis}\n\n${shown}`;
  if (whole.length <= room) return fill(content, `${whole}${behind}`);
  const fitting = shown.length <= room ? shown : smallPreview(content, room);
  return fill(content, `${fitting}${behind}`);
}

function fill(content: StubContent, body: string): string {
  const { subject, path, text, mark, howToRead, notes = [] } = content;
  const { characters, lines, leftOut } = wholeOf(content);
  const values: Readonly<Record<string, string>> = {
    subject,
    path,
    mark,
    body,
    characters: String(characters),
    lines: counted(lines, "line"),
    all: leftOut === 0 ? "All of it is" : `Its beginning and its end, without ${leftOut} characters, are`,
    how: howToRead(path, firstWindow(text)),
    notes: notes.flatMap((note) => (note === undefined ? [] : ` ${note}`)).join(""),
  };
  return TEMPLATE.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** How many lines from the start a reader takes at once; one where even the first is long. */
export function firstWindow(text: string): number {
  let characters = 0;
  let lines = 0;
  for (const line of linesWithin(text, WINDOW_CHARACTERS + 1)) {
    characters += line.text.length + 1;
    if (characters > WINDOW_CHARACTERS || lines === MAX_WINDOW_LINES) break;
    lines += 1;
  }
  return Math.max(1, lines);
}

const wholeOf = ({ whole, text }: Pick<StubContent, "whole" | "text">): WholeText =>
  whole ?? { characters: text.length, lines: countLines(text), leftOut: 0 };

type Previewed = Pick<StubContent, "text" | "whole" | "mark">;

function previewOf({ preview, ...content }: StubContent): string {
  return "headLines" in preview
    ? linePreview(content, preview)
    : characterPreview(content, preview.headCharacters, preview.tailCharacters);
}

type LinePreview = Extract<PreviewSize, { headLines: number }>;

function linePreview(content: Previewed, size: LinePreview): string {
  const { text, mark } = content;
  const { headLines, tailLines, lineCharacters } = size;
  const total = wholeOf(content).lines;
  const cut = (line: string) => headOf(line, lineCharacters);
  const isShort = total <= headLines + tailLines;
  const head = firstLines(text, isShort ? total : headLines).map(cut);
  if (isShort) return head.join("\n");
  const leftOut = `----- ${mark}: ${total - headLines - tailLines} lines left out -----`;
  return [...head, leftOut, ...lastLines(text, tailLines).map(cut)].join("\n");
}

function firstLines(text: string, count: number): string[] {
  const lines: string[] = [];
  for (const line of linesWithin(text, text.length)) {
    if (lines.length === count) break;
    lines.push(line.text);
  }
  return lines;
}

function lastLines(text: string, count: number): string[] {
  const lines: string[] = [];
  let to = text.endsWith("\n") ? text.length - 1 : text.length;
  while (lines.length < count && to >= 0) {
    const from = to === 0 ? 0 : text.lastIndexOf("\n", to - 1) + 1;
    lines.unshift(text.slice(from, to));
    to = from - 1;
  }
  return lines;
}

function characterPreview(content: Previewed, headLimit: number, tailLimit: number): string {
  const { text, mark } = content;
  if (text.length <= headLimit + tailLimit) return text;
  const head = headLinesOf(text, headLimit);
  const tail = tailLinesOf(text, tailLimit);
  const missing = wholeOf(content).characters - head.length - tail.length;
  return `${endLine(head)}----- ${mark}: ${missing} characters left out -----\n${tail}`;
}

const endLine = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

/** Two thirds of what room there is for the start, the rest for the end. */
function smallPreview(content: Previewed, room: number): string {
  const notice = characterPreview({ ...content, text: `${content.text} ` }, 0, 0).length + 2;
  const free = Math.max(0, room - notice);
  return characterPreview(content, Math.floor((free * 2) / 3), Math.floor(free / 3));
}
